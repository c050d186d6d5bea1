"""A server of HTTP for the tests, whose answers tests decide, with the faults that they ask for.

with WebServer() as web:
    web.refuse(503)                             # the next request
    web.pages["/items"] = lambda request: Reply(200, {}, b"[]")
    web.taken                                   # the bodies that were sent, one for each idempotency key
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple, Self
from urllib.parse import parse_qs, urlsplit


@dataclass
class Reply:
    """An answer.

    Attributes:
        status: Its status; 0: the connection ends without an answer, once the request was taken.
        headers: Its headers.
        body: Its body.
        chunks: More of it, sent as it comes.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    chunks: Iterator[bytes] | None = None


class Request(NamedTuple):
    """A request as it came.

    Attributes:
        method: Its method.
        path: Without the query.
        query: The last value of each parameter.
        headers: By names in small letters.
        body: Its body.
    """

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


class WebServer:
    """The server; ends with the block.

    Args:
        certificate: Files of a certificate and its key, for HTTPS; None: HTTP.

    Attributes:
        requests: All requests, refused ones, too.
        taken: The bodies that were taken, one for each idempotency key, by path.
        pages: What answers a GET, by path.
        away: Connections end without an answer, and nothing is taken.
    """

    def __init__(self, certificate: tuple[str, str] | None = None) -> None:
        self.requests: list[Request] = []
        self.taken: dict[str, list[bytes]] = {}
        self.pages: dict[str, Callable[[Request], Reply]] = {}
        self.away = False
        self._keys: dict[tuple[str, str], bytes] = {}
        self._next: deque[Reply] = deque()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        scheme = "http" if certificate is None else "https"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"{scheme}://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def refuse(self, status: int, times: int = 1, body: bytes = b"", **headers: str) -> None:
        """Answer the next requests so; with status 0 they are taken, and the answer is lost."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with self._lock:
            self._next += [Reply(status, named, body)] * times

    def paths(self) -> list[str]:
        """Path and query of all requests."""
        with self._lock:
            return [
                request.path + "".join(f"?{name}={value}" for name, value in request.query.items())
                for request in self.requests
            ]

    def _reply(self, request: Request) -> Reply:
        if self.away:
            return Reply(0)
        with self._lock:
            self.requests.append(request)
            reply = self._next.popleft() if self._next else None
            if reply is not None and reply.status >= 300:
                return reply
            if request.method != "GET":
                self._take(request)
        if reply is not None:
            return reply
        if request.method == "GET":
            page = self.pages.get(request.path)
            return Reply(404, {}, b"no such page") if page is None else page(request)
        return Reply(202)

    def _take(self, request: Request) -> None:
        key = request.headers.get("idempotency-key")
        taken = self.taken.setdefault(request.path, [])
        if key is None:
            taken.append(request.body)
            return
        if (request.path, key) not in self._keys:
            self._keys[request.path, key] = request.body
            taken.append(request.body)
        assert self._keys[request.path, key] == request.body, "a key belongs to one body"

    def _handler(outer) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16
            disable_nagle_algorithm = True

            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                url = urlsplit(self.path)
                query = {name: values[-1] for name, values in parse_qs(url.query).items()}
                headers = {name.lower(): value for name, value in self.headers.items()}
                reply = outer._reply(Request(self.command, url.path, query, headers, body))
                if not reply.status:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.send_response(reply.status)
                length = {"Content-Length": str(len(reply.body))}
                if reply.chunks is not None:
                    length = {"Transfer-Encoding": "chunked"}
                for name, value in {**length, **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body)
                if reply.chunks is not None:
                    self._send_chunks(reply.chunks)

            def _send_chunks(self, chunks: Iterator[bytes]) -> None:
                self.close_connection = True
                self.wfile.flush()
                with closing(chunks), suppress(OSError):  # the client may go  # type: ignore[type-var]
                    for chunk in chunks:
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                        self.wfile.flush()
                    self.wfile.write(b"0\r\n\r\n")
                    self.wfile.flush()

            do_GET = do_POST = do_PUT = do_PATCH = _answer

            def log_message(self, format: str, *args: object) -> None:
                """Nothing: tests are quiet."""

        return Handler


class EventLog:
    """A stream of server-sent events, for `WebServer.pages`: each has its number as its id.

    Args:
        sends_all: A connection without ``Last-Event-ID`` gets all events so far; else those that come.
        ids: Whether events have ids.

    Attributes:
        connections: How many there are.
        begun: How many there were.
    """

    def __init__(self, sends_all: bool = False, ids: bool = True) -> None:
        self.connections = self.begun = 0
        self._sends_all, self._ids = sends_all, ids
        self._events: list[bytes] = []
        self._ends = 0
        self._changed = threading.Condition()

    def send(self, *data: str, event: str = "") -> None:
        """Send events, each of one line."""
        with self._changed:
            for text in data:
                id = f"id: {len(self._events)}\n" if self._ids else ""
                kind = f"event: {event}\n" if event else ""
                self._events.append(f"{kind}{id}data: {text}\n\n".encode())
            self._changed.notify_all()

    def disconnect(self) -> None:
        """End all connections."""
        with self._changed:
            self._ends += 1
            self._changed.notify_all()

    def __call__(self, request: Request) -> Reply:
        last = request.headers.get("last-event-id")
        with self._changed:
            first = int(last) + 1 if last else 0 if self._sends_all else len(self._events)
            self.connections += 1
            self.begun += 1
            chunks = self._follow(first, self._ends)
        return Reply(200, {"Content-Type": "text/event-stream; charset=utf-8"}, b"", chunks)

    def _follow(self, first: int, ends: int) -> Iterator[bytes]:
        try:
            yield b"retry: 1\n\n"
            while True:
                with self._changed:
                    self._changed.wait_for(lambda first=first: len(self._events) > first or self._ends != ends, 0.05)
                    found, ended = self._events[first:], self._ends != ends
                first += len(found)
                yield b"".join(found) or b": nothing\n\n"
                if ended:
                    return
        finally:
            with self._changed:
                self.connections -= 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: clients that are killed leave in the middle of a request."""
