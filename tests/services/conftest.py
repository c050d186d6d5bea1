from __future__ import annotations

import http.client
import json
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.processes import Run, Runs
from tests.support.waiting import PATIENCE_S

ABSENT_BROKER = """
from pyflink.common import SimpleStringSchema, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource
env = StreamExecutionEnvironment.get_execution_environment()
builder = KafkaSource.builder().set_bootstrap_servers("127.0.0.1:{port}").set_topics("t").set_group_id("g")
source = builder.set_value_only_deserializer(SimpleStringSchema()).build()
env.from_source(source, WatermarkStrategy.no_watermarks(), "orders").print()
env.execute("orders")
"""


#: What who may steer the job knows.
TOKEN = "0123456789-may-steer"


class Runner:
    """A runner as a process, and what it answers and logs."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def events(self, name: str) -> list[dict[str, Any]]:
        """The log's events of a name."""
        lines = (line for line in self.run.err.splitlines() if line.startswith("{") and line.endswith("}"))
        return [event for event in map(json.loads, lines) if event["event"] == name]

    def get(self, path: str) -> tuple[int, Any]:
        """Status and JSON of a page; 0 while nobody listens."""
        listening = self.events("listening")
        if not listening:
            return 0, None
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{listening[-1]['port']}{path}", timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, json.load(refused)
        except OSError:
            return 0, None

    def ask(
        self, path: str, body: Any = None, *, token: str | None = TOKEN, method: str | None = None
    ) -> tuple[int, Any]:
        """Status and JSON of a page or order that needs a token; a body, as bytes or for JSON, is posted."""
        port = self.events("listening")[-1]["port"]
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        try:
            connection.request(method or ("GET" if data is None else "POST"), path, data, headers)
            answer = connection.getresponse()
            return answer.status, json.load(answer)
        finally:
            connection.close()

    def job(self) -> dict[str, Any]:
        """The snapshot of the job."""
        status, found = self.ask("/job")
        assert status == 200
        return found  # type: ignore[no-any-return]

    def until_ready(self) -> None:
        self.run.until(lambda: self.get("/readyz")[0] == 200, "ready job")

    def kill_all(self) -> None:
        """Kill each of its processes at once, as the end of a container does."""
        for process in self.run.living():
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.run.process.wait()

    def terminate(self) -> int:
        """SIGTERM; the exit code."""
        self.run.process.terminate()
        return self.run.wait()


class Runners:
    """Starts runners in the test's folder, on a free port unless another is given."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs

    @property
    def folder(self) -> Path:
        return self.runs.folder

    def start(self, *args: object, **environment: str) -> Runner:
        command = [sys.executable, "-m", "datastream.services.runner", *args]
        return Runner(self.runs.start(*command, environment={"DATASTREAM_PORT": "0", **environment}))

    def local(self, *args: object, **environment: str) -> Runner:
        """One whose job runs without Spark."""
        return self.start("--executor", "local", *args, **environment)

    def steered(self, *args: object, **environment: str) -> Runner:
        """One that may be steered by HTTP, once it listens."""
        runner = self.start(*args, DATASTREAM_CONTROL_TOKEN=TOKEN, **environment)
        runner.run.until(lambda: bool(runner.events("listening")), "endpoints")
        return runner

    def script(self, text: str, name: str = "job.py") -> Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def reader_of_an_absent_broker(self) -> tuple[Path, int]:
        """A script whose source is Kafka's, and the port at which there is none."""
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        return self.script(ABSENT_BROKER.replace("{port}", str(port))), port


@pytest.fixture
def runners(tmp_path: Path) -> Iterator[Runners]:
    """Starts runners, and ends them with the test."""
    runs = Runs(tmp_path)
    yield Runners(runs)
    runs.end()
