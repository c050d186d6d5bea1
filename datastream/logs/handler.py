"""Takes what user functions log, by `logging` or structlog, and makes entries of it."""

from __future__ import annotations

import inspect
import logging
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from datastream.config.log_settings import LogSettings
from datastream.config.settings import settings
from datastream.environments.secret_values import hide, secrets_of

from . import place
from .entry import Entry, add_own, plain, shortened, timestamp
from .rate_limit import RateLimit

#: What a record of `logging` has; the rest was given as ``extra``.
_STANDARD = {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"}

#: The logger of the project itself.
_OWN = "datastream"

_handlers: list[JobLogHandler] = []


def report_left_out() -> None:
    """Let the process's handlers log how many messages they have left out so far."""
    for handler in _handlers:
        handler.report_left_out()


class JobLogHandler(logging.Handler):
    """Hands on messages as entries, with the job, operator, subtask and epoch that they come from.

    Args:
        write: Takes the entries.
        outside: Lowest level of messages that come from no job: the driver's libraries have much to say.
        skipped: A logger whose messages are shown elsewhere, with all below it.

    Attributes:
        inside: Lowest level of messages that come from a job.
        limit: How many messages a line of a job's code may log.
    """

    def __init__(
        self, write: Callable[[Entry], None], outside: int = logging.NOTSET, skipped: str | None = None
    ) -> None:
        super().__init__()
        self._write, self.outside, self.skipped = write, outside, skipped
        self.inside = logging.NOTSET
        self.limit = RateLimit(LogSettings.per_second)
        _handlers.append(self)

    def emit(self, record: logging.LogRecord) -> None:
        here = place.current()
        if self._skips(record.name) or record.levelno < (self.outside if here is None else self.inside):
            return
        try:
            event = record.getMessage()
        except Exception as error:
            event = f"{plain(record.msg)} (its arguments {plain(record.args)} do not fit: {plain(error)})"
        extra = {key: value for key, value in vars(record).items() if key not in _STANDARD}
        with _fails_nobody(record.name):
            self._take(
                here,
                record.levelname.lower(),
                record.name,
                event,
                (record.pathname, record.lineno),
                extra,
                exception=_exception(record.exc_info) or record.exc_text,
                stack=record.stack_info,
                created=record.created,
            )

    def structured(self, level: str, name: str | None, fields: MutableMapping[str, Any]) -> None:
        """Take a message of structlog.

        Args:
            level: Its level, as structlog names it.
            name: The logger's; None: that of the module that logs.
            fields: The event, its fields and the exception.
        """
        here = place.current()
        if here is not None and name != _OWN and logging.getLevelNamesMapping()[level.upper()] < self.inside:
            return
        frame = _caller()
        site = ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
        event = fields.pop("event", "")
        exception, stack = fields.pop("exception", None), fields.pop("stack", None)
        name = name or ("root" if frame is None else frame.f_globals.get("__name__", "root"))
        self.acquire()
        try:
            with _fails_nobody(name):
                self._take(here, level, name, event, site, fields, exception, stack, time.time())
        finally:
            self.release()

    def report_left_out(self) -> None:
        """Log how many messages were left out so far."""
        self.acquire()
        try:
            self._report_left_out(all=True)
        finally:
            self.release()

    def _skips(self, name: str) -> bool:
        return self.skipped is not None and f"{name}.".startswith(f"{self.skipped}.")

    def _take(
        self,
        here: place.Place | None,
        level: str,
        name: str,
        event: Any,
        site: tuple[str, int],
        own: Mapping[str, Any],
        exception: str | None,
        stack: str | None,
        created: float,
    ) -> None:
        window = None if here is None or name == _OWN else self.limit.admit(site)
        self._report_left_out()
        if window is not None and window.sample is not None:
            return
        if here is None or name == _OWN:  # what functions log is theirs
            event, exception, stack = _hidden(event), _hidden(exception), _hidden(stack)
            own = {key: _hidden(value) for key, value in own.items()}
        entry: Entry = {"timestamp": timestamp(created), "level": level, "logger": name}
        entry["event"] = shortened(event) if isinstance(event, str) else event
        if here is not None:
            entry.update(here.fields(_caller()))
            if name != _OWN:
                entry["line"] = f"{site[0]}:{site[1]}"
        if window is not None:
            window.sample = entry
            return
        add_own(entry, own)
        if exception:
            entry["exception"] = shortened(exception)
        if stack:
            entry["stack"] = shortened(stack)
        self._write(entry)

    def _report_left_out(self, all: bool = False) -> None:
        for window in self.limit.take_left_out(all):
            assert window.sample is not None
            event = f"{window.left_out} more messages of this line were left out: it logged more than "
            event += f"{self.limit.per_second} in a second (datastream.log.max-per-second)"
            self._write(
                {**window.sample, "timestamp": timestamp(time.time()), "event": event, "left_out": window.left_out}
            )


@contextmanager
def _fails_nobody(logger: str) -> Iterator[None]:
    """As Python has it, a message that cannot be logged is printed on standard error, and its author's code goes on."""
    try:
        yield
    except Exception as error:
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(f"a message of the logger {logger} could not be logged: {plain(error)}\n")


def _hidden(value: Any) -> Any:
    return hide(value, secrets_of(settings().properties)) if isinstance(value, str) else value


def _exception(info: Any) -> str | None:
    if not info or info[0] is None:
        return None
    return "".join(traceback.format_exception(*info)).rstrip()


def _caller() -> FrameType | None:
    """The frame that logs."""
    frame = inspect.currentframe()
    while frame is not None and _logs(str(frame.f_globals.get("__name__"))):
        frame = frame.f_back
    return frame


def _logs(module: str) -> bool:
    """Whether a module does nothing but log what others say."""
    return module.startswith("datastream.logs.") or module.partition(".")[0] in ("logging", "structlog")
