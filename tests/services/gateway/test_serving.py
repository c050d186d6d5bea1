"""What `serve` refuses or warns of, and the limits of what is kept."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from datastream.client.settings import DEFAULT_URL, find_settings
from datastream.errors import ValidationError
from datastream.services.gateway.command import cli
from datastream.services.gateway.serving import serve
from datastream.services.gateway.settings import GatewaySettings
from tests.services.gateway.conftest import GatewayServer
from tests.support.processes import Runs, datastream


def test_a_key_that_others_may_write_is_refused(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.write_text("none")
    key.chmod(0o666)
    with pytest.raises(ValidationError, match="others may write"):
        serve(GatewaySettings(data=tmp_path / "data"), "console", str(key), str(key))


def test_a_gateway_on_the_network_without_tls_says_so(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway("--host", "0.0.0.0")
    assert "no TLS on 0.0.0.0" in gateway.run.err


def test_artifacts_have_a_quota_and_ids_no_zero_bytes(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway("--max-artifacts", "1KiB")
    id = gateway.upload("a.py", "#" * 600)
    refused = gateway.client.post("/artifacts/upload?name=b.py", content="#" * 601)
    assert refused.status_code == 507 and "delete some first" in refused.text
    assert [path.name for path in (gateway.data / "artifacts").iterdir()] == [id]
    assert gateway.client.delete(f"/artifacts/{id}").status_code == 200
    gateway.upload("b.py", "#" * 601)
    for path in ("/jobs/%00", "/jobs/%00/plan", "/jobs/x%00/logs", "/artifacts/%00/content", "/jobs/x/savepoints/%00"):
        assert gateway.client.get(path).status_code == 422


def test_with_tls_browsers_are_told_to_stay_with_it(tmp_path: Path) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    key.chmod(0o600)
    runs = Runs(tmp_path)
    try:
        line = [datastream()[0], "-m", "datastream.services.gateway", "serve", "--data", str(tmp_path / "data")]
        line += ["--port", "0", "--pool", "0", "--tls-certificate", str(certificate), "--tls-key", str(key)]
        run = runs.start(*line)
        run.until(lambda: "listens on https" in run.err, "listening gateway")
        url = run.err.partition("listens on ")[2].partition(",")[0]
        answer = httpx.get(url + "/healthz", verify=False)
        assert answer.status_code == 200 and answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    finally:
        runs.end()


def test_a_saved_token_is_for_the_gateway_that_runs(own_gateway: Callable[..., GatewayServer], tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}

    def saved_url(*options: str) -> str:
        line = ["token", "create", "--data", str(gateway.data), "--name", "me", "--save", *options]
        made = CliRunner().invoke(cli, line, env=environment)
        found = find_settings(environ=environment)
        assert made.exit_code == 0 and found.token == made.stdout.strip(), made.output
        return found.url

    gateway = own_gateway("--host", "0.0.0.0")
    assert saved_url() == gateway.url.replace("0.0.0.0", "127.0.0.1")
    assert saved_url("--url", "https://gateway.example") == "https://gateway.example"
    gateway.run.process.terminate()
    gateway.run.wait()
    assert saved_url() == DEFAULT_URL
