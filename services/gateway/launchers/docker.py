"""Drivers in containers: one for each attempt, with a volume for each job.

All follows from the job's id and the attempt's number: the names of the container and of the volume. So a gateway that
starts again finds its drivers, and the engine itself sees that an attempt has one container.
"""

from __future__ import annotations

import json
import os
import tarfile
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from .container_log import container_lines
from .docker_settings import NAME, DockerSettings
from .ended import read_ended, write_ended
from .launcher import Absent, Alive, Ended, EngineAway, Launch, State
from .processes import log_file, read_lines
from .refusal import LaunchRefused

PORT = 9249
#: Of an answer of the engine. It writes an artifact to the disk before it answers.
_ANSWER_S = 20
#: Above the time that the runner allows for the epoch in progress.
_STOP_S = 30
_PIDS = 2048
_VOLUME = "/checkpoints"
_SAVEPOINTS = "/savepoints"
_KILLED = 137


class DockerLauncher:
    """Starts drivers as containers.

    Args:
        settings: None: those of the environment.

    Raises:
        ValidationError: A setting is wrong.
    """

    name = "docker"

    def __init__(self, settings: DockerSettings | None = None) -> None:
        self._settings = settings or DockerSettings.from_environment()
        self._lock = threading.Lock()
        self._client: Any = None

    def availability(self) -> str | None:
        from docker.errors import ImageNotFound

        image = self._settings.image
        try:
            with self._engine() as engine:
                engine.ping()
                engine.images.get(image)
        except ImageNotFound:
            return (
                f"the Docker engine has no image {image!r}: make or pull it (`docker build -t datastream .` in a "
                "checkout makes datastream), or name another one with DATASTREAM_GATEWAY_DOCKER_IMAGE"
            )
        except EngineAway as error:
            return str(error)
        return None

    def checkpoint_dir(self, folder: Path) -> str:
        return f"{_VOLUME}/job/checkpoint"

    def savepoint_dir(self, job: str, folder: Path) -> str:
        return f"{_SAVEPOINTS}/{job}"

    def start(self, launch: Launch) -> None:
        from docker.errors import APIError

        with self._engine() as engine:
            container = self._find(engine, launch)
            if (container is not None and container.status != "created") or read_ended(launch) is not None:
                return
            try:
                container = container or self._create(engine, launch)
                # A gateway that was killed may have left the container without them.
                self._fill(container, launch)
                container.start()
            except APIError as error:
                with suppress(APIError):
                    if container is not None:
                        container.remove(force=True)
                raise LaunchRefused(f"the Docker engine did not start the driver: {error.explanation}") from error

    def state(self, launch: Launch) -> State:
        with self._engine() as engine:
            container = self._find(engine, launch)
        # One that is only created waits for `start` to be called again.
        if container is None or container.status in ("created", "removing"):
            return read_ended(launch) or Absent()
        if container.status not in ("exited", "dead"):
            return Alive(self._url(container))
        return _ended(container.attrs, self._settings.memory)

    def kill(self, launch: Launch) -> None:
        with self._engine() as engine:
            container = self._find(engine, launch)
            if container is None:
                return
            with _gone_is_fine():
                if container.status == "created":
                    container.remove(force=True)
                else:
                    container.kill()

    def memory(self, launch: Launch) -> int | None:
        with self._engine() as engine:
            container = self._find(engine, launch)
            if container is None or container.status != "running":
                return None
            found = container.stats(stream=False, one_shot=True).get("memory_stats") or {}
        about = found.get("stats") or {}
        # Files that the kernel keeps in memory are not the driver's; the second name is that of older kernels' groups.
        cached = about.get("inactive_file", about.get("total_inactive_file", 0))
        return int(found["usage"] - cached) if "usage" in found else None

    def lines(self, launch: Launch, last: int | None, follow: Callable[[], bool] | None) -> Iterator[str]:
        with self._engine() as engine:
            container = self._find(engine, launch)
        if container is None:
            yield from read_lines(log_file(launch), last, follow)
            return
        with self._engine():
            yield from container_lines(container, last, follow)

    def remove(self, launch: Launch) -> None:
        with self._engine() as engine:
            container = self._find(engine, launch)
            if container is None:
                return
            if container.status in ("exited", "dead"):
                _save_log(container, log_file(launch))
                write_ended(launch, _ended(container.attrs, self._settings.memory))
            with _gone_is_fine():
                container.remove(force=True)

    def forget(self, job: str, folder: Path) -> None:
        """Removes the job's containers and its volume; its savepoints stay."""
        from docker.errors import NotFound

        with self._engine() as engine:
            for container in engine.containers.list(all=True, filters={"label": f"datastream.job={job}"}):
                with _gone_is_fine():
                    container.remove(force=True)
            with suppress(NotFound):
                engine.volumes.get(_volume_of(job)).remove()

    def pool(self) -> tuple[int, int] | None:
        return None

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    @contextmanager
    def _engine(self) -> Iterator[Any]:
        """A client of the engine.

        Raises:
            EngineAway: The engine does not answer, or has failed itself.
        """
        from docker.errors import APIError, DockerException

        where = self._settings.host or os.environ.get("DOCKER_HOST") or "its default address"
        try:
            yield self._connected()
        except APIError as error:
            if not error.is_server_error():
                raise
            raise EngineAway(f"the Docker engine at {where} failed: {error.explanation}") from error
        except (DockerException, OSError) as error:
            reason = " ".join(str(error).split())[:300]
            raise EngineAway(
                f"no Docker engine answers at {where}: {reason}. Start it, let this user reach it, or name another one "
                "with DATASTREAM_GATEWAY_DOCKER_HOST"
            ) from error

    def _connected(self) -> Any:
        import docker

        with self._lock:
            if self._client is None:
                with warnings.catch_warnings():
                    # Where no engine answers, docker leaves its socket to the garbage collector.
                    warnings.simplefilter("ignore", ResourceWarning)
                    variables = dict(os.environ)
                    if self._settings.host is not None:
                        variables["DOCKER_HOST"] = self._settings.host
                    self._client = docker.from_env(timeout=_ANSWER_S, environment=variables)
            return self._client

    def _find(self, engine: Any, launch: Launch) -> Any:
        from docker.errors import NotFound

        try:
            return engine.containers.get(container_name(launch))
        except NotFound:
            return None

    def _create(self, engine: Any, launch: Launch) -> Any:
        from docker.errors import APIError
        from docker.types import LogConfig, Mount

        given = self._settings
        mounts = [
            Mount(_VOLUME, _volume_of(launch.job), labels={"datastream.job": launch.job}),
            Mount(_SAVEPOINTS, given.savepoints),
        ]
        for text in given.mounts:
            source, target, *mode = text.split(":")
            mounts.append(Mount(target, source, "bind" if source[0] in "/." else "volume", read_only=mode == ["ro"]))
        options: dict[str, Any] = {
            "name": container_name(launch),
            "hostname": container_name(launch),
            "labels": {
                "datastream.job": launch.job,
                "datastream.attempt": str(launch.attempt),
                "datastream.gateway": given.gateway,
            },
            "mounts": mounts,
            "user": given.user,
            "read_only": True,
            "tmpfs": {"/tmp": f"exec,mode=1777,size={given.tmp}"},
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges:true"],
            "pids_limit": _PIDS,
            "mem_limit": given.memory,
            "memswap_limit": given.memory,
            "log_config": LogConfig(type=LogConfig.types.JSON, config={"max-size": "10m", "max-file": "3"}),
            "environment": {"DATASTREAM_PORT": str(PORT)},  # where the image's health check asks
        }
        if given.cpus is not None:
            options["nano_cpus"] = int(float(given.cpus) * 1e9)
        if given.network is not None:
            options["network"] = given.network
        if given.reach != NAME:
            options["ports"] = {f"{PORT}/tcp": ("127.0.0.1", None)}
        try:
            return engine.containers.create(given.image, ["--config", _config_in(launch)], **options)
        except APIError as error:
            if error.status_code == 409 and (found := self._find(engine, launch)) is not None:
                return found  # another thread was faster
            raise

    def _fill(self, container: Any, launch: Launch) -> None:
        """Give a container its artifact and its settings; the engine writes them into the volumes."""
        owner = self._settings.owner
        with tempfile.TemporaryFile() as packed:
            with tarfile.open(fileobj=packed, mode="w") as tar:
                for folder in ("job", "job/artifact", "job/runner"):
                    _add_folder(tar, folder, owner)
                with launch.artifact.open("rb") as artifact:
                    _add_file(tar, f"job/artifact/{launch.artifact.name}", artifact, owner)
                config = json.dumps(_runner_settings(launch)).encode()
                _add_file(tar, f"job/runner/{launch.attempt}.json", BytesIO(config), owner)
            packed.seek(0)
            container.put_archive(_VOLUME, packed)
        place = BytesIO()
        with tarfile.open(fileobj=place, mode="w") as tar:
            _add_folder(tar, launch.job, owner)
        container.put_archive(_SAVEPOINTS, place.getvalue())

    def _url(self, container: Any) -> str | None:
        if self._settings.reach == NAME:
            return f"http://{container.name}:{PORT}"
        published = (container.attrs["NetworkSettings"].get("Ports") or {}).get(f"{PORT}/tcp")
        return f"http://127.0.0.1:{published[0]['HostPort']}" if published else None


