"""Gateways and drivers that are killed: no job is lost, and none runs twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from datastream.services.gateway.launchers.process_identity import lives as lives_by
from tests.services.gateway.conftest import COUNT, SLEEP, WORDS, GatewayServer
from tests.services.gateway.test_jobs import wait_for_savepoint

#: Each number, once it is committed, in a file: in a minute, or at once when there is a second file.
NUMBERS = """
import os
import sys
from pyflink.common import Encoder
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink
from datastream import WatermarkStrategy
from datastream.connectors import DataGeneratorSource

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
rate = 3000 if os.path.exists(sys.argv[2]) else 50
source = DataGeneratorSource(lambda n: n, count=3000, rate_per_second=rate)
numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
sink = FileSink.for_row_format(sys.argv[1], Encoder.simple_string_encoder()).build()
numbers.map(str).sink_to(sink).uid("files")
env.execute("numbers")
"""

Gateways = Callable[..., GatewayServer]


def driver(gateway: GatewayServer, jid: str) -> psutil.Process:
    """The process of a job's driver."""
    attempt = gateway.job(jid)["attempt"]
    note = json.loads((gateway.data / "jobs" / jid / f"driver-{attempt}.json").read_text())
    return psutil.Process(note["pid"])


def lives(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def kill(gateway: GatewayServer) -> None:
    gateway.run.process.kill()
    gateway.run.wait()


def written(folder: Path) -> list[int]:
    """The numbers in a sink's finished files."""
    files = [file for file in folder.rglob("*") if file.is_file() and not file.name.startswith((".", "_"))]
    visible = [file for file in files if not any(part.startswith(".") for part in file.relative_to(folder).parts)]
    return sorted(int(line) for file in visible for line in file.read_text().split())


@pytest.mark.long
def test_a_gateway_that_was_killed_finds_its_jobs_again(own_gateway: Gateways) -> None:
    gateway = own_gateway()
    jid = gateway.submit(COUNT, name="count")
    epoch = gateway.until_epoch(jid, 2)["epoch"]
    before = driver(gateway, jid)
    kill(gateway)
    assert before.is_running()
    gateway.start()
    job = gateway.until_epoch(jid, epoch + 2)
    assert (job["state"], job["attempt"]) == ("RUNNING", 1)
    assert driver(gateway, jid) == before
    assert gateway.client.get(f"/jobs/{jid}/metrics").json()["samples"]
    assert gateway.client.post(f"/jobs/{jid}/stop").status_code == 202
    (request,) = gateway.client.get(f"/jobs/{jid}/checkpoints").json()["savepoints"]
    assert "location" in wait_for_savepoint(gateway, jid, request["request-id"])["operation"]
    assert gateway.until_state(jid, "FINISHED", "FAILED")["state"] == "FINISHED"
    gateway.run.until(lambda: not lives(before), "end of the driver", 30)


@pytest.mark.long
def test_a_job_that_ended_while_the_gateway_was_away_is_known(own_gateway: Gateways) -> None:
    gateway = own_gateway()
    jid = gateway.submit(WORDS, programArgsList=["to", "be"])
    gateway.until(jid, lambda job: job["state"] != "CREATED")
    process = driver(gateway, jid)
    kill(gateway)
    psutil.wait_procs([process], timeout=120)
    gateway.start()
    job = gateway.until_state(jid, "FINISHED", "FAILED")
    assert (job["state"], job["exit-code"], job["records-in"], job["attempt"]) == ("FINISHED", 0, 2, 1)


@pytest.mark.long
def test_kills_of_driver_and_gateway_lose_nothing(own_gateway: Gateways, tmp_path: Path) -> None:
    gateway, hurry = own_gateway(), tmp_path / "hurry"
    jid = gateway.submit(NUMBERS, programArgsList=[str(tmp_path / "out"), str(hurry)])
    gateway.until_epoch(jid, 1)
    driver(gateway, jid).kill()
    gateway.until(jid, lambda job: job["attempt"] == 2 and job["state"] == "RUNNING")
    process = driver(gateway, jid)
    kill(gateway)
    process.kill()
    hurry.touch()
    gateway.start()
    job = gateway.until_state(jid, "FINISHED", "FAILED")
    assert (job["state"], job["attempt"]) == ("FINISHED", 3), job["error"]
    assert written(tmp_path / "out") == list(range(3000))
    kinds = [one["kind"] for one in gateway.client.get(f"/jobs/{jid}/exceptions").json()["exceptions"]]
    assert kinds == ["driver", "driver"]


@pytest.mark.long
@pytest.mark.parametrize("note", ["{", "[]", '{"pid": "x"}', '{"pid": 1, "boot": "x", "started": 1}'])
def test_a_note_that_is_damaged(own_gateway: Gateways, note: str) -> None:
    """The next attempt starts when the driver has gone."""
    gateway = own_gateway()
    jid = gateway.submit(SLEEP)
    gateway.until_state(jid, "INITIALIZING")
    process = driver(gateway, jid)
    process.kill()
    (gateway.data / "jobs" / jid / "driver-1.json").write_text(note)
    gateway.until(jid, lambda job: job["attempt"] == 2 and job["state"] == "INITIALIZING")
    assert lives(driver(gateway, jid)) and not lives(process)
    gateway.cancel(jid)


@pytest.mark.long
def test_a_note_that_is_damaged_of_a_job_that_runs(own_gateway: Gateways) -> None:
    gateway = own_gateway()
    jid = gateway.submit(COUNT)
    gateway.until_epoch(jid)
    driver(gateway, jid).kill()
    (gateway.data / "jobs" / jid / "driver-1.json").write_text("")
    gateway.until(jid, lambda job: job["attempt"] == 2 and job["state"] == "RUNNING")
    gateway.cancel(jid)


@pytest.mark.long
def test_a_clock_that_jumped_loses_no_driver(own_gateway: Gateways) -> None:
    """A process is told from others by when it was started, in ticks since the boot: times of day are not looked at."""
    gateway = own_gateway()
    jid = gateway.submit(SLEEP)
    gateway.until_state(jid, "INITIALIZING")
    note = json.loads((gateway.data / "jobs" / jid / "driver-1.json").read_text())
    assert note.keys() == {"pid", "boot", "started"}
    assert lives_by(note) and not lives_by({**note, "started": note["started"] + 1})
    assert not lives_by({**note, "boot": "another"})
    gateway.cancel(jid)
    gateway.run.until(lambda: not lives_by(note), "end of the driver", 30)


@pytest.mark.long
def test_a_database_belongs_to_one_folder(own_gateway: Gateways, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/shared.db"
    gateway = own_gateway(environment={"DATASTREAM_GATEWAY_DATABASE": url})
    elsewhere = GatewayServer.command
    first = gateway.data
    gateway.data = tmp_path / "other"
    second = elsewhere(gateway, "serve", "--port", "0")
    gateway.data = first
    assert second.wait() == 1 and "belongs to a gateway with another data folder" in second.err


@pytest.mark.long
def test_a_driver_whose_restarts_are_in_vain_is_followed_by_another(own_gateway: Gateways, tmp_path: Path) -> None:
    """A new process may do better than the job's own restarts."""
    gateway = own_gateway()
    script = f"""
from pathlib import Path
from pyflink.datastream import StreamExecutionEnvironment
tries = Path({str(tmp_path / "tries")!r})
def fail(number):
    with tries.open("a") as out:
        out.write("x")
    if tries.stat().st_size < 3:
        raise ConnectionError("away")
    return number
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).map(fail).print()
env.execute()
"""
    keys = {"datastream.restart.give-up-after": "1 ms", "execution.checkpointing.interval": "1 ms"}
    jid = gateway.submit(script, flinkConfiguration=keys)
    job = gateway.until_state(jid, "FINISHED", "FAILED")
    assert (job["state"], job["attempt"]) == ("FINISHED", 2), job


@pytest.mark.long
def test_drivers_that_end_in_vain_are_not_started_for_ever(own_gateway: Gateways) -> None:
    gateway = own_gateway()
    jid = gateway.submit("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    job = gateway.until_state(jid, "FAILED", "FINISHED")
    assert job["state"] == "FAILED" and "5 drivers ended without a committed epoch" in job["error"]


@pytest.mark.long
def test_sigterm_ends_the_gateway_and_not_its_jobs(own_gateway: Gateways) -> None:
    gateway = own_gateway("--pool", "1")
    gateway.until_pool_is_ready()
    jid = gateway.submit(COUNT)
    gateway.until_epoch(jid)
    process = driver(gateway, jid)
    gateway.run.process.terminate()
    assert gateway.run.wait() == 0
    assert process.is_running()
    waiting = [one for one in gateway.run.living() if "launchers.driver" in " ".join(one.cmdline()) and one != process]
    assert waiting == []
    gateway.start()
    gateway.until_epoch(jid, 1)
    gateway.cancel(jid)
    gateway.run.until(lambda: not lives(process), "end of the driver", 30)


@pytest.mark.long
def test_two_gateways_do_not_share_a_folder(own_gateway: Gateways) -> None:
    gateway = own_gateway()
    second = gateway.command("serve", "--port", "0")
    assert second.wait() == 1
    assert f"another gateway, process {gateway.run.process.pid}, has the folder" in second.err
    third = gateway.command("serve", "--port", gateway.url.rpartition(":")[2])
    assert third.wait() == 3 and "is taken by another process" in third.err


@pytest.mark.long
@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_without_tokens_on_loopback_only(own_gateway: Gateways, host: str) -> None:
    gateway = own_gateway()
    refused = gateway.command("serve", "--host", host, "--without-auth")
    assert refused.wait() == 1 and "is for loopback only" in refused.err
