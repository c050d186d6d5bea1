"""The API of a Kubernetes cluster, as far as drivers need it.

Objects are what the API has them as: JSON. Who may use it, and how, is lightkube's: kubeconfigs, service accounts whose
tokens change, commands that give credentials.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from datastream.errors import DataStreamError

if TYPE_CHECKING:
    import httpx2
    from lightkube.config.kubeconfig import KubeConfig, SingleConfig

Object = dict[str, Any]

_ANSWER_S = 10.0
#: A log that is silent for longer is followed no more.
_FOLLOWED_S = 7 * 86_400.0
_TEXT = 500
#: Answers that another try may change, although the request is fine.
_MAY_PASS = (401, 429)


class ClusterAway(DataStreamError):
    """The cluster does not answer, or not to us."""


class ClusterRefused(DataStreamError):
    """The cluster answers no.

    Attributes:
        status: Of HTTP.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Cluster:
    """One namespace of a cluster. Threads may share it.

    Args:
        namespace: None: that of the context, or of the service account.
        context: Of the kubeconfig; None: the cluster that this process runs in, or else the current context.
        server: URL of the API. The context is then one whose cluster has it.
    """

    def __init__(self, namespace: str | None = None, context: str | None = None, server: str | None = None) -> None:
        self._given, self._context, self._server = namespace, context, server
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None
        self._namespace: str | None = namespace

    @property
    def namespace(self) -> str:
        """The namespace.

        Raises:
            ClusterAway: No cluster is known.
        """
        self._connected()
        assert self._namespace is not None
        return self._namespace

    def pod(self, name: str) -> Object | None:
        """A pod; None: there is none."""
        return self._get(f"pods/{name}")

    def pods(self, labels: str, limit: int | None = None) -> list[Object]:
        """The pods with some labels, such as ``datastream/job=abc``."""
        return self._list("pods", labels, limit)

    def claim(self, name: str) -> Object | None:
        """A PersistentVolumeClaim; None: there is none."""
        return self._get(f"persistentvolumeclaims/{name}")

    def warnings(self, pod: str) -> list[str]:
        """What went wrong with a pod as the cluster reports it, latest last; empty also without the right to know."""
        try:
            found = self._call("GET", "events", params={"fieldSelector": f"involvedObject.name={pod},type=Warning"})
        except ClusterRefused:
            return []
        latest = sorted(found["items"], key=lambda one: one.get("lastTimestamp") or one.get("eventTime") or "")
        return [f"{one.get('reason')}: {one.get('message')}"[:_TEXT] for one in latest]

    def create_pod(self, pod: Object) -> Object:
        """Create a pod; the pod as the cluster has it.

        Raises:
            ClusterRefused: The cluster does not take it; status 409: there is one of this name.
        """
        return self._call("POST", "pods", json=pod)

    def put_secret(self, secret: Object) -> None:
        """Create a secret in place of one of its name. The right to read it is not needed."""
        try:
            self._call("POST", "secrets", json=secret)
        except ClusterRefused as error:
            if error.status != 409:
                raise
            self.delete_secret(secret["metadata"]["name"])
            self._call("POST", "secrets", json=secret)

    def delete_pod(self, name: str, grace_s: int) -> None:
        """Delete a pod; nothing happens if there is none.

        Args:
            name: Of the pod.
            grace_s: Seconds from SIGTERM to SIGKILL. With 0 it would be gone for us while its processes may still run.
        """
        self._delete(f"pods/{name}", {"gracePeriodSeconds": str(grace_s)})

    def delete_secret(self, name: str) -> None:
        """Delete a secret; nothing happens if there is none."""
        self._delete(f"secrets/{name}", {})

    def delete_secrets(self, labels: str) -> None:
        """Delete all secrets with some labels."""
        self._delete("secrets", {"labelSelector": labels})

    def log(
        self, pod: str, last: int | None, follow: bool, since_s: int | None = None, stamped: bool = False
    ) -> LogStream:
        """A driver's log.

        Args:
            pod: Its pod.
            last: Only this number of the last lines; None: all.
            follow: Until its end.
            since_s: Only the seconds up to now, this number of them; None: all.
            stamped: Each line begins with its time and a space.

        Raises:
            ClusterRefused: Status 400: its container has not started; 404: there is no such pod.
        """
        import httpx2

        params: dict[str, str] = {
            "container": "driver",
            "follow": str(follow).lower(),
            "timestamps": str(stamped).lower(),
        }
        params |= {} if last is None else {"tailLines": str(last)}
        params |= {} if since_s is None else {"sinceSeconds": str(since_s)}
        timeout = httpx2.Timeout(_ANSWER_S, read=_FOLLOWED_S if follow else _ANSWER_S)
        with self._errors():
            client = self._connected()
            request = client.build_request("GET", self._url(f"pods/{pod}/log"), params=params, timeout=timeout)
            answer = client.send(request, stream=True)
            if answer.is_error:
                answer.read()
                answer.close()
            _check(answer)
        return LogStream(answer)

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _get(self, path: str) -> Object | None:
        try:
            return self._call("GET", path)
        except ClusterRefused as error:
            if error.status == 404:
                return None
            raise

    def _list(self, kind: str, labels: str, limit: int | None) -> list[Object]:
        params = {"labelSelector": labels, **({} if limit is None else {"limit": str(limit)})}
        found: list[Object] = self._call("GET", kind, params=params)["items"]
        return found

    def _delete(self, path: str, params: Mapping[str, str]) -> None:
        try:
            self._call("DELETE", path, params=params)
        except ClusterRefused as error:
            if error.status != 404:
                raise

    def _call(self, method: str, path: str, params: Mapping[str, str] | None = None, json: Any = None) -> Object:
        with self._errors():
            client = self._connected()
            answer = client.request(method, self._url(path), params=params, json=json)
            _check(answer)
            found: Object = answer.json()
            return found

    def _url(self, path: str) -> str:
        return f"/api/v1/namespaces/{self._namespace}/{path}"

    @contextmanager
    def _errors(self) -> Iterator[None]:
        import httpx2

        try:
            yield
        except (httpx2.HTTPError, OSError, ValueError) as error:
            raise ClusterAway(f"the Kubernetes API does not answer: {' '.join(str(error).split())[:300]}") from error

    def _connected(self) -> httpx2.Client:
        try:
            from lightkube.config.client_adapter import Client, ConnectionParams
        except ImportError as error:
            raise ClusterAway(
                "no package lightkube: install the extra: pip install 'spark-datastream[kubernetes]'"
            ) from error
        with self._lock:
            if self._client is None:
                config = self._config()
                self._namespace = self._given or config.namespace
                import httpx2

                self._client = Client(config, ConnectionParams(timeout=httpx2.Timeout(_ANSWER_S)))
            return self._client

    def _config(self) -> SingleConfig:
        import yaml
        from lightkube.config.kubeconfig import KubeConfig
        from lightkube.core.exceptions import ConfigError

        try:
            if self._context is None and self._server is None and os.environ.get("KUBERNETES_SERVICE_HOST"):
                found = KubeConfig.from_service_account().get()
            else:
                known = KubeConfig.from_file(os.environ.get("KUBECONFIG") or Path.home() / ".kube" / "config")
                found = known.get(self._context_of(known))
            assert found is not None
            return found
        except (ConfigError, OSError, KeyError, TypeError, ValueError, yaml.YAMLError) as error:
            raise ClusterAway(
                f"no Kubernetes cluster is known: {error}. Run in one, or name a kubeconfig (KUBECONFIG)"
            ) from error

    def _context_of(self, known: KubeConfig) -> str | None:
        """The context: the one that is named, or one of the server, the current one first; None: the current one."""
        if self._context is not None or self._server is None:
            return self._context
        servers = {name: known.clusters[context.cluster].server for name, context in known.contexts.items()}
        for name in (known.current_context, *servers):
            if name in servers and _same(servers[name], self._server):
                return name
        about = ", ".join(f"{name} ({server})" for name, server in servers.items())
        raise ClusterAway(f"the kubeconfig has no context of {self._server}; it has {about or 'none'}")


class LogStream:
    """A log as it comes: bytes."""

    def __init__(self, answer: httpx2.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_bytes()

    def close(self) -> None:
        """Also ends a read that is in progress in another thread."""
        with suppress(Exception):  # it may have ended by itself
            self._answer.extensions["network_stream"].get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        with suppress(Exception):
            self._answer.close()


def _same(one: str, other: str) -> bool:
    return one.rstrip("/").lower() == other.rstrip("/").lower()


def _check(answer: httpx2.Response) -> None:
    """Raises:
    ClusterAway: The cluster failed, or does not know us.
    ClusterRefused: It refuses the request.
    """
    if not answer.is_error:
        return
    reason = f"{answer.status_code} {answer.reason_phrase}"
    with suppress(ValueError):
        found = answer.json()
        if isinstance(found, dict) and found.get("message"):
            reason = str(found["message"])[:_TEXT]
    if answer.status_code >= 500 or answer.status_code in _MAY_PASS:
        raise ClusterAway(f"the Kubernetes API failed: {reason}")
    raise ClusterRefused(answer.status_code, reason)
