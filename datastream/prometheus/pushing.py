"""Sends metrics to a Pushgateway: for jobs that end before anybody scrapes them."""

from __future__ import annotations

import logging
import threading
from base64 import b64encode
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from prometheus_client.exposition import default_handler

from .registry import CONTENT_TYPE, REGISTRY, Registry

_LOGGER = logging.getLogger("datastream")
_TIMEOUT_S = 5.0


class Pusher:
    """Pushes every so often, and once more when the job has ended.

    Args:
        url: Of the gateway, such as ``http://localhost:9091``; ``user:password@`` before its name is sent as Basic.
        job: Name of the job: the group that is replaced by each push.
        interval_s: Time between two pushes.
        registry: What is pushed.
    """

    def __init__(self, url: str, job: str, interval_s: float, registry: Registry = REGISTRY) -> None:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        user, _, place = parts.netloc.rpartition("@")
        base = urlunsplit(parts._replace(netloc=place))
        self._url = f"{base.rstrip('/')}/metrics/job/{quote(job, safe='')}"
        self._where = place
        self._headers = [("Content-Type", CONTENT_TYPE)]
        if user:
            coded = b64encode(unquote(user).encode()).decode()
            self._headers.append(("Authorization", f"Basic {coded}"))
        self._interval_s, self._registry = interval_s, registry
        self._ended = threading.Event()
        self._failing = False
        self._thread = threading.Thread(target=self._run, name="datastream-push", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Push a last time."""
        self._ended.set()
        self._thread.join(2 * _TIMEOUT_S)

    def _run(self) -> None:
        while not self._ended.wait(self._interval_s):
            self._push()
        self._push()

    def _push(self) -> None:
        try:
            default_handler(self._url, "PUT", _TIMEOUT_S, self._headers, self._registry.text())()
            self._failing = False
        except Exception as error:  # the job goes on without its metrics being seen
            if not self._failing:
                self._failing = True
                _LOGGER.warning("metrics cannot be pushed to %s: %s; it is tried again", self._where, error)
