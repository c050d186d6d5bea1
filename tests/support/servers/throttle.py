"""A throttle in front of a server of HTTP."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: What S3 answers to who asks too often.
_SLOW_DOWN = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"


@contextmanager
def throttle(address: str, refuses: Callable[[int], bool]) -> Iterator[str]:
    """A server that hands requests to another one, or refuses them as S3 does: its address.

    Args:
        address: The other one's, ``host:port``.
        refuses: Whether it refuses the n-th request, from 0.
    """
    count, lock = iter(range(10**9)), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            with lock:
                number = next(count)
            if refuses(number):
                self._send(503, {"Content-Type": "application/xml"}, _SLOW_DOWN)
                return
            other = http.client.HTTPConnection(address, timeout=60)
            other.request(self.command, self.path, sent, dict(self.headers))
            answer = other.getresponse()
            self._send(answer.status, dict(answer.headers), answer.read())
            other.close()

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _answer

        def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                if name.lower() not in ("content-length", "transfer-encoding", "connection", "server", "date"):
                    self.send_header(name, value)
            length = headers.get("Content-Length") if self.command == "HEAD" else None
            self.send_header("Content-Length", length or str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: tests are quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
