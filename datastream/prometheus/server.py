"""Answers scrapes."""

from __future__ import annotations

import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from datastream.errors import ValidationError

from .registry import CONTENT_TYPE, REGISTRY, Registry

_LOGGER = logging.getLogger("datastream")


#: A client that is slower loses its connection, and the thread that serves it.
_CLIENT_S = 10.0


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        _LOGGER.debug("a client of the metrics went away", exc_info=True)


class MetricsServer:
    """Serves ``/metrics`` from a thread of its own.

    Args:
        address: To listen at.
        port: 0: any that is free.
        registry: What is served.

    Raises:
        ValidationError: The port is taken, or the address is none of this machine.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, address: str, port: int, registry: Registry = REGISTRY) -> None:
        try:
            self._server = _Server((address, port), _handler(registry))
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise ValidationError(
                f"metrics cannot be served at {address}:{port}: {why}; choose another port with "
                "-D datastream.metrics.port=..., 0 for any that is free"
            ) from None
        self.address = address
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, name="datastream-metrics", daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


def _handler(registry: Registry) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = _CLIENT_S

        """One request."""

        def do_GET(self) -> None:
            if self.path.split("?")[0] not in ("/metrics", "/metrics/"):
                self.send_error(404, explain="The metrics are at /metrics.")
                return
            body = registry.text()
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            return None

    return Handler
