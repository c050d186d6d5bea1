"""Names that Flink had before: they are taken, and a warning says what the new ones are."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_warned: set[str] = set()


def warn_of_old(name: str, instead: str) -> None:
    """Log that a name is an old one, unless this process has done so for the same name.

    Args:
        name: The old name.
        instead: What to write now.
    """
    if name not in _warned:
        _warned.add(name)
        logging.getLogger("datastream").warning("%s is old: write %s", name, instead)


def old_keywords(**names: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function take arguments by the names that they had before.

    Args:
        names: Old name -> new name.
    """

    def renaming(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            if kwargs.keys() & names.keys():
                for old in kwargs.keys() & names.keys():
                    warn_of_old(f"the argument {old} of {function.__name__}", names[old])
                given: dict[str, Any] = {names.get(name, name): value for name, value in kwargs.items()}
                if len(given) < len(kwargs):
                    raise TypeError(f"{function.__name__}() got an argument by its old name and by its new one")
                return function(*args, **given)
            return function(*args, **kwargs)

        return call

    return renaming
