"""Drivers in containers of a real engine."""

from __future__ import annotations

import gc
import json
import os
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import docker
import pytest
from docker.errors import NotFound

from datastream.errors import ValidationError
from datastream.services.gateway.launchers.docker import DockerLauncher, container_name
from datastream.services.gateway.launchers.docker_settings import DockerSettings
from datastream.services.gateway.launchers.launcher import Absent, Alive, Ended, EngineAway, Launch
from datastream.services.gateway.launchers.refusal import LaunchRefused
from tests.services.gateway.docker_drivers import (
    ENDLESS,
    GREEDY,
    WORDS,
    launch_of,
    settings_with_image,
    until_committed,
    until_ended,
)
from tests.support.servers.choice import FORCE
from tests.support.waiting import wait_until

# Docker's client leaves sockets that it has closed, or could not connect, to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """They go while their warnings are not heard."""
    yield
    gc.collect()


Launches = Callable[..., Launch]
ON_SPARK = {"executor": "spark", "checkpoint-dir": "/checkpoints/job/checkpoint"}


@pytest.fixture
def engine() -> Iterator[Any]:
    """The engine that the launcher uses; tests without one are skipped, or fail where they are required."""
    if os.environ.get(FORCE) == "process":
        pytest.skip(f"{FORCE}=process: containers are tested in a run of their own")
    settings_with_image()
    client = docker.from_env()
    yield client
    client.close()


@pytest.fixture
def launchers(engine: Any) -> Iterator[Callable[..., DockerLauncher]]:
    made: list[DockerLauncher] = []

    def make(**settings: Any) -> DockerLauncher:
        made.append(DockerLauncher(settings_with_image(**settings)))
        return made[-1]

    yield make
    for launcher in made:
        launcher.close()


@pytest.fixture
def launches(engine: Any, tmp_path: Path) -> Iterator[Launches]:
    """Makes launches, and removes what is left of them."""
    jobs: set[str] = set()

    def make(*args: Any, **settings: Any) -> Launch:
        launch = launch_of(tmp_path, *args, **settings)
        jobs.add(launch.job)
        return launch

    yield make
    launcher = DockerLauncher(settings_with_image())
    for job in jobs:
        launcher.forget(job, tmp_path / job)
    launcher.close()
    with suppress(NotFound):
        engine.volumes.get("datastream-test-savepoints").remove()


