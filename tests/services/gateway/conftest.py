from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.processes import Run, Runs, datastream
from tests.support.waiting import USUAL_LIMIT_S, wait_until

#: Counts without end, an epoch a second, and gives nothing.
COUNT = """
from pyflink.datastream import StreamExecutionEnvironment
from datastream import WatermarkStrategy
from datastream.connectors import DataGeneratorSource, DiscardingSink

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.enable_checkpointing(1000)
numbers = env.from_source(DataGeneratorSource(int, rate_per_second=500), WatermarkStrategy.no_watermarks(), "numbers")
pairs = numbers.map(lambda n: (n % 7, 1)).uid("pairs")
counts = pairs.key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).uid("counts")
counts.sink_to(DiscardingSink())
env.execute("count")
"""

#: Has a driver, and starts no Spark.
SLEEP = "import time\ntime.sleep(1000)\n"

#: Ends by itself.
WORDS = """
import sys
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(sys.argv[1:] or ["nothing"]).print()
env.execute("words")
"""

#: Fails at its third record.
WRONG = """
from pyflink.datastream import StreamExecutionEnvironment

def divide(n):
    return 1 // (n - 3)

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2, 3]).map(divide).print()
env.execute("wrong")
"""


class GatewayServer:
    """A gateway as a process, and its HTTP client.

    Args:
        runs: Its processes.
        data: Its folder.
        options: Of ``datastream-gateway serve``.
        environment: Of its process.
    """

    def __init__(self, runs: Runs, data: Path, *options: str, environment: dict[str, str | None] | None = None) -> None:
        self._runs, self.data, self._options, self._environment = runs, data, options, environment
        self._port = "0"
        self.run: Run
        self.start()
        self.token = self.command("token", "create", "--name", "tests", "--scope", "write").succeed().strip()
        self.client = httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {self.token}"}, timeout=60)

    def start(self) -> None:
        """Start it; once more on the same port."""
        command = ("serve", "--port", self._port, *self._options)
        self.run = self.command(*command)
        self.run.until(lambda: "listens on" in self.run.err, "listening gateway")
        self.url = self.run.err.partition("listens on ")[2].partition(",")[0]
        self._port = self.url.rpartition(":")[2]
        self.run.until(lambda: httpx.get(self.url + "/healthz").status_code == 200, "answer")

    def close(self) -> None:
        """Close its client; its process ends with its `Runs`."""
        self.client.close()

    def command(self, *args: str) -> Run:
        """Run ``datastream-gateway ARGS`` on its data."""
        where = args[:2] if args[0] == "token" else args[:1]
        rest = args[len(where) :]
        line = [datastream()[0], "-m", "datastream.services.gateway", *where, "--data", str(self.data), *rest]
        return self._runs.start(*line, environment=self._environment)

    def upload(self, name: str, content: str | bytes) -> str:
        """Upload an artifact; its id."""
        answer = self.client.post("/artifacts/upload", params={"name": name}, content=content)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["id"])

    def submit(self, script: str, **request: Any) -> str:
        """Run a script; the job's id."""
        answer = self.client.post(f"/artifacts/{self.upload('job.py', script)}/run", json=request)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["jobid"])

    def job(self, jid: str) -> dict[str, Any]:
        """A job."""
        answer = self.client.get(f"/jobs/{jid}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def until(
        self, jid: str, holds: Callable[[dict[str, Any]], bool], limit_s: float = USUAL_LIMIT_S
    ) -> dict[str, Any]:
        """Wait until something holds of a job; the job."""

        def look() -> dict[str, Any] | None:
            job = self.job(jid)
            return job if holds(job) else None

        def told() -> str:
            return f"{json.dumps(self.job(jid))[:3000]}\n{self.log(jid)}\n{self.run.told()}"

        found = wait_until(look, "such a job", limit_s, 0.1, told)
        assert found is not None
        return found

    def until_state(self, jid: str, *states: str) -> dict[str, Any]:
        """Wait until a job is in one of some states."""
        return self.until(jid, lambda job: job["state"] in states)

    def until_epoch(self, jid: str, epoch: int = 0) -> dict[str, Any]:
        """Wait until a job has committed an epoch."""
        return self.until(jid, lambda job: job["epoch"] is not None and job["epoch"] >= epoch)

    def cancel(self, jid: str) -> None:
        """Cancel a job and wait for its end."""
        assert self.client.patch(f"/jobs/{jid}").status_code == 202
        self.until_state(jid, "CANCELED")

    def active(self) -> set[str]:
        """The jobs that have not ended."""
        return {job["jid"] for job in self.client.get("/jobs/overview").json()["jobs"] if job["end-time"] < 0}

    def end(self, jobs: set[str]) -> None:
        """Cancel jobs and wait for their ends."""
        for jid in jobs:
            self.client.patch(f"/jobs/{jid}")
        for jid in jobs:
            self.until(jid, lambda job: job["end-time"] >= 0)

    def log(self, jid: str) -> str:
        """The latest lines of a job's log."""
        return self.client.get(f"/jobs/{jid}/logs", params={"lines": 50}).text

    def until_pool_is_ready(self) -> None:
        """Wait until a driver is ready for the next job."""
        launcher = lambda: self.client.get("/overview").json()["launchers"][0]  # noqa: E731
        self.run.until(lambda: launcher()["pool"]["ready"] > 0, "ready driver")


@pytest.fixture(scope="session")
def shared_gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayServer]:
    """A gateway that tests share. No driver is made ready: each would start Spark, which many of the jobs do not."""
    folder = tmp_path_factory.mktemp("gateway")
    runs = Runs(folder)
    try:
        with closing(
            GatewayServer(runs, folder / "data", "--pool", "0", "--max-jobs", "5", "--max-writes", "1000")
        ) as gateway:
            yield gateway
    finally:
        runs.end()


@pytest.fixture
def gateway(shared_gateway: GatewayServer) -> Iterator[GatewayServer]:
    """The shared gateway; jobs that a test has begun and leaves are cancelled."""
    before = shared_gateway.active()
    yield shared_gateway
    shared_gateway.end(shared_gateway.active() - before)


@pytest.fixture
def own_gateway(tmp_path: Path) -> Iterator[Callable[..., GatewayServer]]:
    """Makes gateways of the test's own."""
    runs = Runs(tmp_path)
    made: list[GatewayServer] = []

    def make(*options: str, **more: Any) -> GatewayServer:
        made.append(GatewayServer(runs, tmp_path / "data", "--pool", "0", *options, **more))
        return made[-1]

    try:
        yield make
    finally:
        for gateway in made:
            gateway.close()
        runs.end()