def container_name(launch: Launch) -> str:
    """Name of an attempt's container."""
    return f"datastream-{launch.job}-{launch.attempt}"


def _volume_of(job: str) -> str:
    return f"datastream-{job}"


def _config_in(launch: Launch) -> str:
    return f"{_VOLUME}/job/runner/{launch.attempt}.json"


def _runner_settings(launch: Launch) -> dict[str, Any]:
    return {
        **launch.settings,
        launch.kind: f"{_VOLUME}/job/artifact/{launch.artifact.name}",
        "address": "0.0.0.0",
        "port": PORT,
        "control-token": launch.control_token,
    }


def _ended(attrs: dict[str, Any], memory: str) -> Ended:
    state = attrs["State"]
    code: int = state["ExitCode"]
    if state.get("OOMKilled") and code:
        return Ended(
            None if code == _KILLED else code,
            f"out of memory: a process of the container was killed at its limit of {memory}; raise "
            "DATASTREAM_GATEWAY_DOCKER_MEMORY or lower the job's needs",
        )
    if code == _KILLED:
        return Ended(None, "the container was killed (SIGKILL)")
    return Ended(code, state.get("Error") or None)


def _add_folder(tar: tarfile.TarFile, name: str, owner: tuple[int, int]) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = tarfile.DIRTYPE, 0o700
    entry.uid, entry.gid = owner
    tar.addfile(entry)


def _add_file(tar: tarfile.TarFile, name: str, content: IO[bytes], owner: tuple[int, int]) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = content.seek(0, os.SEEK_END), 0o600
    entry.uid, entry.gid = owner
    content.seek(0)
    tar.addfile(entry, content)


def _save_log(container: Any, file: Path) -> None:
    """Keep the log of a container that is removed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.new")
    with temporary.open("w", encoding="utf-8") as out:
        out.writelines(line + "\n" for line in container_lines(container, None, None))
    os.replace(temporary, file)


@contextmanager
def _gone_is_fine() -> Iterator[None]:
    """A container that has ended, is gone, or is being removed by another client."""
    from docker.errors import APIError

    try:
        yield
    except APIError as error:
        if error.status_code not in (404, 409):
            raise
