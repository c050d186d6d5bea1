"""The log of a worker process. Each message is one write, so what was logged outlives the process, however it ends."""

from __future__ import annotations

import logging
import os
import socket
from contextlib import suppress

from datastream.config.log_settings import LogSettings

from . import structured
from .entry import Entry, to_json
from .handler import JobLogHandler
from .rate_limit import RateLimit

#: The way to a driver on the same machine; None: the log goes to standard error.
_driver: socket.socket | None = None
_handler: JobLogHandler | None = None


def log_to(descriptor: int) -> None:
    """This process and its forks log to the driver, through a socket that takes a message at a time."""
    global _driver
    _driver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM, fileno=descriptor)


def begin(settings: LogSettings | None = None) -> None:
    """Take what is logged in this process from now on.

    Args:
        settings: The job's; None: not known yet.
    """
    global _handler
    root = logging.getLogger()
    if _handler is None:
        _handler = JobLogHandler(_send)
        root.addHandler(_handler)
        root.setLevel(logging.INFO)
        structured.configure_on_import(_handler)
    if settings is not None:
        _handler.limit = RateLimit(settings.per_second)
        if settings.level != "INFO":
            root.setLevel(settings.level)
            structured.configure_on_import(_handler, root.level)


def _send(entry: Entry) -> None:
    line = to_json(entry)
    with suppress(OSError):
        if _driver is not None:
            _driver.send(line)
            return
    with suppress(OSError):  # the log is no longer read, but the function is not to fail for that
        os.write(2, line + b"\n")
