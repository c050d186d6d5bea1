"""An HTTP server of a few pages that are made when they are asked for."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: A client that is slower loses its connection, and the thread that serves it.
_CLIENT_S = 10.0


@dataclass(frozen=True)
class Page:
    """An answer.

    Attributes:
        content: Its bytes.
        type: Its media type.
        status: Its status code.
    """

    content: bytes
    type: str
    status: int = HTTPStatus.OK


def json_page(value: Any, good: bool = True) -> Page:
    """A JSON page; status 503 unless all is good."""
    content = json.dumps(value, indent=2).encode() + b"\n"
    return Page(content, "application/json", HTTPStatus.OK if good else HTTPStatus.SERVICE_UNAVAILABLE)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    # A killed process' connections must not keep its next start from the port. Nothing else may share it.
    allow_reuse_address = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        logging.getLogger("datastream").debug("a client of the endpoints went away", exc_info=True)


class PageServer:
    """Serves pages in threads, until `close`.

    Args:
        address: Address or name of the interface; ``0.0.0.0`` for all.
        port: The port; 0: a free one.
        pages: Path -> what makes the page.

    Raises:
        OSError: The port is taken, the address is none of this machine's, or this user may not listen on the port.
        UnicodeError: The address can be none.
        OverflowError: There is no such port.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, address: str, port: int, pages: Mapping[str, Callable[[], Page]]) -> None:
        family, _, _, _, place = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
        server = type("_FamilyServer", (_Server,), {"address_family": family})
        # The port as it was given: `getaddrinfo` cuts one that there is not to 16 bits.
        self._server: _Server = server((place[0], port), _handler(pages))
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, name="datastream-http", daemon=True).start()

    def close(self) -> None:
        """End it. What is being answered is answered."""
        self._server.shutdown()
        self._server.server_close()


def _handler(pages: Mapping[str, Callable[[], Page]]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = _CLIENT_S

        def do_GET(self) -> None:
            self._answer(with_content=True)

        def do_HEAD(self) -> None:
            self._answer(with_content=False)

        def version_string(self) -> str:
            return "datastream"

        def log_message(self, format: str, *args: Any) -> None:
            """Probes come each few seconds: no line in the log for each."""

        def _answer(self, with_content: bool) -> None:
            make = pages.get(self.path.partition("?")[0])
            if make is None:
                page = json_page({"error": "no such page", "pages": sorted(pages)})
                page = Page(page.content, page.type, HTTPStatus.NOT_FOUND)
            else:
                page = make()
            self.send_response(page.status)
            self.send_header("Content-Type", page.type)
            self.send_header("Content-Length", str(len(page.content)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            if with_content:
                self.wfile.write(page.content)

    return Handler
