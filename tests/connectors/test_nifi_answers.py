"""What answers of a NiFi become, and a cluster's nodes: servers that answer all requests alike."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from datastream.connectors.nifi import SiteToSiteClient
from datastream.connectors.nifi.site import Direction, Site
from datastream.errors import ValidationError


class Alike(BaseHTTPRequestHandler):
    """Answers all requests with what its server holds."""

    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # before the client can have the answer and go on
        self.send_response(self.server.status)
        self.send_header("Location", f"{self.path}/1")
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(HTTPServer):
    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Alike)
        self.status, self.body = status, body
        self.asked: list[str] = []


@contextmanager
def running(status: int, body: bytes) -> Iterator[Server]:
    with Server(status, body) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def site_at(*servers: Server) -> Site:
    """An input port of servers."""
    urls = [f"http://127.0.0.1:{server.server_port}/nifi" for server in servers]
    return Site(SiteToSiteClient.Builder().urls(urls).port_identifier("p").build_config(), Direction.SEND)


@contextmanager
def answering(status: int, body: bytes) -> Iterator[Site]:
    """An input port of a server that answers so."""
    with running(status, body) as server, closing(site_at(server)) as site:
        yield site


def test_nodes_of_a_cluster_take_turns_and_the_first_that_answers_names_them() -> None:
    with running(503, b"") as away, running(200, b"") as one, running(200, b"") as two:
        nodes = [{"hostname": "127.0.0.1", "port": node.server_port, "secure": False} for node in (one, two)]
        one.body = two.body = json.dumps({"peers": nodes}).encode()
        with closing(site_at(away, two)) as site:
            for _ in range(4):
                site.begin()
        begun = "/nifi-api/data-transfer/input-ports/p/transactions"
        assert one.asked.count(begun) == two.asked.count(begun) == 2
        assert away.asked == ["/nifi-api/site-to-site/peers"]


@pytest.mark.parametrize("status", [401, 403])
def test_a_client_that_is_refused_is_told_why(status: int) -> None:
    words = (
        rf"input port 'p': status {status}: Unknown user; the policies of the NiFi must let this client use the port"
    )
    with answering(status, b'{"message": "Unknown user"}') as site, pytest.raises(ValidationError, match=words):
        site.begin()


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_what_can_pass_is_a_failed_connection(status: int) -> None:
    words = f"status {status}: The node is connecting"
    with answering(status, b"The node is connecting") as site, pytest.raises(ConnectionError, match=words):
        site.begin()


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"peers": [{"hostname": 1}]}', b"\xff"])
def test_what_is_no_answer_of_a_nifi_is_told(body: bytes) -> None:
    words = r"nifi-api/site-to-site/peers does not answer as a NiFi does \(.+\): check the URL"
    with answering(200, body) as site, pytest.raises(ValidationError, match=words):
        site.begin()


def test_an_answer_is_not_read_beyond_its_limit() -> None:
    words = "NiFi at 127.0.0.1:[0-9]+, input port 'p' sends more than 16,777,216 bytes"
    with answering(200, b" " * (17 << 20)) as site, pytest.raises(ValidationError, match=words):
        site.begin()
