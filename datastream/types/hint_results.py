"""What the annotations of a function say about the records that it makes."""

from __future__ import annotations

import collections.abc as abc
import functools
import inspect
import types
import typing
from typing import Any

from datastream.types.factories import Types
from datastream.types.hints import may_be_none, one_of, resolved, type_of_hint, without_none
from datastream.types.type_information import TypeInformation

_ANY = Types.PICKLED_BYTE_ARRAY()
#: What gives one value after the other, all of the first argument's type.
_SERIES = (
    abc.Iterable,
    abc.Iterator,
    abc.Generator,
    abc.Collection,
    abc.Sequence,
    abc.MutableSequence,
    abc.Set,
    abc.MutableSet,
    list,
    set,
    frozenset,
)


def result_hint(function: Any) -> TypeInformation | None:
    """The type of the value that a function returns for a record.

    Args:
        function: A function, method, partial, class or object with `__call__`.

    Returns:
        None when it has no annotation, or one that cannot be understood. It never raises.
    """
    try:
        hint = _returns(function)
        if hint is inspect.Parameter.empty:
            return None
        return _ANY if may_be_none(hint) else type_of_hint(hint)
    except Exception:  # a hint is an offer: what cannot be read is not there
        return None


def element_hint(function: Any) -> TypeInformation | None:
    """The type of the values that a function yields, or returns in a list, for a record.

    Args:
        function: A function, method, partial or object with `__call__`.

    Returns:
        None when it has no annotation of a series, or one that cannot be understood. It never raises.
    """
    try:
        hint = _returns(function)
        if hint is inspect.Parameter.empty:
            return None
        elements = [_element(member) for member in without_none(hint)[0]]
        if not elements or inspect.Parameter.empty in elements:
            return None
        return _ANY if any(map(may_be_none, elements)) else one_of(map(type_of_hint, elements))
    except Exception:
        return None


def _element(hint: Any) -> Any:
    """What a series is a series of, or empty."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _element(args[0])
    if origin in _SERIES and args:
        return args[0]
    if origin is tuple and args:
        members = [arg for arg in args if arg is not Ellipsis]
        return members[0] if len(set(members)) == 1 else inspect.Parameter.empty
    return inspect.Parameter.empty


def _returns(function: Any) -> Any:
    """The return annotation without strings inside, or empty."""
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, type):
        return function
    if not isinstance(function, (types.FunctionType, types.MethodType)) and not hasattr(function, "__wrapped__"):
        function = type(function).__call__
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return inspect.Parameter.empty
    annotations = getattr(function, "__annotations__", None) or {}
    if "return" not in annotations:
        return inspect.Parameter.empty
    code = inspect.unwrap(getattr(function, "__func__", function))
    return resolved(annotations["return"], getattr(code, "__globals__", {}))
