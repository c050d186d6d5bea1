"""What belongs to the whole process is after each test as it was before, so that no test sees what another one set."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import fields
from functools import partial

import pytest

from datastream.config.settings import settings

_FRAMES = sys.getrecursionlimit()
_OF_LOGGERS = ("handlers", "filters", "disabled", "propagate")
_LOGGERS = (logging.getLogger(), logging.getLogger("datastream"))


def without_exhausted_frames(report: Callable[[sys.UnraisableHookArgs], object], args: sys.UnraisableHookArgs) -> None:
    """Tell pytest of what a finalizer raised, unless it had no frames left.

    Deeply nested data uses up the frames that Python allows. A garbage collection that happens to come then, at the
    bottom, runs finalizers and callbacks of weak references of any library, which cannot call anything there.
    """
    if not issubclass(args.exc_type, RecursionError):
        report(args)


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    sys.unraisablehook = partial(without_exhausted_frames, sys.unraisablehook)  # pytest's own, which is there by now


@pytest.fixture(autouse=True)
def process_as_it_was() -> Iterator[None]:
    """Put back logging, structlog, the command's settings, ``sys.argv``, ``sys.path`` and the limit of frames."""
    sys.setrecursionlimit(_FRAMES)  # table environments raise it
    argv, path = list(sys.argv), list(sys.path)
    ours = {each.name: copy(getattr(settings(), each.name)) for each in fields(settings())}
    loggers = [(logger, logger.level, {name: copy(vars(logger)[name]) for name in _OF_LOGGERS}) for logger in _LOGGERS]
    filters = [(handler, list(handler.filters)) for logger in _LOGGERS for handler in logger.handlers]
    disabled = logging.root.manager.disable
    yield
    sys.argv, sys.path[:] = argv, path
    for name, value in ours.items():
        setattr(settings(), name, value)
    for logger, level, attributes in loggers:
        vars(logger).update(attributes)
        if logger.level != level:
            logger.setLevel(level)
    for handler, before in filters:
        handler.filters = before
    if logging.root.manager.disable != disabled:
        logging.disable(disabled)
    structlog = sys.modules.get("structlog")
    if structlog is not None and structlog.is_configured():
        structlog.reset_defaults()
