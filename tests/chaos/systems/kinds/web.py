"""What speaks HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.chaos.systems.system import Following, System


class Http(System):
    """HttpSource with a cursor, and HttpSink to a receiver that heeds keys; both are away for a while."""

    name = "http"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from tests.support.servers.web import Reply, Request, WebServer

        def numbers(request: Request) -> Reply:
            first = int(request.query.get("after", -1)) + 1
            found = [{"n": n, "name": f"n{n}"} for n in range(first, min(first + 1000, count))]
            return Reply(200, {}, json.dumps(found).encode())

        self._server = WebServer()
        self._server.pages["/numbers"] = numbers
        self._server.__enter__()
        return {"url": self._server.url}

    def kill(self) -> None:
        self._server.away = True

    def start(self) -> None:
        self._server.away = False

    def stop(self) -> None:
        self._server.__exit__(None, None, None)

    def results(self) -> list[tuple[int, str]]:
        bodies = list(self._server.taken.get("/results", []))
        return [(found["n"], found["name"]) for body in bodies for found in json.loads(body)]


class Twitter(Following, System):
    """TwitterSource, whose stream fills gaps, into files; X is away for a while."""

    name = "twitter"

    def _make(self, folder: Path, numbers: range) -> dict[str, Any]:
        from tests.support.servers.twitter import TOKEN, TwitterServer

        self._server = TwitterServer()
        self._server.__enter__()
        self._append(numbers)
        return {"url": self._server.url, "token": TOKEN}

    def _append(self, numbers: range) -> None:
        self._server.post(*(f"{n},n{n}" for n in numbers))

    def kill(self) -> None:
        self._server.away = True
        self._server.disconnect()

    def start(self) -> None:
        self._server.away = False

    def stop(self) -> None:
        self._server.__exit__(None, None, None)
