"""Drivers in pods: one for each attempt, with a secret that holds its artifact and its settings."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from datastream.errors import ValidationError

from .container_log import followed, split_lines
from .ended import read_ended, write_ended
from .kubernetes_settings import PREFIX, KubernetesSettings
from .launcher import Absent, Alive, Ended, EngineAway, Launch, State
from .pods import PORT, is_fetched, object_name, pod_of, secret_of
from .processes import log_file, read_lines
from .refusal import LaunchRefused

_ANSWER_S = 10
_STARTS_S = 1.0
#: A log that is silent for longer is followed no more.
_FOLLOWED_S = 7 * 86_400
_KILLED = 137
_INVALID = 2
#: A pod that waits for one of these waits forever.
_HOPELESS = ("InvalidImageName", "ErrImageNeverPull", "ImagePullBackOff", "CreateContainerConfigError")


class KubernetesLauncher:
    """Starts drivers as pods.

    Args:
        settings: None: those of the environment.
        make_token: Makes a short-lived token that may read at the gateway, for pods that fetch their artifact.

    Raises:
        ValidationError: A setting is wrong.
    """

    name = "kubernetes"

    def __init__(
        self, settings: KubernetesSettings | None = None, make_token: Callable[[str], str] | None = None
    ) -> None:
        self._settings = settings or KubernetesSettings.from_environment()
        self._make_token = make_token
        self._lock = threading.Lock()
        self._client: Any = None

    def availability(self) -> str | None:
        from kubernetes.client import ApiException

        namespace = self._settings.namespace
        if self._settings.claim is None and self._settings.checkpoints is None:
            return f"pods need a place for checkpoints: set {PREFIX}CLAIM or {PREFIX}CHECKPOINTS"
        try:
            with self._api() as api:
                api.list_namespaced_pod(namespace, limit=1, _request_timeout=_ANSWER_S)
                if self._settings.claim is not None:
                    api.read_namespaced_persistent_volume_claim(
                        self._settings.claim, namespace, _request_timeout=_ANSWER_S
                    )
        except ApiException as error:
            return f"Kubernetes refuses, in namespace {namespace!r}: {_message(error)}"
        except EngineAway as error:
            return str(error)
        return None

    def checkpoint_dir(self, folder: Path) -> str:
        return f"{self._settings.checkpoints or '/checkpoints'}/{folder.name}/checkpoint"

    def savepoint_dir(self, job: str, folder: Path) -> str:
        return f"{self._settings.checkpoints or '/checkpoints'}/savepoints/{job}"

    def start(self, launch: Launch) -> None:
        from kubernetes.client import ApiException

        if read_ended(launch) is not None:
            return
        with self._api() as api:
            if self._find(api, launch) is not None:
                return
            try:
                pod = pod_of(launch, self._settings)
                token = self._make_token(object_name(launch)) if is_fetched(launch) and self._make_token else None
                self._put_secret(api, secret_of(launch, self._settings, token))
                api.create_namespaced_pod(self._settings.namespace, pod, _request_timeout=_ANSWER_S)
            except ValidationError as error:
                raise LaunchRefused(str(error)) from error
            except ApiException as error:
                if error.status == 409:
                    return  # another thread was faster
                if error.status >= 500 or error.status in (401, 429):
                    raise
                with _gone_is_fine():
                    self._delete_secret(api, object_name(launch))
                raise LaunchRefused(f"Kubernetes did not take the driver's pod: {_message(error)}") from error

    def state(self, launch: Launch) -> State:
        with self._api() as api:
            pod = self._find(api, launch)
        if pod is None:
            return read_ended(launch) or Absent()
        state = state_of(pod, self._settings.memory)
        # A driver that is killed may still find the time to end in peace.
        return read_ended(launch) or state if isinstance(state, Ended) else state

    def kill(self, launch: Launch) -> None:
        with self._api() as api:
            pod = self._find(api, launch)
            if pod is None:
                return
            self._save_log(api, launch)
            state = state_of(pod, self._settings.memory)
            write_ended(launch, state if isinstance(state, Ended) else Ended(None, "the pod was killed"))
            self._delete_pod(api, object_name(launch))

    def memory(self, launch: Launch) -> int | None:
        return None

    def lines(self, launch: Launch, last: int | None, follow: Callable[[], bool] | None) -> Iterator[str]:
        from kubernetes.client import ApiException

        with self._api() as api:
            while True:
                if self._find(api, launch) is None:
                    yield from read_lines(log_file(launch), last, follow)
                    return
                try:
                    stream = _LogStream(self._log(api, launch, last, follow is not None))
                    break
                except ApiException as error:
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
        with self._api() as api:
            pod = self._find(api, launch)
            if pod is not None:
                state = state_of(pod, self._settings.memory)
                if isinstance(state, Ended):
                    self._save_log(api, launch)
                    write_ended(launch, state)
                self._delete_pod(api, object_name(launch))
            with _gone_is_fine():
                self._delete_secret(api, object_name(launch))

    def forget(self, job: str, folder: Path) -> None:
        """Deletes the job's pods and secrets. What lies in the claim or the directory of checkpoints stays."""
        namespace, selector = self._settings.namespace, f"datastream/job={job}"
        with self._api() as api:
            for pod in api.list_namespaced_pod(namespace, label_selector=selector, _request_timeout=_ANSWER_S).items:
                self._delete_pod(api, pod.metadata.name)
            found = api.list_namespaced_secret(namespace, label_selector=selector, _request_timeout=_ANSWER_S)
            for secret in found.items:
                with _gone_is_fine():
                    self._delete_secret(api, secret.metadata.name)

    def pool(self) -> tuple[int, int] | None:
        return None

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.api_client.close()

    @contextmanager
    def _api(self) -> Iterator[Any]:
        """The API of Kubernetes.

        Raises:
            EngineAway: It does not answer, or not to us.
        """
        from kubernetes.client import ApiException
        from kubernetes.config import ConfigException
        from urllib3.exceptions import HTTPError

        try:
            yield self._connected()
        except ApiException as error:
            if error.status and error.status < 500 and error.status not in (401, 429):
                raise
            raise EngineAway(f"the Kubernetes API failed: {_message(error)}") from error
        except ConfigException as error:
            raise EngineAway(
                f"no Kubernetes cluster is known: {error}. Run the gateway in one, or give it a kubeconfig (KUBECONFIG)"
            ) from error
        except (HTTPError, OSError) as error:
            raise EngineAway(f"the Kubernetes API does not answer: {' '.join(str(error).split())[:300]}") from error

    def _connected(self) -> Any:
        from kubernetes import client, config

        load: Any = config  # without types
        with self._lock:
            if self._client is None:
                given = client.Configuration()
                if self._settings.context is None and os.environ.get("KUBERNETES_SERVICE_HOST"):
                    load.load_incluster_config(given)
                else:
                    load.load_kube_config(context=self._settings.context, client_configuration=given)
                self._client = client.CoreV1Api(client.ApiClient(given))
            return self._client

    def _find(self, api: Any, launch: Launch) -> Any:
        from kubernetes.client import ApiException

        try:
            return api.read_namespaced_pod(object_name(launch), self._settings.namespace, _request_timeout=_ANSWER_S)
        except ApiException as error:
            if error.status == 404:
                return None
            raise

    def _put_secret(self, api: Any, secret: dict[str, Any]) -> None:
        from kubernetes.client import ApiException

        namespace = self._settings.namespace
        try:
            api.create_namespaced_secret(namespace, secret, _request_timeout=_ANSWER_S)
        except ApiException as error:
            if error.status != 409:
                raise
            # A gateway that was killed has left it.
            api.replace_namespaced_secret(secret["metadata"]["name"], namespace, secret, _request_timeout=_ANSWER_S)

    def _delete_secret(self, api: Any, name: str) -> None:
        api.delete_namespaced_secret(name, self._settings.namespace, _request_timeout=_ANSWER_S)

    def _delete_pod(self, api: Any, name: str) -> None:
        # Not 0: then the pod would be gone for us while its processes may still run.
        with _gone_is_fine():
            api.delete_namespaced_pod(
                name, self._settings.namespace, grace_period_seconds=1, _request_timeout=_ANSWER_S
            )

    def _log(self, api: Any, launch: Launch, last: int | None, follow: bool) -> Any:
        return api.read_namespaced_pod_log(
            object_name(launch),
            self._settings.namespace,
            container="driver",
            follow=follow,
            _preload_content=False,
            _request_timeout=(_ANSWER_S, _FOLLOWED_S if follow else _ANSWER_S),
            **({} if last is None else {"tail_lines": last}),
        )

    def _save_log(self, api: Any, launch: Launch) -> None:
        """Keep the log of a pod that is deleted, as far as it can be had."""
        from kubernetes.client import ApiException

        file = log_file(launch)
        temporary = file.with_name(f".{file.name}.new")
        with suppress(ApiException):
            stream = _LogStream(self._log(api, launch, None, False))
            with temporary.open("w", encoding="utf-8") as out:
                out.writelines(line + "\n" for line in split_lines(stream))
            stream.close()
            os.replace(temporary, file)


