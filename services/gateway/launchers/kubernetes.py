"""Drivers in pods: one for each attempt, with a secret that holds its artifact and its settings."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from datastream.errors import ValidationError
from datastream.kubernetes.cluster import Cluster, ClusterAway, ClusterRefused
from datastream.kubernetes.driver_pod import PORT
from datastream.kubernetes.log_lines import split_lines
from datastream.kubernetes.pod_state import address_of, end_of

from .container_log import followed
from .ended import read_ended, write_ended
from .kubernetes_settings import PREFIX, KubernetesSettings
from .launcher import Absent, Alive, Ended, EngineAway, Launch, State
from .pods import is_fetched, object_name, pod_of, secret_of
from .processes import log_file, read_lines
from .refusal import LaunchRefused

_STARTS_S = 1.0


class KubernetesLauncher:
    """Starts drivers as pods.

    Args:
        settings: None: those of the environment.
        make_token: Makes a short-lived token of a name, by which a pod fetches the artifact of an id and nothing else.

    Raises:
        ValidationError: A setting is wrong.
    """

    name = "kubernetes"

    def __init__(
        self, settings: KubernetesSettings | None = None, make_token: Callable[[str, str], str] | None = None
    ) -> None:
        self._settings = settings or KubernetesSettings.from_environment()
        self._make_token = make_token
        self._cluster = Cluster(self._settings.namespace, self._settings.context)

    def availability(self) -> str | None:
        given = self._settings
        if given.claim is None and given.checkpoints is None:
            return f"pods need a place for checkpoints: set {PREFIX}CLAIM or {PREFIX}CHECKPOINTS"
        try:
            self._cluster.pods("datastream/job", limit=1)
            if given.claim is not None and self._cluster.claim(given.claim) is None:
                return f"there is no PersistentVolumeClaim {given.claim!r} in namespace {given.namespace!r}"
        except ClusterRefused as error:
            return f"Kubernetes refuses, in namespace {given.namespace!r}: {error}"
        except ClusterAway as error:
            return str(error)
        return None

    def checkpoint_dir(self, folder: Path) -> str:
        return f"{self._settings.checkpoints or '/checkpoints'}/{folder.name}/checkpoint"

    def savepoint_dir(self, job: str, folder: Path) -> str:
        return f"{self._settings.checkpoints or '/checkpoints'}/savepoints/{job}"

    def start(self, launch: Launch) -> None:
        if read_ended(launch) is not None:
            return
        with _away():
            if self._cluster.pod(object_name(launch)) is not None:
                return
            try:
                pod = pod_of(launch, self._settings)
                token = self._token(launch)
                # A gateway that was killed may have left it.
                self._cluster.put_secret(secret_of(launch, self._settings, token))
                self._cluster.create_pod(pod)
            except ValidationError as error:
                raise LaunchRefused(str(error)) from error
            except ClusterRefused as error:
                if error.status == 409:
                    return  # another thread was faster
                with suppress(ClusterRefused):
                    self._cluster.delete_secret(object_name(launch))
                raise LaunchRefused(f"Kubernetes did not take the driver's pod: {error}") from error

    def state(self, launch: Launch) -> State:
        with _away():
            pod = self._cluster.pod(object_name(launch))
        if pod is None:
            return read_ended(launch) or Absent()
        state = state_of(pod)
        # A driver that is killed may still find the time to end in peace.
        return read_ended(launch) or state if isinstance(state, Ended) else state

    def kill(self, launch: Launch) -> None:
        with _away():
            pod = self._cluster.pod(object_name(launch))
            if pod is None:
                return
            self._save_log(launch)
            state = state_of(pod)
            write_ended(launch, state if isinstance(state, Ended) else Ended(None, "the pod was killed"))
            self._cluster.delete_pod(object_name(launch), grace_s=1)

    def memory(self, launch: Launch) -> int | None:
        return None

    def lines(self, launch: Launch, last: int | None, follow: Callable[[], bool] | None) -> Iterator[str]:
        with _away():
            while True:
                if self._cluster.pod(object_name(launch)) is None:
                    yield from read_lines(log_file(launch), last, follow)
                    return
                try:
                    stream = self._cluster.log(object_name(launch), last, follow is not None)
                    break
                except ClusterRefused as error:
                    if error.status not in (400, 404):
                        raise
                    # Its container has not started.
                    if follow is None or not follow():
                        return
                yield ""
                time.sleep(_STARTS_S)
            if follow is None:
                try:
                    yield from split_lines(stream)
                finally:
                    stream.close()
            else:
                yield from followed(stream, follow)

    def remove(self, launch: Launch) -> None:
        with _away():
            pod = self._cluster.pod(object_name(launch))
            if pod is not None:
                state = state_of(pod)
                if isinstance(state, Ended):
                    self._save_log(launch)
                    write_ended(launch, state)
                self._cluster.delete_pod(object_name(launch), grace_s=1)
            self._cluster.delete_secret(object_name(launch))

    def forget(self, job: str, folder: Path) -> None:
        """Deletes the job's pods and secrets. What lies in the claim or the directory of checkpoints stays."""
        labels = f"datastream/job={job}"
        with _away():
            for pod in self._cluster.pods(labels):
                self._cluster.delete_pod(pod["metadata"]["name"], grace_s=1)
            self._cluster.delete_secrets(labels)

    def pool(self) -> tuple[int, int] | None:
        return None

    def close(self) -> None:
        self._cluster.close()

    def _token(self, launch: Launch) -> str | None:
        """By which the pod fetches its artifact, if it does."""
        if self._make_token is None or not is_fetched(launch):
            return None
        return self._make_token(object_name(launch), launch.artifact.parent.name)

    def _save_log(self, launch: Launch) -> None:
        """Keep the log of a pod that is deleted, as far as it can be had."""
        file = log_file(launch)
        temporary = file.with_name(f".{file.name}.new")
        with suppress(ClusterRefused):
            stream = self._cluster.log(object_name(launch), None, False)
            with temporary.open("w", encoding="utf-8") as out:
                out.writelines(line + "\n" for line in split_lines(stream))
            stream.close()
            os.replace(temporary, file)


def state_of(pod: dict[str, Any]) -> State:
    """The state of an attempt by its pod."""
    ended = end_of(pod, f"raise {PREFIX}MEMORY or lower its needs")
    if ended is not None:
        return Ended(ended.code, ended.reason)
    host = address_of(pod)
    return Alive(None if host is None else f"http://{host}:{PORT}")


@contextmanager
def _away() -> Iterator[None]:
    """Raises:
    EngineAway: The cluster does not answer, or its roles do not let us do this.
    """
    try:
        yield
    except ClusterAway as error:
        raise EngineAway(str(error)) from error
    except ClusterRefused as error:
        raise EngineAway(f"Kubernetes refuses: {error}") from error
