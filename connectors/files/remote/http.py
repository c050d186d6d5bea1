"""Files of web servers, which are only read."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import IO, Any

from datastream.connectors.files.listing import FoundFile
from datastream.connectors.files.parts import changed, gone
from datastream.errors import JobError

from .file_system import FileSystem
from .location import Location

_PLAIN = {"Accept-Encoding": "identity"}


class HttpFileSystem(FileSystem):
    """The files of one web server, each by its full URL.

    Args:
        location: Anything on the server.
    """

    listable = False

    def __init__(self, location: Location) -> None:
        import httpx

        # It logs each URL, and a URL may hold a token.
        logging.getLogger("httpx").setLevel(logging.WARNING)
        self._location = location
        user, password = location.user
        auth = (user, password) if user else None
        self._client = httpx.Client(auth=auth, follow_redirects=True, timeout=60, headers=_PLAIN)
        self._errors = (httpx.TransportError,)

    def stat(self, uri: str) -> FoundFile | None:
        with self._asked("look at", uri):
            answer = self._client.head(self._url(uri))
            if answer.status_code in (405, 501):  # it answers no HEAD
                with self._client.stream("GET", self._url(uri)) as begun:
                    answer = begun
        if answer.status_code in (404, 410):
            return None
        self._check(answer, "look at", uri)
        if "Content-Length" not in answer.headers:
            raise JobError(f"the server of {uri} does not say how many bytes it has; download it, and read the copy")
        modified = answer.headers.get("Last-Modified")
        modified_ns = int(parsedate_to_datetime(modified).timestamp() * 1e9) if modified else 0
        return FoundFile(uri, int(answer.headers["Content-Length"]), modified_ns)

    def find(self, prefix: str, after: str = "") -> Iterator[FoundFile]:
        raise JobError(f"{prefix}: web servers do not list their files; give each one's URL")

    def opened(self, uri: str, size: int) -> tuple[Callable[[int, int], bytes], Callable[[], None]]:
        copy: list[IO[bytes]] = []

        def fetch(start: int, stop: int) -> bytes:
            if not copy:
                with (
                    self._asked("read", uri),
                    self._client.stream(
                        "GET", self._url(uri), headers={"Range": f"bytes={start}-{stop - 1}"}
                    ) as answer,
                ):
                    if answer.status_code in (404, 410):
                        raise gone(uri)
                    if answer.status_code == 416:
                        raise changed(uri, size, "fewer")
                    self._check(answer, "read", uri)
                    if answer.status_code == 206:
                        now = answer.headers.get("Content-Range", "").rpartition("/")[2]
                        if now.isdigit() and int(now) != size:
                            raise changed(uri, size, now)
                        return answer.read()
                    # It serves no ranges, only the whole file.
                    copy.append(tempfile.TemporaryFile())  # noqa: SIM115  `close` closes it
                    for data in answer.iter_bytes(1024 * 1024):
                        copy[0].write(data)
            if copy[0].seek(0, 2) != size:
                raise changed(uri, size, copy[0].tell())
            copy[0].seek(start)
            return copy[0].read(stop - start)

        def close() -> None:
            for file in copy:
                file.close()

        return fetch, close

    def _url(self, uri: str) -> str:
        query = self._location.query
        return f"{uri}?{query}" if query else uri

    @contextmanager
    def _asked(self, what: str, uri: str) -> Iterator[None]:
        try:
            yield
        except self._errors as error:
            raise ConnectionError(
                f"{self._location.root} does not answer to {what} {uri}: {type(error).__name__}"
            ) from None  # its own message may hold the whole URL

    def _check(self, answer: Any, what: str, uri: str) -> None:
        status = answer.status_code
        if status < 300:
            return
        if status == 429 or status >= 500:
            raise ConnectionError(f"{self._location.root} could not {what} {uri}: status {status}")
        hint = "; give user and password as https://user:password@host/..." if status in (401, 403) else ""
        raise JobError(f"{self._location.root} refuses to {what} {uri}: status {status}{hint}")
