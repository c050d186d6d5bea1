"""A small server of the schema registry's REST protocol, on loopback, for tests.

It is not Confluent's: it keeps schemas in memory and knows no compatibility rules. It speaks what the client of
confluent-kafka asks for: POST /subjects/S/versions, GET /subjects/S/versions/V and GET /schemas/ids/N.
"""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit


class RegistryServer:
    """The server.

    Attributes:
        url: Its address.
        requests: What was asked, in order, such as ``GET /schemas/ids/1``.
        failures: So many of the next requests are answered with status 503.
        user: The user and password it wants, with a colon between; None: none.
        refuse: Whether schemas are refused as incompatible.
    """

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.failures = 0
        self.user: str | None = None
        self.refuse = False
        self._lock = threading.Lock()
        self._schemas: list[dict[str, Any]] = []
        self._subjects: dict[str, list[int]] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(None)

            def do_POST(self) -> None:
                self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def _answer(self, body: Any) -> None:
                with outer._lock:
                    status, found = outer._answer(self.command, urlsplit(self.path).path, self.headers, body)
                data = json.dumps(found).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop, so that connections are refused."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def register(self, subject: str, schema: str, **more: Any) -> int:
        """The number of a schema under a subject."""
        content = {"schema": schema, **more}
        if content not in self._schemas:
            self._schemas.append(content)
        number = self._schemas.index(content) + 1
        numbers = self._subjects.setdefault(subject, [])
        if number not in numbers:
            numbers.append(number)
        return number

    def _answer(self, method: str, path: str, headers: Any, body: Any) -> tuple[int, Any]:
        self.requests.append(f"{method} {path}")
        if self.failures:
            self.failures -= 1
            return 503, {"error_code": 50301, "message": "not now"}
        if self.user is not None:
            wanted = "Basic " + base64.b64encode(self.user.encode()).decode()
            if headers.get("Authorization") != wanted:
                return 401, {"error_code": 401, "message": f"Unauthorized: {headers.get('Authorization')}"}
        parts = [unquote(part) for part in path.strip("/").split("/")]
        match method, parts:
            case "POST", ["subjects", subject, "versions"]:
                if self.refuse:
                    return 409, {"error_code": 409, "message": "Schema being registered is incompatible"}
                more = {key: body[key] for key in ("schemaType", "references") if body.get(key)}
                return 200, {"id": self.register(subject, body["schema"], **more)}
            case "GET", ["schemas", "ids", number] if 0 < int(number) <= len(self._schemas):
                return 200, self._schemas[int(number) - 1]
            case "GET", ["subjects", subject, "versions", version] if subject in self._subjects:
                number = self._subjects[subject][int(version) - 1]
                return 200, {"subject": subject, "version": int(version), "id": number, **self._schemas[number - 1]}
        return 404, {"error_code": 40403, "message": "Schema not found"}


@contextmanager
def registry_server() -> Iterator[RegistryServer]:
    """A server for the time of the block."""
    server = RegistryServer()
    try:
        yield server
    finally:
        server.close()
