"""An HTTP server of a few pages that are made when they are asked for, and of orders that it passes on."""

from __future__ import annotations

import hmac
import json
import logging
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: A client that is slower loses its connection, and the thread that serves it.
_CLIENT_S = 10.0
#: At the end, orders in progress have this time for their answer.
_ANSWER_S = 5.0
#: The largest body of an order, in bytes.
MOST_BYTES = 64 << 10
#: Of a larger one this much is read, so that its sender hears why it is refused.
_READ_AND_DROPPED = 1 << 20


@dataclass(frozen=True)
class Page:
    """An answer.

    Attributes:
        content: Its bytes.
        type: Its media type.
        status: Its status code.
        headers: Further headers.
    """

    content: bytes
    type: str
    status: int = HTTPStatus.OK
    headers: Mapping[str, str] = field(default_factory=dict)


#: Makes the answer to an order from its arguments.
Order = Callable[[dict[str, Any]], Page]


@dataclass(frozen=True)
class Guarded:
    """Pages and orders for those who show a token, as ``Authorization: Bearer TOKEN``.

    Attributes:
        token: The token.
        pages: Path -> what makes the page.
        orders: Path -> what executes an order that is posted, with a JSON object as arguments.
    """

    token: str = field(repr=False)
    pages: Mapping[str, Callable[[], Page]]
    orders: Mapping[str, Order]


def compact_page(value: Any, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None) -> Page:
    """A JSON page for programs, which is made faster than one for people."""
    content = json.dumps(value, separators=(",", ":")).encode() + b"\n"
    return Page(content, "application/json", status, headers or {})


