"""From an exception in a worker to an error that names operator, function, line and record."""

from __future__ import annotations

import sysconfig
import traceback
from types import TracebackType
from typing import Any

from datastream import package
from datastream.codegen import FILE_PREFIX
from datastream.errors import (
    NO_RECORD,
    DataStreamError,
    Failure,
    FormatError,
    JobError,
    ProcessLost,
    TypeMismatch,
    UnsupportedOperation,
    ValidationError,
    WorkerFailure,
    cut,
)
from datastream.graph import Operator
from datastream.graph.operators import Timestamps
from datastream.missing_names import with_advice

from .failure_hints import hint

#: Frames of these folders are the standard library's and installed packages', not the user's.
_INSTALLED = tuple({f"{sysconfig.get_path(name)}/" for name in ("stdlib", "platstdlib", "purelib", "platlib")})

#: Errors of ours that do not say where they happened; nor does a `JobError` of a connector.
_WITHOUT_PLACE = (ValidationError, FormatError, TypeMismatch, UnsupportedOperation)


def user_failure(
    error: BaseException,
    op: Operator,
    function: str | None = None,
    record: Any = NO_RECORD,
    trace: TracebackType | None = None,
) -> BaseException:
    """The error to raise in a worker for an exception in the user's or a connector's code.

    Also for one that is no `Exception`: a function that raises KeyboardInterrupt has cancelled no job, and one that
    raises GeneratorExit has closed no generator. So who calls functions catches BaseException, and yields elsewhere.

    Args:
        error: What was raised. Our own errors that already say everything are given back as they are.
        op: The operator that ran.
        function: What ran, as people know it; default: the operator's function.
        record: The record in hand, which may be None; `NO_RECORD`: there was none.
        trace: The traceback from the user's function on; None when it has no Python frames.
    """
    if isinstance(error, (ProcessLost, WorkerFailure)):
        return error
    if isinstance(error, DataStreamError) and not isinstance(error, _WITHOUT_PLACE) and type(error) is not JobError:
        return error
    if _ended_a_generator(error):
        assert error.__cause__ is not None
        error = error.__cause__
        trace = error.__traceback__
    if _is_no_list(error, trace):
        came = str(error).partition(" object")[0]
        error = ValidationError(f"the function must yield its results, or return a list of them; it returned {came}")
    error = with_advice(error)
    error.__traceback__ = trace
    what, place = function or describe(op), _location(trace, op)
    return WorkerFailure(
        Failure.of(error, op.name, what, place, _shown(op, record), hint(error, op, record, trace), op.written)
    )


def _shown(op: Operator, record: Any) -> Any:
    """What people see of a record; the record itself where it is not what the operator takes it for."""
    if record is NO_RECORD:
        return record
    try:
        return op.shown(record)
    except Exception:  # the error that is told is more important
        return record


def _ended_a_generator(error: BaseException) -> bool:
    """Whether Python speaks of a StopIteration that a function has raised in a generator or coroutine."""
    return isinstance(error, RuntimeError) and isinstance(error.__cause__, (StopIteration, StopAsyncIteration))


def _is_no_list(error: BaseException, trace: TracebackType | None) -> bool:
    """Whether a function has returned a value of its own instead of something to loop over."""
    if not isinstance(error, TypeError) or not str(error).endswith("object is not iterable"):
        return False
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is None or trace.tb_frame.f_code.co_filename.startswith((FILE_PREFIX, package.FOLDER))


def describe(op: Operator) -> str:
    """A user function as people know it."""
    if op.rich_function is not None:
        return name_of(op.rich_function)
    known_as = getattr(op.user_code, "known_as", None) or getattr(op.user_code, "__qualname__", None)
    return str(known_as or cut(op.user_code))


def name_of(function: object) -> str:
    """An object of a class of functions as people know it."""
    return getattr(function, "known_as", None) or type(function).__qualname__


def _location(trace: TracebackType | None, op: Operator) -> str:
    """The line of the user's code that raised; where there is none, where the operator was made."""
    frames = [f for f in traceback.extract_tb(trace) if not f.filename.startswith(("<", package.FOLDER))]
    code = getattr(op.user_code, "__code__", None)
    own = [f for f in frames if code is not None and f.filename == code.co_filename]
    best = (own or [f for f in frames if not f.filename.startswith(_INSTALLED)])[-1:]
    if best:
        return f"{best[0].filename}:{best[0].lineno}"
    assigner = op.strategy.timestamp_assigner if isinstance(op, Timestamps) else None
    code = getattr(getattr(assigner, "extract_timestamp", None), "__code__", None)
    if code is not None:  # what it returned was wrong, so there is no traceback
        return f"{code.co_filename}:{code.co_firstlineno}"
    return f"{op.origin} (where the operator was made)"
