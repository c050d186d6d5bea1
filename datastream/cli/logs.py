"""structlog on stderr. It takes 0.2 s to import, so people's format only sets it up where it is in use."""

from __future__ import annotations

import logging
import sys
from typing import Any, TextIO


class _Stderr:
    """The stderr of the moment, so that a live line can stand below the log."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def configure(log_format: str, verbose: bool = False) -> None:
    """Send structlog and the standard library's logging to stderr.

    Args:
        log_format: ``console`` for people, ``json`` for one JSON object a line.
        verbose: Messages of level debug too; else info and above.
    """
    import structlog

    level = logging.DEBUG if verbose else logging.INFO
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    stream: TextIO = _Stderr()  # type: ignore[assignment]  # write and flush are all that is asked of it
    if log_format == "json":
        last: list[Any] = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        handler = logging.StreamHandler(stream)
        handler.setFormatter(
            structlog.stdlib.ProcessorFormatter(
                foreign_pre_chain=[*shared, structlog.stdlib.ExtraAdder(allow=["kind", "operator", "epoch"])],
                processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
            )
        )
        logging.basicConfig(handlers=[handler], level=logging.WARNING)
    else:
        last = [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(stream),
        cache_logger_on_first_use=False,
    )


class _ForPeople(logging.Handler):
    """Writes a line to stderr, above a live one; leaves it to the root logger's handlers where a script made some."""

    def emit(self, record: logging.LogRecord) -> None:
        if not logging.getLogger().handlers:
            sys.stderr.write(f"{record.levelname.lower()}: {self.format(record)}\n")


def show_warnings() -> None:
    """Write the project's own warnings to stderr."""
    logger = logging.getLogger("datastream")
    if not any(isinstance(handler, _ForPeople) for handler in logger.handlers):
        logger.addHandler(_ForPeople())


class ConsoleLogs:
    """Sets structlog up when a job starts, if anything in the process has imported it."""

    def __init__(self, verbose: bool) -> None:
        self._verbose = verbose

    def on_start(self, graph: Any) -> None:
        if "structlog" in sys.modules:
            configure("console", self._verbose)

    def on_epoch(self, summary: Any) -> None:
        pass

    def on_restart(self, restart: Any) -> None:
        pass

    def on_end(self, status: str, error: BaseException | None) -> None:
        pass
