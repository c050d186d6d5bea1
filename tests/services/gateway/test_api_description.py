"""The OpenAPI description holds: requests that are drawn from it never make the gateway fail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import hypothesis
import pytest
from hypothesis import HealthCheck

from tests.services.gateway.conftest import WORDS, GatewayServer
from tests.support.processes import Runs

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("gateway-api"),
    # Of schemathesis itself, and of jsonschema below it.
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayServer]:
    folder = tmp_path_factory.mktemp("api")
    runs = Runs(folder)
    gateway = GatewayServer(runs, folder / "data", "--pool", "0", "--max-writes", "10000", "--max-jobs", "1")
    jid = gateway.submit(WORDS)
    gateway.until_state(jid, "FINISHED")
    try:
        yield gateway
    finally:
        gateway.close()
        runs.end()


def operations(server: GatewayServer) -> Any:
    import schemathesis  # takes as long as many tests: not where tests are collected

    description = httpx.get(server.url + "/openapi.json").json()
    schema = schemathesis.openapi.from_dict(description)
    schema.config.base_url = server.url
    return schema


def paths() -> list[tuple[str, str]]:
    """Method and path of all operations but the old ones, which are the same code."""
    from datastream.services.gateway.routes import jobs, overview
    from datastream.services.gateway.routes.artifacts import artifact_routes

    routers = (jobs.router, overview.router, artifact_routes("/artifacts", "artifacts", old=False))
    return [
        (method, route.path)  # type: ignore[attr-defined]
        for router in routers
        for route in router.routes
        for method in sorted(route.methods)  # type: ignore[attr-defined]
    ]


@pytest.mark.parametrize(("method", "path"), paths())
def test_no_request_makes_the_gateway_fail(server: GatewayServer, method: str, path: str) -> None:
    from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

    operation = operations(server)[path][method]
    known = {"jid": server.client.get("/jobs").json()["jobs"][0]["id"], "attempt": 1}
    known["id"] = server.client.get("/artifacts").json()["files"][0]["id"] if "artifacts" in path else "none"

    @hypothesis.given(case=operation.as_strategy(), real=hypothesis.strategies.booleans())
    @hypothesis.settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    def check(case: Any, real: bool) -> None:
        if real and method not in ("DELETE",):  # of what there is, too
            case.path_parameters.update({name: known[name] for name in case.path_parameters if name in known})
        case.query = {name: value for name, value in (case.query or {}).items() if name != "follow"}
        response = case.call(headers={"Authorization": f"Bearer {server.token}"}, timeout=60)
        assert response.status_code < 500 or response.status_code == 503, response.text
        case.validate_response(response, checks=[response_schema_conformance, status_code_conformance])

    check()


def test_what_is_no_request_at_all(server: GatewayServer) -> None:
    head = {"Content-Type": "application/json"}
    id = server.upload("words.py", WORDS)
    for body in (b"[]", b"{", b'"x"', b"\xff", b'{"parallelism": 1e400}', b'{"name": "\\ud800"}', b"[" * 50_000):
        for path in (f"/artifacts/{id}/run", "/jobs/x/stop", "/jobs/x/savepoints"):
            assert 400 <= server.client.post(path, content=body, headers=head).status_code < 500
    broken = {"Content-Type": "multipart/form-data; boundary=x"}
    assert 400 <= server.client.post("/artifacts/upload", content=b"--x\r\nno form", headers=broken).status_code < 500
    for since in ("-1", "1e9", "9" * 40, "x"):
        assert server.client.get(f"/jobs/x/metrics?since={since}").status_code in (404, 422)
    assert server.client.request("PROPFIND", "/jobs").status_code == 405
    assert server.client.get("/nowhere").json() == {"errors": ["Not Found"]}
    assert server.run.process.poll() is None and "Traceback" not in server.run.err
