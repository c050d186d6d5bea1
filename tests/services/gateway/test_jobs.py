"""Jobs of a gateway, from their submission to their end."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psutil
import pytest

from tests.services.gateway.conftest import COUNT, SLEEP, WORDS, WRONG, GatewayServer


def test_a_job_from_its_submission_to_its_end(gateway: GatewayServer) -> None:
    jid = gateway.submit(WORDS, programArgsList=["to", "be"])
    job = gateway.until_state(jid, "FINISHED", "FAILED")
    assert (job["state"], job["name"], job["exit-code"], job["error"]) == ("FINISHED", "words", 0, None)
    assert (job["records-in"], job["records-out"], job["attempt"]) == (2, 2, 1)
    assert job["end-time"] >= job["start-time"] and job["duration"] == job["end-time"] - job["start-time"]
    assert [node["kind"] for node in job["plan"]["nodes"]] == ["source", "sink"]
    assert job["plan"]["layout"]["chains"]
    assert {"id": jid, "status": "FINISHED"} in gateway.client.get("/jobs").json()["jobs"]
    assert jid in [job["jid"] for job in gateway.client.get("/jobs/overview").json()["jobs"]]
    events = [json.loads(line)["event"] for line in gateway.log(jid).splitlines()]
    assert [event for event in events if event in ("start", "to", "be", "end", "exit")] == [
        "start", "to", "be", "end", "exit",
    ]  # fmt: skip
    assert "figures" not in events
    assert gateway.client.patch(f"/jobs/{jid}").status_code == 409


@pytest.mark.long
def test_a_job_is_watched_while_it_runs(gateway: GatewayServer) -> None:
    jid = gateway.submit(COUNT)
    gateway.until_epoch(jid, 3)
    found: dict[str, Any] = {}

    def has_rates(job: dict[str, Any]) -> bool:
        found.update(gateway.client.get(f"/jobs/{jid}/metrics").json())
        return len(found["samples"]) > 2 and found["samples"][-1]["records_in_s"] > 100

    gateway.until(jid, has_rates)
    counts = found["operators"]["counts"]
    assert counts["records_in_s"] > 100 and counts["keys"] == 7 and counts["busiest"] == 0
    assert 0 < counts["busy_max"] <= 1
    assert found["seq"] == found["samples"][-1]["seq"]
    point = found["samples"][-1]
    assert point["state_keys"] == 7 and point["memory_bytes"] > 100 << 20 and point["epoch_ms"] > 0
    later = gateway.client.get(f"/jobs/{jid}/metrics", params={"since": found["seq"]}).json()
    assert all(point["seq"] > found["seq"] for point in later["samples"])
    plan = gateway.client.get(f"/jobs/{jid}/plan").json()
    assert [node["description"] for node in plan["plan"]["nodes"]] == [node["name"] for node in plan["graph"]["nodes"]]
    checkpoints = gateway.client.get(f"/jobs/{jid}/checkpoints").json()
    assert checkpoints["counts"]["completed"] >= 3 and checkpoints["latest"]["epoch"] >= 3
    assert gateway.client.delete(f"/jobs/{jid}").status_code == 409
    assert gateway.client.delete(f"/artifacts/{gateway.job(jid)['artifact']['id']}").status_code == 409
    gateway.cancel(jid)
    assert gateway.client.delete(f"/jobs/{jid}").json() == {}
    assert gateway.client.get(f"/jobs/{jid}").status_code == 404
    assert not (gateway.data / "jobs" / jid).exists()


@pytest.mark.long
def test_a_job_is_stopped_with_a_savepoint_and_goes_on_from_it(gateway: GatewayServer) -> None:
    jid = gateway.submit(COUNT)
    gateway.until_epoch(jid, 2)
    taken = gateway.client.post(f"/jobs/{jid}/savepoints", json={}).json()["request-id"]
    status = wait_for_savepoint(gateway, jid, taken)
    first = status["operation"]["location"]
    assert first.startswith(str(gateway.data / "savepoints" / jid))
    stopped = gateway.client.post(f"/jobs/{jid}/stop", json={"drain": False}).json()["request-id"]
    location = wait_for_savepoint(gateway, jid, stopped)["operation"]["location"]
    job = gateway.until_state(jid, "FINISHED", "FAILED")
    assert (job["state"], job["savepoint"]) == ("FINISHED", location)
    kinds = [one["kind"] for one in gateway.client.get(f"/jobs/{jid}/checkpoints").json()["savepoints"]]
    assert kinds == ["stop", "savepoint"]
    seen = job["snapshot"]["operators"]["counts"]["records_in"]
    resumed = gateway.submit(COUNT, savepointPath=location)
    gateway.until_epoch(resumed, job["epoch"] + 1)
    # How many keys there are is known an epoch later.
    job = gateway.until(resumed, lambda job: job["snapshot"]["operators"]["counts"]["keys"] is not None)
    assert job["snapshot"]["operators"]["counts"]["keys"] == 7 and seen > 0
    gateway.cancel(resumed)


@pytest.mark.long
def test_a_savepoint_that_cannot_be_written_says_why(gateway: GatewayServer) -> None:
    jid = gateway.submit(COUNT)
    gateway.until_epoch(jid)
    target = {"target-directory": "/proc/nowhere"}
    taken = gateway.client.post(f"/jobs/{jid}/savepoints", json=target).json()["request-id"]
    status = wait_for_savepoint(gateway, jid, taken)
    assert "/proc/nowhere" in status["operation"]["failure-cause"]["stack-trace"]
    assert gateway.client.get(f"/jobs/{jid}/savepoints/none").status_code == 404
    assert gateway.job(jid)["state"] == "RUNNING"
    gateway.cancel(jid)
    assert gateway.client.post(f"/jobs/{jid}/savepoints").status_code == 409


@pytest.mark.long
def test_a_job_that_fails_tells_the_users_line(gateway: GatewayServer) -> None:
    jid = gateway.submit(WRONG)
    job = gateway.until_state(jid, "FAILED", "FINISHED")
    assert job["state"] == "FAILED" and "ZeroDivisionError" in job["error"]
    found = gateway.client.get(f"/jobs/{jid}/exceptions").json()
    assert "job.py" in found["root-exception"]
    (one,) = (one for one in found["exceptions"] if one["kind"] == "failed")
    assert (one["function"], one["line"], one["value"]) == ("divide", 5, "3")
    assert one["file"].endswith("job.py") and one["attempt"] == 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("print('no job')\n", "never called env.execute()"),
        ("import a_package_that_is_not_there\n", "a_package_that_is_not_there"),
        ("raise SystemExit(7)\n", "code 7"),
        ("raise ValueError('not today')\n", "not today"),
    ],
)
def test_a_script_that_ends_without_a_job_has_failed(gateway: GatewayServer, script: str, why: str) -> None:
    job = gateway.until_state(gateway.submit(script), "FAILED", "FINISHED")
    assert job["state"] == "FAILED" and why in job["error"], job["error"]


@pytest.mark.long
def test_a_name_is_given_to_one_active_job(gateway: GatewayServer) -> None:
    jid = gateway.submit(COUNT, name="the count")
    id = gateway.upload("job.py", COUNT)
    again = gateway.client.post(f"/artifacts/{id}/run", json={"name": "the count"})
    assert again.status_code == 409 and jid in again.json()["errors"][0]
    assert gateway.until_epoch(jid)["name"] == "the count"
    gateway.cancel(jid)
    assert gateway.client.post(f"/artifacts/{id}/run", json={"name": "the count"}).status_code == 200
    (jid,) = (job["jid"] for job in gateway.client.get("/jobs/overview").json()["jobs"] if job["state"] == "CREATED"
              or job["state"] == "INITIALIZING")  # fmt: skip
    gateway.cancel(jid)


def test_a_job_is_cancelled_before_it_has_begun(gateway: GatewayServer) -> None:
    jid = gateway.submit(SLEEP)
    gateway.until_state(jid, "INITIALIZING")
    gateway.cancel(jid)


@pytest.mark.long
def test_there_are_so_many_jobs_and_no_more(gateway: GatewayServer) -> None:
    id = gateway.upload("sleep.py", SLEEP)
    jobs = [gateway.client.post(f"/artifacts/{id}/run").json()["jobid"] for _ in range(5)]
    answer = gateway.client.post(f"/artifacts/{id}/run")
    assert answer.status_code == 429 and answer.headers["Retry-After"] == "30"
    for jid in jobs:
        gateway.cancel(jid)


@pytest.mark.long
def test_a_log_is_followed_to_the_end(gateway: GatewayServer) -> None:
    jid = gateway.submit(COUNT)
    lines: list[dict[str, Any]] = []

    def follow() -> None:
        with gateway.client.stream("GET", f"/jobs/{jid}/logs", params={"follow": True}) as answer:
            lines.extend(json.loads(line) for line in answer.iter_lines() if line)

    follower = threading.Thread(target=follow)
    follower.start()
    gateway.until_epoch(jid, 2)
    gateway.cancel(jid)
    follower.join(30)
    assert not follower.is_alive()
    assert [line["event"] for line in lines if line["event"] in ("start", "exit")] == ["start", "exit"]
    assert gateway.client.get(f"/jobs/{jid}/logs", params={"attempt": 2}).status_code == 404
    assert len(gateway.client.get(f"/jobs/{jid}/logs", params={"lines": 2}).text.splitlines()) == 2


@pytest.mark.long
def test_secrets_of_a_request_are_not_shown(gateway: GatewayServer) -> None:
    id = gateway.upload("words.py", WORDS)
    given = {"programArgsList": ["--password", "hunter2"], "flinkConfiguration": {"spark.my.token": "hunter2"}}
    answer = gateway.client.post(f"/artifacts/{id}/run", json=given)
    assert answer.status_code == 200, answer.text
    jid = answer.json()["jobid"]
    gateway.until_state(jid, "FINISHED", "FAILED")
    shown = gateway.client.get(f"/jobs/{jid}").text + gateway.client.get("/jobs/overview").text
    settings = [line for line in gateway.log(jid).splitlines() if '"settings"' in line]
    assert "hunter2" not in shown and "hunter2" not in "".join(settings)
    assert "hunter2" not in gateway.run.err


def test_characters_beyond_16_bits_arrive(gateway: GatewayServer) -> None:
    """In arguments, settings and names of jobs and files."""
    script = "import sys\nfrom pathlib import Path\nprint(ascii([Path(sys.argv[0]).name, *sys.argv[1:]]))\n"
    id = gateway.upload("smile-ж.py", script)
    args = ["😀", "a\x01b\x7f\x85\u2028\tc", "\U0010ffff", "e\u0301"]
    given = {"programArgsList": args, "name": "job 😀", "flinkConfiguration": {"spark.smile": "😀"}}
    answer = gateway.client.post(f"/artifacts/{id}/run", json=given)
    assert answer.status_code == 200, answer.text
    jid = answer.json()["jobid"]
    job = gateway.until_state(jid, "FAILED")  # the script has no job
    assert job["name"] == "job 😀" and job["request"]["programArgsList"] == args
    log = [json.loads(line) for line in gateway.log(jid).splitlines()]
    assert ascii(["smile-ж.py", *args]) in [line["event"] for line in log]
    [settings] = [line["settings"] for line in log if line["event"] == "settings"]
    assert settings["spark.smile"]["value"] == "😀" and settings["args"]["value"] == args


def test_secrets_reach_no_reader_and_no_log(gateway: GatewayServer) -> None:
    """Neither by the request, nor by what the job says of them as it fails."""
    script = (
        "import sys\nprint('as', sys.argv[2])\nraise ValueError(f'no {sys.argv[2]} at http://me:{sys.argv[2]}@host')\n"
    )
    id = gateway.upload("leaks.py", script)
    given = {
        "programArgsList": ["--password", "hunter2x", "--db=postgresql://me:hunter2x@host/db", "-Dtoken=hunter2x"],
        "flinkConfiguration": {
            "spark.my.token": "hunter2x",
            "spark.driver.extraJavaOptions": "-Dtrust.password=hunter2x -Da=b",
            "spark.my.place": "s3://me:hunter2x@bucket/x",
            "spark.my.query": "https://host/x?page=2&password=hunter2x",
        },
        "checkpointDir": "s3a://me:hunter2x@bucket/x",
        "savepointPath": "https://host/x?token=hunter2x",
    }
    answer = gateway.client.post(f"/artifacts/{id}/run", json=given)
    assert answer.status_code == 200, answer.text
    jid = answer.json()["jobid"]
    job = gateway.until_state(jid, "FAILED")
    assert job["request"]["flinkConfiguration"]["spark.driver.extraJavaOptions"] == "-Dtrust.password=[hidden] -Da=b"
    assert job["request"]["checkpointDir"] == job["checkpoint"] == "s3a://[hidden]@bucket/x"
    assert "no [hidden] at http://[hidden]@host" in job["error"]
    for page in ("", "/exceptions", "/checkpoints", "/logs?lines=1000", "/metrics"):
        assert "hunter2x" not in gateway.client.get(f"/jobs/{jid}{page}").text, page
    assert "as [hidden]" in gateway.log(jid)
    assert "hunter2x" not in gateway.client.get("/jobs/overview").text
    assert "hunter2x" not in gateway.run.err
    refused = gateway.client.post(f"/artifacts/{id}/run", json={"launcher": "postgresql://me:hunter2x@host"})
    assert refused.status_code == 400 and "hunter2x" not in refused.text


def test_an_error_with_half_a_character(gateway: GatewayServer) -> None:
    """As names of files have, whose bytes are no UTF-8."""
    script = 'import sys\nprint("name \\udcff", file=sys.stderr)\nraise ValueError("cannot read \\udcff.csv")\n'
    jid = gateway.submit(script)
    job = gateway.until_state(jid, "FAILED")
    assert "cannot read ?.csv" in job["error"] or "cannot read \\udcff.csv" in job["error"], job["error"]
    assert gateway.client.get(f"/jobs/{jid}/exceptions").status_code == 200


@pytest.mark.long
@pytest.mark.parametrize(
    "event",
    [
        {"event": "exit", "logger": "datastream", "code": 0},
        {"event": "figures", "logger": "datastream", "code": 0, "snapshot": {}, "mark": "0" * 24},
        {"event": "figures", "logger": "datastream", "code": 10**30, "snapshot": [], "plan": 7},
        {"event": "failed", "logger": "datastream", "level": "error", "error": ["no text"]},
    ],
)
def test_a_job_that_prints_what_the_runner_logs(gateway: GatewayServer, event: dict[str, Any]) -> None:
    """It is not taken for the driver's last word: the driver was killed."""
    script = f"import os\nprint({json.dumps(json.dumps(event))}, flush=True)\nos.kill(os.getpid(), 9)\n"
    jid = gateway.submit(script)
    assert gateway.until(jid, lambda job: job["attempt"] > 1)["end-time"] == -1
    gateway.cancel(jid)


