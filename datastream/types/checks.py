"""How the job that the present code works for checks values against their declared types."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from typing import TYPE_CHECKING

from datastream.errors import ValidationError

if TYPE_CHECKING:
    from datastream.config import Configuration

#: The setting.
TYPES_CHECK = "datastream.types.check"

_check: ContextVar[str] = ContextVar(TYPES_CHECK, default="flink")
_said: set[str] = set()


def configured_check(configuration: Configuration) -> str:
    """The value of the setting.

    Raises:
        ValidationError: It is none of those there are.
    """
    found = configuration.get_string(TYPES_CHECK, "flink").lower()
    if found not in ("flink", "strict", "coerce", "off"):
        raise ValidationError(f"{TYPES_CHECK} must be flink, strict, coerce or off, got {found!r}")
    return found


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
