"""A container's log, line by line."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from datastream.kubernetes.log_lines import split_lines

#: After a pause of this number of seconds an empty line is passed on.
_QUIET_S = 1.0
#: The number of lines that are read ahead of who wants them.
_AHEAD = 16
_CHARS = 256 << 10
_STARTS_S = 0.2


def container_lines(container: Any, last: int | None, follow: Callable[[], bool] | None) -> Iterator[str]:
    """The lines that a container has written.

    Args:
        container: Of the Docker client.
        last: Only this number of the last lines; None: all.
        follow: Go on while it says true, until the container ends; an empty line is given each second in which there is
            no other. None: end where the log ends now.
    """
    while follow is not None and container.status == "created":
        if not follow():
            return
        yield ""
        time.sleep(_STARTS_S)
        container.reload()
    tail: int | str = "all" if last is None else last
    if follow is None:
        stream = container.logs(stream=True, follow=False, tail=tail)
        try:
            yield from split_lines(stream)
        finally:
            with suppress(Exception):  # it may have ended by itself
                stream.close()
    else:
        yield from followed(container.logs(stream=True, follow=True, tail=tail), follow)


def followed(stream: Any, follow: Callable[[], bool]) -> Iterator[str]:
    """The lines of a stream whose reading blocks; empty ones in between.

    Args:
        stream: Yields bytes, and ends when it is closed.
        follow: Go on while it says true.
    """
    lines: queue.Queue[str | BaseException | None] = queue.Queue(_AHEAD)
    left = threading.Event()

    def put(item: str | BaseException | None) -> bool:
        while not left.is_set():
            with suppress(queue.Full):
                lines.put(item, timeout=_QUIET_S)
                return True
        return False

    def read() -> None:
        try:
            for line in split_lines(stream):
                if not put(line[:_CHARS]):
                    return
            put(None)
        except Exception as error:  # told where the lines are wanted
            put(error)

    reader = threading.Thread(target=read, daemon=True, name="datastream-container-log")
    reader.start()
    looked = time.monotonic()
    try:
        while True:
            try:
                line = lines.get(timeout=_QUIET_S)
            except queue.Empty:
                line = ""
            if line is None:
                return
            if isinstance(line, BaseException):
                raise line
            yield line
            if time.monotonic() - looked >= _QUIET_S:
                looked = time.monotonic()
                if not follow():
                    return
    finally:
        left.set()
        with suppress(Exception):  # it may have ended by itself
            stream.close()
        reader.join(_QUIET_S)