def json_page(value: Any, good: bool = True) -> Page:
    """A JSON page; status 503 unless all is good."""
    content = json.dumps(value, indent=2).encode() + b"\n"
    return Page(content, "application/json", HTTPStatus.OK if good else HTTPStatus.SERVICE_UNAVAILABLE)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    # A killed process' connections must not keep its next start from the port. Nothing else may share it.
    allow_reuse_address = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._idle = threading.Condition()
        self._orders = 0

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Within the block, an order is executed and answered."""
        with self._idle:
            self._orders += 1
        try:
            yield
        finally:
            with self._idle:
                self._orders -= 1
                self._idle.notify_all()

    def wait_for_answers(self) -> None:
        """Wait for the orders in hand, for a while."""
        with self._idle:
            self._idle.wait_for(lambda: self._orders == 0, _ANSWER_S)

    def handle_error(self, request: Any, client_address: Any) -> None:
        logging.getLogger("datastream").debug("a client of the endpoints went away", exc_info=True)


class PageServer:
    """Serves pages in threads, until `close`.

    Args:
        address: Address or name of the interface; ``0.0.0.0`` for all.
        port: The port; 0: a free one.
        pages: Path -> what makes the page.
        guarded: Those that need a token; None: there are none.

    Raises:
        OSError: The port is taken, the address is none of this machine's, or this user may not listen on the port.
        UnicodeError: The address can be none.
        OverflowError: There is no such port.

    Attributes:
        port: Where it listens.
    """

    def __init__(
        self, address: str, port: int, pages: Mapping[str, Callable[[], Page]], guarded: Guarded | None = None
    ) -> None:
        family, _, _, _, place = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
        server = type("_FamilyServer", (_Server,), {"address_family": family})
        # The port as it was given: `getaddrinfo` cuts one that there is not to 16 bits.
        self._server: _Server = server((place[0], port), _handler(pages, guarded or Guarded("", {}, {})))
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, name="datastream-http", daemon=True).start()

    def close(self) -> None:
        """End it. What is being answered is answered; an order that takes some seconds longer is not."""
        self._server.shutdown()
        self._server.wait_for_answers()
        self._server.server_close()


class _Refused(Exception):
    """A request that is not answered with what it asks for."""

    def __init__(self, status: HTTPStatus, error: str, headers: Mapping[str, str] | None = None, **about: Any) -> None:
        super().__init__(error)
        self.page = compact_page({"error": error, **about}, status, headers)


def _handler(pages: Mapping[str, Callable[[], Page]], guarded: Guarded) -> type[BaseHTTPRequestHandler]:
    open_to_all = sorted(pages)

    class Handler(BaseHTTPRequestHandler):
        timeout = _CLIENT_S
        server: _Server

        def do_GET(self) -> None:
            self._send(self._page())

        def do_HEAD(self) -> None:
            self._send(self._page(), with_content=False)

        def do_POST(self) -> None:
            path = self.path.partition("?")[0]
            try:
                if path in pages:
                    raise _Refused(HTTPStatus.METHOD_NOT_ALLOWED, "this is a page: use GET", {"Allow": "GET, HEAD"})
                order: Order = self._guarded(path, guarded.orders, guarded.pages, "GET, HEAD")
                arguments = self._arguments()
            except _Refused as refused:
                self._drop_body()
                self._send(refused.page)
                return
            with self.server.answering():
                self._send(order(arguments))

        def version_string(self) -> str:
            return "datastream"

        def log_message(self, format: str, *args: Any) -> None:
            """Probes come each few seconds: no line in the log for each."""

        def _page(self) -> Page:
            path = self.path.partition("?")[0]
            make = pages.get(path)
            if make is None:
                try:
                    make = self._guarded(path, guarded.pages, guarded.orders, "POST")
                except _Refused as refused:
                    return refused.page
            return make()

        def _guarded(self, path: str, known: Mapping[str, Any], others: Mapping[str, Any], methods: str) -> Any:
            """What a path names, if this client may ask for it by this method."""
            if path not in known and path not in others:
                raise _Refused(HTTPStatus.NOT_FOUND, "no such page", pages=open_to_all)
            given = self.headers.get("Authorization", "").encode("latin-1", "replace")
            if not hmac.compare_digest(given, b"Bearer " + guarded.token.encode()):
                said = "this needs the header 'Authorization: Bearer TOKEN', with the right token"
                raise _Refused(HTTPStatus.UNAUTHORIZED, said, {"WWW-Authenticate": "Bearer"})
            if path not in known:
                raise _Refused(HTTPStatus.METHOD_NOT_ALLOWED, f"use {methods}", {"Allow": methods})
            return known[path]

        def _arguments(self) -> dict[str, Any]:
            """The JSON object that came with the order; none is an empty one."""
            length = self._length()
            if length > MOST_BYTES:
                raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {MOST_BYTES:,} bytes")
            body = self.rfile.read(length)
            self._read_whole = True
            try:
                arguments = json.loads(body) if body.strip() else {}
            except (ValueError, RecursionError) as error:
                raise _Refused(HTTPStatus.BAD_REQUEST, f"the body is no JSON: {error}") from error
            if not isinstance(arguments, dict):
                raise _Refused(HTTPStatus.BAD_REQUEST, f"expected a JSON object, got {type(arguments).__name__}")
            return arguments

        def _length(self) -> int:
            given = self.headers.get("Content-Length", "0")
            if "Transfer-Encoding" in self.headers:
                raise _Refused(HTTPStatus.LENGTH_REQUIRED, "give the header Content-Length")
            if not (given.isascii() and given.isdigit()):
                raise _Refused(HTTPStatus.BAD_REQUEST, "Content-Length is no number")
            return int(given[:20])

        def _drop_body(self) -> None:
            """Read what a client that is refused still sends: one that cannot send does not read the answer."""
            if getattr(self, "_read_whole", False):
                return
            try:
                self.rfile.read(min(self._length(), _READ_AND_DROPPED))
            except (_Refused, OSError):
                self.close_connection = True

        def _send(self, page: Page, with_content: bool = True) -> None:
            self.send_response(page.status)
            self.send_header("Content-Type", page.type)
            self.send_header("Content-Length", str(len(page.content)))
            self.send_header("Cache-Control", "no-store")
            for name, value in page.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if with_content:
                self.wfile.write(page.content)

    return Handler
