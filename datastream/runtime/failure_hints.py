"""What probably went wrong when a user's function raised, and what to do about it: one line below the error."""

from __future__ import annotations

import re
import sys
from inspect import isgenerator
from types import FrameType, TracebackType
from typing import Any

from datastream.errors import TypeMismatch
from datastream.functions import AggregateFunction
from datastream.graph import Operator
from datastream.graph.operators import Reduce
from datastream.graph.operators.block_calc import BlockCalc
from datastream.graph.operators.relational import Calc, KeepingOperator, LocalAggregate
from datastream.state import ValueState
from datastream.state.maps import ReadableMap
from datastream.types.checks import TYPES_CHECK

_NONE = re.compile(r"\bNoneType\b")
_NAIVE_AND_AWARE = re.compile(r"offset-naive and offset-aware")

_RETURNED_NONE = (
    "the record is None, so a function before this one returned None: let it return a value in every case, or remove "
    "such records with filter(lambda value: value is not None)"
)
_NOT_BROUGHT = (
    "the workers have no such module: bring it with the job, by a requirements file (env.set_python_requirements, "
    "-pyreq) or as a file of your own (env.add_python_file, -pyfs)"
)
_GENERATOR = "a function that yields was given to map, so the record is a generator: use flat_map, or return one value"
_NO_VALUE = "ValueState.value() is None for a key that it was never updated for"
_NO_ENTRY = "MapState.get(key), or state[key], is None for a map key that was never put"

_OTHER_TYPE = (
    "convert the value in the function, or declare the type that it has; "
    f"-D {TYPES_CHECK}=coerce converts what it can, off tests nothing"
)

#: Operators of expressions, whose own hint is enough: what the setting converts are results of functions.
_OF_TABLES = (Calc, BlockCalc, KeepingOperator, LocalAggregate)

#: Methods of an AggregateFunction, and how many of their last arguments are accumulators.
_ACCUMULATORS = {"add": 1, "get_result": 1, "merge": 2}
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
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] not in sys.modules:
        return _NOT_BROUGHT
    if not isinstance(error, (TypeError, AttributeError, ValueError)):
        return None
    if isinstance(error, TypeMismatch):
        if error.hint and isinstance(op, _OF_TABLES):
            return None
        return _GENERATOR if isgenerator(record) else _RETURNED_NONE if record is None else _OTHER_TYPE
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
        frames = _frames(trace)
        return _no_accumulator(frames) or _empty_state(op, frames)
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


def _no_accumulator(frames: list[FrameType]) -> str | None:
    """Whether an aggregate function was given None for an accumulator: a method of its own returned it."""
    for frame in frames:
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount]
        if not names or not isinstance(frame.f_locals.get(names[0]), AggregateFunction):
            continue
        accumulators = names[len(names) - _ACCUMULATORS.get(code.co_name, 0) :]
        if any(frame.f_locals.get(name, frame) is None for name in accumulators):
            return (
                "the accumulator is None: create_accumulator(), add(value, accumulator) and merge(a, b) must return "
                "the accumulator, also where they change it in place"
            )
    return None


def _empty_state(op: Operator, frames: list[FrameType]) -> str | None:
    """What a state at hand gives where nothing is kept; None where the function has no such state."""
    held = [*getattr(op.rich_function, "__dict__", {}).values()]
    held += (value for frame in frames for value in frame.f_locals.values())
    hints = [
        text
        for kind, text in ((ValueState, _NO_VALUE), (ReadableMap, _NO_ENTRY))
        if any(isinstance(value, kind) for value in held)
    ]
    return f"something is None here: {'; or '.join(hints)}" if hints else None


def _frames(trace: TracebackType | None) -> list[FrameType]:
    frames = []
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    return frames


def _frame_of(code: Any, trace: TracebackType | None) -> FrameType | None:
    return next((frame for frame in _frames(trace) if frame.f_code is code), None)
