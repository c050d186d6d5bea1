"""User functions: a plain callable, or an object with a method of a known name."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from typing import Any

from datastream.errors import WrongType, cut

_LOGGER = logging.getLogger("datastream")

#: Methods that give one result: a generator of it is none.
_ONE_RESULT = ("map", "filter", "reduce", "get_key")


def resolve(function: Any, method: str, arguments: tuple[str, ...], where: str) -> tuple[Callable[..., Any], Any]:
    """The callable to run, and the user's object if it has ``open`` and ``close``.

    Args:
        function: What the user passed.
        method: The method that an object must have, for instance ``map``.
        arguments: Names of what it is called with.
        where: The API call, for messages.

    Raises:
        ValidationError: it cannot be called, or not with that many arguments.
    """
    instance = None
    target = function
    if not inspect.isclass(function) and callable(getattr(function, method, None)):
        instance, target = function, getattr(function, method)
    elif inspect.isclass(function) and hasattr(function, method):
        raise WrongType(f"{where} got the class {function.__name__}; pass an object: {function.__name__}()")
    elif not callable(function):
        raise WrongType(
            f"{where} needs a function of ({', '.join(arguments)}) or an object with a method "
            f"{method}({', '.join(arguments)}), got {cut(function)}{_instead(function, method)}"
        )
    check_arity(target, arguments, where)
    if method in _ONE_RESULT and inspect.isgeneratorfunction(target):
        instead = ", which always counts as true" if method == "filter" else "; for several results use flat_map"
        _LOGGER.warning("%s: %s yields, so what it returns is a generator%s", where, _known_as(target), instead)
    return target, instance


def _instead(got: Any, method: str) -> str:
    """What was probably meant by something that cannot be called."""
    if method == "get_key" and isinstance(got, (str, int)):
        return f"; for a field: key_by(lambda value: value[{got!r}])"
    if is_builder(got):
        return "; call .build() on it"
    return "; pass the function itself, without calling it"


def is_builder(got: Any) -> bool:
    """Whether it is a builder such as `FileSink.for_row_format` returns, whose ``build()`` was not called."""
    return callable(getattr(got, "build", None))


def _place(function: Any) -> str:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f" at {code.co_filename}:{code.co_firstlineno}" if code else ""


def _known_as(function: Any) -> str:
    return f"{getattr(function, '__qualname__', cut(function))}{_place(function)}"


def check_arity(function: Callable[..., Any], arguments: tuple[str, ...], where: str) -> None:
    """Refuse a function that cannot be called with this number of arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a builtin without a signature
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        place = _place(function)
        name = getattr(function, "__qualname__", cut(function))
        raise WrongType(
            f"{where} calls its function with {len(arguments)} argument{'s' * (len(arguments) != 1)} "
            f"({', '.join(arguments)}), but {name}{signature}{place} cannot be called so"
        ) from None
