"""Answers scrapes."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from datastream.errors import ValidationError

from .registry import CONTENT_TYPE, REGISTRY, Registry


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
            self._server = ThreadingHTTPServer((address, port), _handler(registry))
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise ValidationError(
                f"metrics cannot be served at {address}:{port}: {why}; choose another port with "
                "-D datastream.metrics.port=..., 0 for any that is free"
            ) from None
        self._server.daemon_threads = True
        self.address = address
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, name="datastream-metrics", daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


def _handler(registry: Registry) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
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
