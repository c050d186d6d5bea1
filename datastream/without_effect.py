"""Marks what is accepted so that scripts of PyFlink run, and changes nothing here."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
C = TypeVar("C", bound=type[Any])

_warned: set[str] = set()


def without_effect(reason: str, warn: bool = True) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Mark a method whose call changes nothing: its first call in a process logs a warning with the reason.

    Args:
        reason: Why it has no effect, or what has it instead; the end of a sentence.
        warn: Whether to log it. Default: yes; no where functions call it in the workers, or ask for what is so anyway.
    """

    def mark(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            if warn:
                warn_once(f"{type(args[0]).__qualname__}.{function.__name__}", reason)
            return function(*args, **kwargs)

        call.__dict__["without_effect"] = reason
        return call

    return mark


def class_without_effect(reason: str) -> Callable[[C], C]:
    """Mark a class whose objects nothing reads: the first that is made in a process logs a warning.

    Args:
        reason: Why they have no effect, or what has it instead; the end of a sentence.
    """

    def mark(cls: C) -> C:
        made = cls.__init__

        @functools.wraps(made)
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            warn_once(type(self).__qualname__, reason)
            made(self, *args, **kwargs)

        cls.__init__ = init
        cls.without_effect = reason
        return cls

    return mark


def warn_once(name: str, reason: str) -> None:
    """Log that something has no effect, unless this process has done so for the same name."""
    if name not in _warned:
        _warned.add(name)
        logging.getLogger("datastream").warning("%s has no effect: %s", name, reason)
