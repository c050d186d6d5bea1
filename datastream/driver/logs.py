"""The command's own log. structlog takes 0.2 s to import, so people's format only sets it up where it is in use."""

from __future__ import annotations

import logging
import sys
from typing import Any

from datastream.logs import job_log
from datastream.logs.handler import JobLogHandler
from datastream.plain_text import indented


def configure(log_format: str, verbose: bool = False) -> None:
    """Write what structlog is given to stderr, and as JSON what the standard library's logging is given too.

    Args:
        log_format: ``json``, one object a line; or ``console``.
        verbose: Messages of structlog of level debug too; else info and above.
    """
    show = job_log.as_json if log_format == "json" else job_log.as_text
    show(_level(verbose))


def _level(verbose: bool) -> int:
    return logging.DEBUG if verbose else logging.INFO


class _ForPeople(logging.Handler):
    """Writes a line to stderr, above a live one; leaves it to the root logger's handlers where a script made some."""

    def emit(self, record: logging.LogRecord) -> None:
        if all(isinstance(handler, JobLogHandler) for handler in logging.getLogger().handlers):
            sys.stderr.write(f"{record.levelname.lower()}: {indented(self.format(record))}\n")


def show_warnings() -> None:
    """Write the project's own warnings to stderr."""
    logger = logging.getLogger("datastream")
    if not any(isinstance(handler, _ForPeople) for handler in logger.handlers):
        logger.addHandler(_ForPeople(logging.WARNING))


class ConsoleLogs:
    """Sets structlog up when a job starts, if anything in the process has imported it."""

    def __init__(self, verbose: bool) -> None:
        self._verbose = verbose

    def on_start(self, graph: Any) -> None:
        if "structlog" in sys.modules:
            job_log.as_text(_level(self._verbose))

    def on_epoch(self, summary: Any) -> None:
        pass

    def on_restart(self, restart: Any) -> None:
        pass

    def on_end(self, status: str, error: BaseException | None) -> None:
        pass
