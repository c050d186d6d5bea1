"""X's streams of API v2 for the tests: a server of HTTP, written from X's documentation.

with TwitterServer() as twitter:
    twitter.post("hello")                       # everyone who is connected gets it
    twitter.refuse(503)                         # the next connection
    twitter.disconnect()                        # all that there are

Streams are sent in chunks, with an empty line where nothing else is sent for `keep_alive_s`. A connection that asks for
``backfill_minutes`` first gets all posts so far.
"""

from __future__ import annotations

import base64
import json
import queue
import socket
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

TOKEN, KEY, SECRET = "bearer-0f-the-tests", "key-0f-the-tests", "secret-0f-the-tests"
_RULES = "/2/tweets/search/stream/rules"
_STREAMS = ("/2/tweets/search/stream", "/2/tweets/sample/stream")
#: The id of the first post: of 2026-01-01.
_FIRST_MS = 1_767_225_600_000
_EPOCH_MS = 1_288_834_974_657


@dataclass
class Refusal:
    """An answer in place of a stream."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)


class TwitterServer:
    """The server; ends with the block.

    Args:
        keep_alive_s: How long nothing is sent before an empty line is.
        most_connections: More at once are refused. None: any number.

    Attributes:
        asked: The requests for streams, as path and parameters.
        rules: The app's rules, by their ids.
        away: Nothing is answered.
        silent: Nothing is sent, and no empty line either.
        sends_all: Each connection first gets all posts so far.
        page: How many rules are in an answer.
        invalid_rules: Values of rules that are refused.
        user_agents: What clients call themselves.
    """

    def __init__(self, keep_alive_s: float = 0.05, most_connections: int | None = None) -> None:
        self.keep_alive_s, self.most_connections = keep_alive_s, most_connections
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.rules: dict[str, dict[str, str]] = {}
        self.away = self.silent = self.sends_all = False
        self.page = 1000
        self.invalid_rules: set[str] = set()
        self.user_agents: set[str] = set()
        self._posts: list[bytes] = []
        self._next_id = iter(range(10**9))
        self._refusals: deque[Refusal] = deque()
        self._open: set[queue.SimpleQueue[bytes | None]] = set()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.disconnect()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def connections(self) -> int:
        """How many streams are open."""
        return len(self._open)

    def post(self, *texts: str) -> list[str]:
        """Post texts; the lines that streams get."""
        made = [self._post(text) for text in texts]
        with self._lock:
            self._posts += made
            for each in self._open:
                for line in made:
                    each.put(line)
        return [line.decode() for line in made]

    def send(self, line: bytes) -> None:
        """Send a line to those who are connected."""
        with self._lock:
            for each in self._open:
                each.put(line)

    def refuse(self, status: int, times: int = 1, body: Mapping[str, Any] | None = None, **headers: str) -> None:
        """Refuse the next requests for a stream."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._refusals += [Refusal(status, named, body or {"title": "Trouble", "detail": f"of {TOKEN}"})] * times

    def disconnect(self) -> None:
        """End all streams that are open."""
        with self._lock:
            for each in self._open:
                each.put(None)

    def _post(self, text: str) -> bytes:
        number = next(self._next_id)
        id = (_FIRST_MS + number - _EPOCH_MS) << 22
        return json.dumps({"data": {"id": str(id), "text": text}}, ensure_ascii=False).encode()

    def _handler(outer) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                if outer.away:
                    self.close_connection = True
                    return
                if not self._may():
                    return
                url = urlsplit(self.path)
                parameters = {name: values[0] for name, values in parse_qs(url.query).items()}
                if url.path == _RULES:
                    self._send_rules(parameters)
                elif url.path in _STREAMS:
                    self._stream(url.path, parameters)
                else:
                    self._send(404, {"title": "Not Found"})

            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.path == "/oauth2/token":
                    wanted = base64.b64encode(f"{KEY}:{SECRET}".encode()).decode()
                    if self.headers.get("Authorization") != f"Basic {wanted}" or b"client_credentials" not in sent:
                        self._send(403, {"errors": [{"code": 99, "message": f"Unable to verify {SECRET}"}]})
                    else:
                        self._send(200, {"token_type": "bearer", "access_token": TOKEN})
                elif self._may():
                    self._change_rules(json.loads(sent))

            def _may(self) -> bool:
                outer.user_agents.add(self.headers.get("User-Agent", ""))
                given = self.headers.get("Authorization", "")
                if given == f"Bearer {TOKEN}":
                    return True
                self._send(401, {"title": "Unauthorized", "detail": f"no such token: {given}"})
                return False

            def _send_rules(self, parameters: dict[str, str]) -> None:
                begin = int(parameters.get("pagination_token", 0))
                every = [{"id": id, **rule} for id, rule in outer.rules.items()]
                shown, end = every[begin : begin + outer.page], begin + outer.page
                meta = {"next_token": str(end)} if end < len(every) else {}
                self._send(200, {"data": shown, "meta": meta} if shown else {"meta": meta})

            def _change_rules(self, change: dict[str, Any]) -> None:
                errors = []
                for id in change.get("delete", {}).get("ids", ()):
                    outer.rules.pop(id)
                for rule in change.get("add", ()):
                    if rule["value"] in outer.invalid_rules:
                        errors.append(
                            {"title": "Invalid Rule", "value": rule["value"], "details": ["no such operator"]}
                        )
                    elif any(rule["value"] == there["value"] for there in outer.rules.values()):
                        errors.append({"title": "DuplicateRule", "value": rule["value"]})
                    else:
                        outer.rules[str(1000 + next(outer._next_id))] = rule
                self._send(201, {"meta": {}, **({"errors": errors} if errors else {})})

            def _stream(self, path: str, parameters: dict[str, str]) -> None:
                with outer._lock:
                    outer.asked.append((path, parameters))
                    refusal = outer._refusals.popleft() if outer._refusals else None
                    if refusal is None and outer.connections == outer.most_connections:
                        issue = {"title": "ConnectionException", "connection_issue": "TooManyConnections"}
                        refusal = Refusal(429, {}, issue)
                    if refusal is None:
                        lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
                        if outer.sends_all or "backfill_minutes" in parameters:
                            for line in outer._posts:
                                lines.put(line)
                        outer._open.add(lines)
                if refusal is not None:
                    self._send(refusal.status, refusal.body, refusal.headers)
                    return
                try:
                    self._send_lines(lines)
                except OSError:
                    pass  # the client has gone
                finally:
                    with outer._lock:
                        outer._open.discard(lines)
                    self.close_connection = True

            def _send_lines(self, lines: queue.SimpleQueue[bytes | None]) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                while not self._has_gone():
                    try:
                        line = lines.get(timeout=outer.keep_alive_s)
                    except queue.Empty:
                        line = b""
                    if line is None:
                        self.wfile.write(b"0\r\n\r\n")
                        return
                    if not outer.silent:
                        data = line + b"\r\n"
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

            def _has_gone(self) -> bool:
                self.connection.setblocking(False)
                try:
                    return self.connection.recv(1, socket.MSG_PEEK) == b""
                except BlockingIOError:
                    return False
                finally:
                    self.connection.setblocking(True)

            def _send(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str] = {}) -> None:
                data = json.dumps(body).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing: tests are quiet."""

        return Handler


def in_seconds(seconds: float) -> str:
    """What ``x-rate-limit-reset`` says for a moment to come, in seconds since 1970."""
    return str(int(time.time() + seconds))
