"""structlog's configuration: what it logs goes to a `JobLogHandler`."""

from __future__ import annotations

import importlib.util
import logging
import sys
from collections.abc import MutableMapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from .handler import JobLogHandler


class _Logger(NamedTuple):
    """What structlog takes for the logger; the last processor does the work.

    Attributes:
        name: What ``structlog.get_logger`` was given.
    """

    name: str | None = None


def configure(handler: JobLogHandler, level: int) -> None:
    """Let structlog log to a handler. A script that configures structlog later has its way.

    Args:
        handler: Takes the messages.
        level: Lowest level that is logged.
    """
    import structlog

    def hand_on(logger: _Logger, method: str, event: MutableMapping[str, Any]) -> NoReturn:
        handler.structured(event.pop("level"), logger.name, event)
        raise structlog.DropEvent

    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.StackInfoRenderer(),
            structlog.processors.format_exc_info,
            hand_on,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=_Logger,
        cache_logger_on_first_use=False,
    )


def is_ours() -> bool:
    """Whether structlog is imported, and configured as `configure` does."""
    structlog: Any = sys.modules.get("structlog")
    return structlog is not None and structlog.get_config()["logger_factory"] is _Logger


class _WhenImported(MetaPathFinder):
    """Configures structlog as soon as it is imported: the import takes 0.2 s, and most functions do without."""

    def __init__(self, handler: JobLogHandler, level: int) -> None:
        self._given = handler, level

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "structlog":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            return None
        load: Any = spec.loader
        execute = load.exec_module

        def execute_and_configure(module: ModuleType) -> None:
            execute(module)
            configure(*self._given)

        load.exec_module = execute_and_configure
        return spec


def configure_on_import(handler: JobLogHandler, level: int = logging.INFO) -> None:
    """Configure structlog now if it is imported, else once it is."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _WhenImported)]
    structlog: Any = sys.modules.get("structlog")
    if structlog is None:
        sys.meta_path.insert(0, _WhenImported(handler, level))
    else:
        configure(handler, level)
