"""The driver's log: what it says itself, and what comes from the workers of its machine."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from datastream.config.log_settings import LogSettings
from datastream.config.settings import settings
from datastream.environments.secret_values import hide, secrets_of
from datastream.plain_text import plain

from . import structured
from .entry import Entry, shortened, timestamp, to_json, to_text
from .handler import JobLogHandler
from .rate_limit import RateLimit

_handler: JobLogHandler | None = None
_followers: list[Callable[[str], None]] = []


def follow(take: Callable[[str], None]) -> None:
    """Hand each message that the driver logs from now on to a function too, in the form that is shown.

    Args:
        take: Called from any thread, perhaps while a message is logged: it logs nothing itself.
    """
    _followers.append(take)


def show(line: bytes) -> None:
    """Show a JSON line that a worker has logged.

    Where the script has configured `logging`, its handlers show it, as if the function ran in the script's process.
    """
    try:
        _show(line)
    except Exception as error:  # a handler of the script's: the workers would wait for whoever reads what they log
        _write(f"{line.decode('utf-8', 'replace')} (not shown otherwise: {type(error).__name__}: {error})")


def pass_on(line: str) -> None:
    """Show a line of Spark's log, which has its form already."""
    _write(plain(hide(line.rstrip("\n"), secrets_of(settings().properties))))


def show_other(text: str) -> None:
    """Show what a process of the job has written to standard error."""
    if settings().log_format == "json":
        entry = {"timestamp": timestamp(time.time()), "level": "warning", "logger": "stderr"}
        _write_entry({**entry, "event": shortened(text.rstrip("\n"))})
    else:
        _write(plain(text.rstrip("\n")))


def as_json(level: int) -> None:
    """Show all that the driver logs as JSON lines.

    Args:
        level: Lowest level of structlog.
    """
    logging.basicConfig(handlers=[_own_handler(outside=logging.WARNING)], level=logging.WARNING)
    structured.configure(_own_handler(), level)


def as_text(level: int) -> None:
    """Show what the driver's code logs with structlog as text, unless the script has configured structlog.

    Args:
        level: Lowest level.
    """
    import structlog

    if not structlog.is_configured():
        structured.configure(_own_handler(), level)


def take_functions(given: LogSettings) -> None:
    """Show what user functions log in this very process, where they run under the local executor.

    A script that has configured `logging`, or that no command of ours runs, shows it itself.

    Args:
        given: Of the job.
    """
    root = logging.getLogger()
    if settings().log_format == "console" and not root.handlers:
        root.addHandler(_own_handler(outside=logging.WARNING, skipped="datastream"))
    if _handler is None:
        return
    level = logging.getLevelNamesMapping()[given.level]
    _handler.inside, _handler.limit = level, RateLimit(given.per_second)
    if _handler in root.handlers and root.level > level:
        root.setLevel(level)
    if level < logging.INFO and structured.is_ours():
        structured.configure(_handler, level)


def _show(line: bytes) -> None:
    if settings().log_format == "json":
        _write(line.decode("utf-8", "replace"))
        return
    entry = json.loads(line)
    root = logging.getLogger()
    if all(isinstance(handler, JobLogHandler) for handler in root.handlers):
        _write_entry(entry)
        return
    record = _record(entry)
    logger = logging.getLogger(record.name)
    if logger.isEnabledFor(record.levelno):
        logger.handle(record)


def _own_handler(outside: int = logging.NOTSET, skipped: str | None = None) -> JobLogHandler:
    global _handler
    if _handler is None:
        _handler = JobLogHandler(_write_entry)
    if outside:
        _handler.outside, _handler.skipped = outside, skipped
    return _handler


def _write_entry(entry: Entry) -> None:
    if settings().log_format == "json":
        _write(to_json(entry).decode("utf-8", "replace"))
    else:
        _write(to_text(entry, colors=sys.stderr.isatty()))


def _write(text: str) -> None:
    # If the log is no longer read, or there is no stderr, the job continues.
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text + "\n")  # the stderr of the moment, so that a live line can stand below the log
        sys.stderr.flush()
    for take in _followers:
        take(text)


def _record(entry: Entry) -> logging.LogRecord:
    """A record of `logging` like the one that was logged in the worker, with the fields as attributes."""
    known = {"timestamp", "level", "logger", "event", "line", "exception", "stack"}
    file, _, line = str(entry.get("line", "")).rpartition(":")
    level = logging.getLevelNamesMapping().get(str(entry["level"]).upper(), logging.INFO)
    record = logging.LogRecord(str(entry["logger"]), level, file, int(line or 0), str(entry["event"]), None, None)
    record.exc_text, record.stack_info = entry.get("exception"), entry.get("stack")
    taken = vars(record)
    taken.update({key: value for key, value in entry.items() if key not in known and key not in taken})
    return record