def get(url: str, path: str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(url + path, timeout=10) as answer:
            return answer.status, json.load(answer)
    except OSError:
        return 0, None


def test_a_job_on_spark_runs_to_its_end(launchers: Any, launches: Launches) -> None:
    launcher = launchers()
    launch = launches(WORDS, "to", "be", "--or", "not to", "be", **ON_SPARK)
    assert launcher.state(launch) == Absent()
    launcher.start(launch)
    assert isinstance(launcher.state(launch), Alive)
    assert until_ended(launcher, launch) == Ended(0, None)
    lines = list(launcher.lines(launch, None, None))
    assert [line for line in lines if line.startswith("(")] == [
        "('to', 1)",
        "('be', 1)",
        "('--or', 1)",
        "('not to', 1)",
        "('be', 2)",
    ]
    assert json.loads(lines[-1])["event"] == "exit"
    assert list(launcher.lines(launch, 1, None)) == lines[-1:]


def test_another_gateway_finds_the_driver(launchers: Any, launches: Launches, engine: Any) -> None:
    launch = launches(ENDLESS, name="my job (1) é.py")
    launchers().start(launch)
    launcher = launchers()
    launcher.start(launch)
    state = launcher.state(launch)
    assert isinstance(state, Alive) and state.url is not None
    wait_until(lambda: get(state.url, "/readyz")[0] == 200, "ready driver")
    assert (launcher.memory(launch) or 0) > 10 << 20
    assert "endless" in json.dumps(get(state.url, "/"))
    labels = {"label": f"datastream.job={launch.job}"}
    (container,) = engine.containers.list(filters=labels)
    assert container.name == container_name(launch)
    assert container.labels == {
        **container.labels,
        "datastream.attempt": "1",
        "datastream.gateway": "tests",
    }
    assert launch.control_token not in json.dumps(container.attrs)
    launcher.kill(launch)
    assert until_ended(launcher, launch) == Ended(None, "the container was killed (SIGKILL)")
    launcher.kill(launch)
    launcher.start(launch)
    assert isinstance(launcher.state(launch), Ended)


def test_containers_have_no_more_rights_than_they_need(launchers: Any, launches: Launches, engine: Any) -> None:
    launch = launches(ENDLESS)
    launchers(memory="1g", cpus="1.5").start(launch)
    attrs = engine.containers.get(container_name(launch)).attrs
    host = attrs["HostConfig"]
    assert host["ReadonlyRootfs"] and host["CapDrop"] == ["ALL"] and host["PidsLimit"] == 2048
    assert host["SecurityOpt"] == ["no-new-privileges:true"]
    assert host["Memory"] == host["MemorySwap"] == 1 << 30 and host["NanoCpus"] == 1_500_000_000
    assert host["RestartPolicy"]["Name"] in ("", "no")
    assert host["LogConfig"] == {"Type": "json-file", "Config": {"max-file": "3", "max-size": "10m"}}
    assert attrs["Config"]["User"] == "10001:10001"
    assert [port["HostIp"] for port in attrs["NetworkSettings"]["Ports"]["9249/tcp"]] == ["127.0.0.1"]


def test_the_next_attempt_continues_on_the_checkpoint(launchers: Any, launches: Launches) -> None:
    launcher = launchers()
    first = launches(ENDLESS, **ON_SPARK)
    launcher.start(first)
    until_committed(launcher, first)
    launcher.kill(first)
    until_ended(launcher, first)
    second = launches(ENDLESS, attempt=2, job=first.job, **ON_SPARK)
    launcher.start(second)
    wait_until(lambda: any(line.startswith("number ") for line in launcher.lines(second, None, None)), "output")
    printed = [line for line in launcher.lines(second, None, None) if line.startswith("number ")]
    assert printed[0] != "number 0"
    assert isinstance(launcher.state(first), Ended)
    launcher.kill(second)


def test_a_log_is_followed_until_nobody_wants_it(launchers: Any, launches: Launches) -> None:
    launcher = launchers()
    launch = launches(ENDLESS)
    wanted = threading.Event()
    wanted.set()
    launcher.start(launch)
    seen = []
    for line in launcher.lines(launch, None, wanted.is_set):
        seen.append(line)
        if line == "number 10":
            wanted.clear()
    assert "number 9" in seen

    followed = launcher.lines(launch, 2, lambda: True)
    assert next(followed) != ""
    launcher.kill(launch)
    list(followed)  # ends with the container
    assert threading.active_count() < 20


def test_a_log_that_is_left_lets_go_of_the_engine(launchers: Any, launches: Launches) -> None:
    launcher = launchers()
    launch = launches(ENDLESS)
    launcher.start(launch)
    for _ in range(30):
        followed = launcher.lines(launch, 1, lambda: True)
        next(followed)
        followed.close()
    names = [thread.name for thread in threading.enumerate()]
    assert names.count("datastream-container-log") == 0
    launcher.kill(launch)


def test_the_log_of_a_removed_container_stays(launchers: Any, launches: Launches, engine: Any) -> None:
    launcher = launchers()
    launch = launches(WORDS, "be")
    launcher.start(launch)
    ended = until_ended(launcher, launch)
    before = list(launcher.lines(launch, None, None))
    launcher.remove(launch)
    launcher.remove(launch)
    with pytest.raises(NotFound):
        engine.containers.get(container_name(launch))
    assert launcher.state(launch) == ended
    launcher.start(launch)
    assert launcher.state(launch) == ended
    assert list(launcher.lines(launch, None, None)) == before
    assert list(launcher.lines(launch, 1, None)) == before[-1:]
    launcher.kill(launch)


def test_a_job_that_is_forgotten_leaves_nothing(launchers: Any, launches: Launches, engine: Any) -> None:
    launcher = launchers()
    launch = launches(WORDS, "be")
    launcher.start(launch)
    until_ended(launcher, launch)
    assert engine.volumes.list(filters={"label": f"datastream.job={launch.job}"})
    launcher.forget(launch.job, launch.folder)
    launcher.forget(launch.job, launch.folder)
    assert not engine.volumes.list(filters={"label": f"datastream.job={launch.job}"})
    assert not engine.containers.list(all=True, filters={"label": f"datastream.job={launch.job}"})


def test_out_of_memory_is_told(launchers: Any, launches: Launches) -> None:
    launcher = launchers(memory="300m")
    launch = launches(GREEDY)
    launcher.start(launch)
    ended = until_ended(launcher, launch)
    assert ended.reason is not None and ended.reason.startswith("out of memory")
    assert "300m" in ended.reason


def test_a_job_that_is_wrong_has_its_exit_code(launchers: Any, launches: Launches) -> None:
    launcher = launchers()
    launch = launches("raise SystemExit(7)")
    launcher.start(launch)
    assert until_ended(launcher, launch) == Ended(7, None)


def test_names_of_a_network(launchers: Any, launches: Launches, engine: Any) -> None:
    network = engine.networks.create("datastream-test-names")
    try:
        launcher = launchers(network="datastream-test-names", reach="name")
        launch = launches(ENDLESS)
        launcher.start(launch)
        assert launcher.state(launch) == Alive(f"http://{container_name(launch)}:9249")
        container = engine.containers.get(container_name(launch))
        assert not container.attrs["NetworkSettings"]["Ports"].get("9249/tcp")
        asked = ["python", "-c", f"import socket; socket.create_connection(('{container.name}', 9249), 1)"]
        wait_until(lambda: container.exec_run(asked).exit_code == 0, "answer by name")
        launcher.forget(launch.job, launch.folder)
    finally:
        network.remove()


def test_a_driver_that_cannot_start_is_refused(launchers: Any, launches: Launches) -> None:
    launcher = launchers(network="datastream-no-such-network")
    launch = launches(WORDS)
    with pytest.raises(LaunchRefused, match="datastream-no-such-network"):
        launcher.start(launch)
    assert launcher.state(launch) == Absent()


def test_a_gateway_that_was_killed_before_the_start_starts_the_driver(
    launchers: Any, launches: Launches, engine: Any
) -> None:
    launcher = launchers()
    launch = launches(WORDS, "be")
    launcher._create(engine, launch)
    assert launcher.state(launch) == Absent()
    launcher.start(launch)
    assert until_ended(launcher, launch) == Ended(0, None)


def test_an_image_that_is_missing_is_named(engine: Any, launches: Launches) -> None:
    launcher = DockerLauncher(DockerSettings(image="datastream-no-such-image"))
    reason = launcher.availability()
    assert reason is not None and "datastream-no-such-image" in reason and "DATASTREAM_GATEWAY_DOCKER_IMAGE" in reason
    with pytest.raises(LaunchRefused, match="datastream-no-such-image"):
        launcher.start(launches(WORDS))
    launcher.close()


@pytest.mark.parametrize("host", ["tcp://127.0.0.1:1", "unix:///no/such/docker.sock", "nonsense"])
def test_an_engine_that_is_away(host: str, tmp_path: Path) -> None:
    launcher = DockerLauncher(DockerSettings(host=host))
    launch = launch_of(tmp_path, WORDS)
    reason = launcher.availability()
    assert reason is not None and host in reason and "DATASTREAM_GATEWAY_DOCKER_HOST" in reason
    calls: list[Callable[[], Any]] = [
        lambda: launcher.start(launch),
        lambda: launcher.state(launch),
        lambda: launcher.kill(launch),
        lambda: launcher.memory(launch),
        lambda: launcher.remove(launch),
        lambda: launcher.forget(launch.job, launch.folder),
        lambda: list(launcher.lines(launch, None, None)),
    ]
    for call in calls:
        with pytest.raises(EngineAway):
            call()
    launcher.close()
    gc.collect()


def test_settings_by_environment() -> None:
    found = DockerSettings.from_environment(
        {
            "DATASTREAM_GATEWAY_DOCKER_IMAGE": "orders:3",
            "DATASTREAM_GATEWAY_DOCKER_MOUNTS": "/data:/data:ro, models:/models",
            "DATASTREAM_GATEWAY_DOCKER_MEMORY": "",
            "PATH": "/bin",
        }
    )
    assert found == DockerSettings(image="orders:3", mounts=("/data:/data:ro", "models:/models"))


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("MEMORY", "much", "expected a size such as 2g, got 'much'"),
        ("USER", "root", "expected numbers"),
        ("NETWORK", "host", "need a network of containers"),
        ("REACH", "name", "name one"),
        ("MOUNTS", "relative", "expected SOURCE:TARGET"),
        ("IMGE", "x", "did you mean DATASTREAM_GATEWAY_DOCKER_IMAGE?"),
    ],
)
def test_wrong_settings_are_named(variable: str, value: str, expected: str) -> None:
    with pytest.raises(ValidationError, match=expected.replace("?", r"\?")):
        DockerSettings.from_environment({f"DATASTREAM_GATEWAY_DOCKER_{variable}": value})
