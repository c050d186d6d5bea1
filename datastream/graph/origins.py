"""Which line of the user's program makes an operator."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from datastream import package

from .operators import Origin

_origin: ContextVar[Origin | None] = ContextVar("origin", default=None)


@contextmanager
def made_at(origin: Origin) -> Iterator[None]:
    """Let what is made meanwhile name this line, as for a program that is no Python."""
    token = _origin.set(origin)
    try:
        yield
    finally:
        _origin.reset(token)


def caller() -> Origin | None:
    """The line of the user's program that called into this project."""
    if (origin := _origin.get()) is not None:
        return origin
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(package.FOLDER):
        frame = frame.f_back
    return Origin(frame.f_code.co_filename, frame.f_lineno) if frame is not None else None
