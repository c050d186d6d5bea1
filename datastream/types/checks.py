"""How the job that the present code works for checks values against their declared types."""

from __future__ import annotations

import logging
from contextvars import ContextVar

#: The setting.
TYPES_CHECK = "datastream.types.check"

_check: ContextVar[str] = ContextVar(TYPES_CHECK, default="flink")
_said: set[str] = set()


def enter(check: str) -> str:
    """From now on the present thread works for a job with this value of the setting.

    Returns:
        The value before.
    """
    before = _check.get()
    _check.set(check)
    return before


def converts() -> bool:
    """Whether what Flink converts without being asked is converted; ``strict`` refuses it."""
    return _check.get() != "strict"


def say_once(what: str) -> None:
    """Log, the first time in a process, that values are converted.

    Args:
        what: The beginning of a sentence, such as ``JSON: field price: a number is read as String, as in Flink``.
    """
    if what not in _said and len(_said) < 1000:
        _said.add(what)
        logging.getLogger("datastream").warning("%s; -D %s=strict refuses it", what, TYPES_CHECK)
