"""An HTTP server whose answers a test lays out beforehand."""

from __future__ import annotations

import json
import socket
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Seen:
    """A request that came."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """What the server does with a request.

    Attributes:
        body: Bytes, or what is written as JSON.
        status: The status.
        headers: More headers.
        announced: Content-Length, if it is not the body's: the connection is closed behind the body.
        silent: Close the connection without an answer.
        unread: Answer before the body was read, and close.
    """

    body: Any = field(default_factory=dict)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    announced: int | None = None
    silent: bool = False
    unread: bool = False

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def refusal(status: int, *errors: str, **headers: str) -> Answer:
    """The gateway's form of an error."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer({"errors": list(errors)}, status, named)


class ScriptedServer:
    """Answers each request with the next of the answers of its method and path, and the last one again and again."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self._answers: dict[tuple[str, str], deque[Answer]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def on(self, request: str, *answers: Any) -> None:
        """Lay out answers: ``on("GET /jobs/overview", Answer(...))``; what is no Answer is a JSON body."""
        method, path = request.split()
        self._answers[method, path] = deque(one if isinstance(one, Answer) else Answer(one) for one in answers)

    def requests(self, request: str) -> list[Seen]:
        method, path = request.split()
        return [one for one in self.seen if (one.method, one.path) == (method, path)]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def next_answer(self, seen: Seen) -> Answer:
        self.seen.append(seen)
        left = self._answers.get((seen.method, seen.path))
        if not left:
            return refusal(404, f"nothing at {seen.path}")
        return left.popleft() if len(left) > 1 else left[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                parts = urlsplit(self.path)
                key = (self.command, parts.path)
                length = int(self.headers.get("Content-Length") or 0)
                unread = bool(server._answers.get(key)) and server._answers[key][0].unread
                body = b"" if unread else self.rfile.read(length)
                seen = Seen(self.command, parts.path, parse_qs(parts.query), dict(self.headers), body)
                answer = server.next_answer(seen)
                if answer.silent:
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(answer.announced or len(answer.content)))
                self.end_headers()
                self.wfile.write(answer.content)
                if answer.announced or unread:
                    self.wfile.flush()
                    self.connection.shutdown(socket.SHUT_WR)
                    self.close_connection = True

            do_GET = do_POST = do_DELETE = do_PATCH = handle_any

            def log_message(self, *args: object) -> None:
                pass

        return Handler
