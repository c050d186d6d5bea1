"""What probably went wrong when a user's function raised, and what to do about it: one line below the error."""

from __future__ import annotations

import re
from inspect import isgenerator
from types import FrameType, TracebackType
from typing import Any

from datastream.graph import Operator
from datastream.graph.operators import Reduce

_NONE = re.compile(r"\bNoneType\b")
_NAIVE_AND_AWARE = re.compile(r"offset-naive and offset-aware")

_RETURNED_NONE = (
    "the record is None, so a function before this one returned None: let it return a value in every case, or remove "
    "such records with filter(lambda value: value is not None)"
)
_GENERATOR = "a function that yields was given to map, so the record is a generator: use flat_map, or return one value"
_NOTHING_YET = "something is None here: ValueState.value() is None for a key that it was never updated for"
_TIME_ZONES = (
    "one of the two times has a time zone and the other has not: make both with one, such as "
    "datetime.fromtimestamp(seconds, timezone.utc) or value.replace(tzinfo=timezone.utc)"
)


def hint(error: BaseException, op: Operator, record: Any, trace: TracebackType | None) -> str | None:
    """Return the hint for a failure, or None where nothing can be said.

    Args:
        error: What was raised.
        op: The operator that ran.
        record: The record in hand, or `NO_RECORD`.
        trace: The traceback from the user's function on.
    """
    if not isinstance(error, (TypeError, AttributeError, ValueError)):
        return None
    text = str(error)
    if isgenerator(record) or "'generator'" in text:
        return _GENERATOR
    if isinstance(op, Reduce):
        found = _other_type(op, trace)
        if found is not None:
            return found
    if _NONE.search(text):
        if record is None:
            return _RETURNED_NONE
        if op.keyed and op.rich_function is not None:
            return _NOTHING_YET
    return _TIME_ZONES if _NAIVE_AND_AWARE.search(text) else None


def _other_type(op: Reduce, trace: TracebackType | None) -> str | None:
    """Whether a reduce function was called with two values of different types: the first is its own last result."""
    frame = _frame_of(getattr(op.function, "__code__", None), trace)
    if frame is None:
        return None
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount][-2:]
    first, second = (frame.f_locals.get(name) for name in names)
    if type(first) is type(second):
        return None
    return (
        f"the first argument of reduce is its own last result, of type {type(first).__name__}, but the records are of "
        f"type {type(second).__name__}: reduce must return the type of the records; map them first, or use aggregate"
    )


def _frame_of(code: Any, trace: TracebackType | None) -> FrameType | None:
    while trace is not None:
        if trace.tb_frame.f_code is code:
            return trace.tb_frame
        trace = trace.tb_next
    return None
