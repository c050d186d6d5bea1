"""Launches for tests of launchers, and an engine to try them on."""

from __future__ import annotations

import json
import os
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from datastream.services.gateway.launchers.docker import DockerLauncher
from datastream.services.gateway.launchers.docker_settings import DockerSettings
from datastream.services.gateway.launchers.launcher import Alive, Ended, Launch, Launcher, State
from tests.support.servers.unavailable import UnavailableError
from tests.support.waiting import wait_until

#: Of the drivers; `scripts/compose build` makes it.
IMAGE = os.environ.get("DATASTREAM_TEST_IMAGE", "datastream")

#: Ends once it has counted the words that it gets.
WORDS = """
import sys
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
words = env.from_collection(sys.argv[1:])
words.map(lambda word: (word, 1)).key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).print()
env.execute("words")
"""
#: Goes on, and prints as it does.
ENDLESS = """
from pyflink.datastream import StreamExecutionEnvironment
from datastream import WatermarkStrategy
from datastream.connectors import DataGeneratorSource
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
source = DataGeneratorSource(lambda n: f"number {n}", rate_per_second=5)
env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").print()
env.execute("endless")
"""
#: Wants more memory than it gets.
GREEDY = """
held = []
while True:
    held.append(bytearray(b"x" * (64 << 20)))
"""


def settings_with_image(**given: Any) -> DockerSettings:
    """Settings of a launcher whose engine answers and has the image.

    Raises:
        UnavailableError: It does not, or has not.
    """
    settings = DockerSettings(
        **{"image": IMAGE, "gateway": "tests", "savepoints": "datastream-test-savepoints", **given}
    )
    launcher = DockerLauncher(settings)
    reason = launcher.availability()
    launcher.close()
    if reason is not None:
        raise UnavailableError(reason)
    return settings


def launch_of(
    folder: Path, text: str, *args: str, name: str = "job.py", attempt: int = 1, job: str | None = None, **settings: Any
) -> Launch:
    """A launch of a script.

    Args:
        folder: For its files.
        text: The script.
        args: The script's.
        name: The script's.
        attempt: Number of the attempt.
        job: Id of the job; None: a new one.
        settings: Of the runner.
    """
    artifact = folder / name
    artifact.write_text(text)
    job = job or uuid.uuid4().hex
    own = folder / job
    own.mkdir(exist_ok=True)
    given = {"args": list(args), "executor": "local", **settings}
    return Launch(job, attempt, artifact, "script", own, given, "s3cret-" + job)


def until_committed(launcher: Launcher, launch: Launch) -> None:
    """Wait until a driver has committed two epochs with records, so the first of them never runs again.

    An epoch is reported before Spark notes it: one that is reported may run again, and what it prints is printed twice.
    """

    def committed() -> bool:
        state = launcher.state(launch)
        assert isinstance(state, Alive), state
        if state.url is None:
            return False
        request = Request(f"{state.url}/job", headers={"Authorization": f"Bearer {launch.control_token}"})
        with suppress(OSError), urlopen(request, timeout=10) as answer:
            return sum(epoch["records_in"] > 0 for epoch in json.load(answer).get("last_epochs", ())) > 1
        return False

    wait_until(committed, "committed epoch")


def until_ended(launcher: Launcher, launch: Launch) -> Ended:
    """Wait for the end of a driver."""

    def ended() -> State | None:
        state = launcher.state(launch)
        return state if isinstance(state, Ended) else None

    found = wait_until(ended, "end")
    assert isinstance(found, Ended)
    return found
