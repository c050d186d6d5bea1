"""Drivers that others start: the gateway watches and steers them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from datastream.errors import ValidationError
from datastream.services.gateway.launchers.external import ExternalLauncher
from datastream.services.gateway.launchers.external_drivers import ExternalDriver, read_external
from datastream.services.gateway.launchers.launcher import Alive, Ended, Launch
from datastream.services.gateway.launchers.refusal import LaunchRefused
from tests.services.conftest import Runner, Runners
from tests.services.gateway.conftest import GatewayServer
from tests.services.gateway.docker_drivers import ENDLESS
from tests.support.waiting import wait_until

TOKEN = "of the runner"


def runner(runners: Runners, port: int = 0) -> Runner:
    """A runner whose job goes on, at a port."""
    script = runners.script(ENDLESS)
    found = runners.local(script, DATASTREAM_CONTROL_TOKEN=TOKEN, DATASTREAM_PORT=str(port))
    found.until_ready()
    return found


def port_of(runner: Runner) -> int:
    return int(runner.events("listening")[0]["port"])


@pytest.mark.long
def test_a_job_that_others_run_is_seen_and_cancelled(
    runners: Runners, own_gateway: Callable[..., GatewayServer], tmp_path: Path
) -> None:
    driver = runner(runners)
    port = port_of(driver)
    (tmp_path / "token").write_text(TOKEN + "\n")
    file = tmp_path / "external.yaml"
    file.write_text(
        f"numbers: {{url: 'http://127.0.0.1:{port}', "
        f"control-token-file: {tmp_path / 'token'}, savepoint-dir: /tmp/s}}\n"
    )
    gateway = own_gateway(environment={"DATASTREAM_GATEWAY_EXTERNAL": str(file)})

    def jobs() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = gateway.client.get("/jobs/overview").json()["jobs"]
        return found

    (job,) = wait_until(jobs, "job")
    assert job["launcher"] == "external" and job["artifact"] == {"id": "", "name": f"http://127.0.0.1:{port}"}
    gateway.until_state(job["jid"], "RUNNING")
    assert gateway.client.get(f"/jobs/{job['jid']}/plan").json()["graph"]["nodes"]
    assert "where its driver was started" in gateway.log(job["jid"])

    # Its supervisor starts it again: it is still the same job.
    driver.run.process.kill()
    driver.run.wait()
    gateway.until_state(job["jid"], "INITIALIZING")
    driver = runner(runners, port)
    gateway.until_state(job["jid"], "RUNNING")
    assert len(jobs()) == 1

    gateway.cancel(job["jid"])
    assert driver.run.wait() == 0
    assert gateway.client.delete(f"/jobs/{job['jid']}").status_code == 200
    assert jobs() == []

    overview = gateway.client.get("/overview").json()["launchers"]
    assert [one["available"] for one in overview if one["name"] == "external"] == [False]


def launch_of(tmp_path: Path) -> Launch:
    return Launch("0" * 32, 1, Path("none"), "external", tmp_path, {"name": "numbers"}, TOKEN)


def test_a_driver_that_has_gone_ends_when_it_is_killed(tmp_path: Path) -> None:
    launcher = ExternalLauncher({"numbers": ExternalDriver("numbers", "http://127.0.0.1:1", TOKEN, "/s")})
    launch = launch_of(tmp_path)
    assert launcher.state(launch) == Alive(None)
    launcher.kill(launch)
    assert launcher.state(launch) == Ended(None, "its driver does not answer")
    launcher.adopt(launcher.drivers["numbers"], tmp_path)
    assert launcher.savepoint_dir("j", tmp_path) == "/s/j"
    launcher.close()


def test_it_starts_nothing(tmp_path: Path) -> None:
    launcher = ExternalLauncher({})
    with pytest.raises(LaunchRefused, match="it starts no jobs"):
        launcher.start(launch_of(tmp_path))
    launcher.close()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a", "expected names of jobs"),
        ("a: {url: 'http://x'}", "expected the keys"),
        ("a: {url: x, control-token-file: t, savepoint-dir: s}", "expected http"),
        ("a: {url: 'http://x', control-token-file: /none, savepoint-dir: s}", "cannot be read"),
        ("a: [", "cannot be read"),
    ],
)
def test_a_file_that_is_wrong_is_named(text: str, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "external.yaml"
    file.write_text(text)
    with pytest.raises(ValidationError, match=expected):
        read_external(file)
