"""The sockets that a test has made."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def open_sockets() -> Iterator[Callable[[], int]]:
    """Gives a function: how many of the sockets that this thread has made within the block are open.

    They are held, so that none is closed as garbage. Those of other threads, such as a Spark session's, do not count.
    """
    made: list[socket.socket] = []
    thread = threading.current_thread()
    begin = socket.socket.__init__

    def begin_and_note(self: socket.socket, *arguments: Any, **named: Any) -> None:
        begin(self, *arguments, **named)
        if threading.current_thread() is thread:
            made.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "__init__", begin_and_note)
        yield lambda: sum(each.fileno() != -1 for each in made)