class _LogStream:
    """A log as it comes.

    Args:
        response: Of urllib3.
    """

    def __init__(self, response: Any) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._response.stream(1 << 16)

    def close(self) -> None:
        """Also ends a read that is in progress in another thread."""
        with suppress(Exception):  # it may have ended by itself
            self._response.shutdown()
        self._response.close()


def state_of(pod: Any, memory: str) -> State:
    """The state of an attempt by its pod."""
    status = pod.status
    containers = status.container_statuses or []
    waiting = [
        one.state.waiting
        for one in (*(status.init_container_statuses or []), *containers)
        if one.state is not None and one.state.waiting is not None and one.state.waiting.reason in _HOPELESS
    ]
    if status.phase == "Pending" and waiting:
        return Ended(_INVALID, f"the pod cannot start: {waiting[0].reason}: {waiting[0].message or ''}"[:500])
    if status.phase not in ("Succeeded", "Failed"):
        host = status.pod_ip if status.phase == "Running" else None
        if host is not None and ":" in host:
            host = f"[{host}]"
        return Alive(None if host is None else f"http://{host}:{PORT}")
    ended = next((one.state.terminated for one in containers if one.state is not None and one.state.terminated), None)
    if ended is not None and ended.reason == "OOMKilled":
        return Ended(
            None, f"out of memory: the pod was killed at its limit of {memory}; raise {PREFIX}MEMORY or lower its needs"
        )
    if status.reason:  # the kubelet's: Evicted, NodeLost, DeadlineExceeded
        return Ended(None, f"{status.reason}: {status.message or ''}"[:500])
    if ended is None:
        return Ended(None, "the pod ended before its driver started; its artifact could not be fetched")
    if ended.exit_code == _KILLED:
        return Ended(None, "the pod was killed (SIGKILL)")
    return Ended(ended.exit_code, None)


def _message(error: Any) -> str:
    """What the API said."""
    with suppress(ValueError, TypeError):
        found = json.loads(error.body)
        if isinstance(found, dict) and found.get("message"):
            return str(found["message"])[:500]
    return f"{error.status} {error.reason}"


@contextmanager
def _gone_is_fine() -> Iterator[None]:
    from kubernetes.client import ApiException

    try:
        yield
    except ApiException as error:
        if error.status != 404:
            raise