@pytest.mark.long
def test_a_driver_does_not_take_the_gateways_environment(own_gateway: Callable[..., GatewayServer]) -> None:
    strange = {"DATASTREAM_NAME": "strange", "DATASTREAM_CHECKPOINT_DIR": "/nowhere/at/all"}
    gateway = own_gateway(environment=strange)
    jid = gateway.submit(WORDS, name="mine")
    job = gateway.until_state(jid, "FINISHED", "FAILED")
    assert (job["state"], job["name"]) == ("FINISHED", "mine")
    assert job["checkpoint"].startswith(str(gateway.data))


def test_arguments_of_a_plan_are_in_no_list_of_processes(gateway: GatewayServer) -> None:
    id = gateway.upload("slow.py", "import time\ntime.sleep(4)\n" + WORDS)
    answer: list[int] = []

    def plan() -> None:
        said = gateway.client.post(f"/artifacts/{id}/plan", json={"programArgsList": ["--password", "hunter2"]})
        answer.append(said.status_code)

    asking = threading.Thread(target=plan)
    asking.start()
    lines: list[str] = []
    gateway.run.until(lambda: bool(lines.extend(plans()) or lines), "process that makes the plan")
    asking.join(60)
    assert answer == [200] and "hunter2" not in " ".join(lines)


def plans() -> list[str]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            line = " ".join(process.cmdline())
            if "plan_of" in line:
                found.append(line)
    return found


@pytest.mark.long
def test_a_ready_driver_takes_the_next_job(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway("--pool", "1")
    gateway.until_pool_is_ready()
    jid = gateway.submit(WORDS)
    assert gateway.client.get("/overview").json()["launchers"][0]["pool"]["ready"] == 0
    gateway.until_state(jid, "FINISHED")
    gateway.until_pool_is_ready()


def wait_for_savepoint(gateway: GatewayServer, jid: str, request: str) -> dict[str, Any]:
    """Wait until a savepoint has been taken, or has failed."""
    found: dict[str, Any] = {}

    def done() -> bool:
        answer = gateway.client.get(f"/jobs/{jid}/savepoints/{request}")
        assert answer.status_code == 200, answer.text
        found.update(answer.json())
        return bool(found["status"]["id"] == "COMPLETED")

    gateway.run.until(done, "savepoint")
    return found
