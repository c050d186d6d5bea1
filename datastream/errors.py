"""Every error the project raises on purpose.

    DataStreamError
    ├── ValidationError             the job is wrong as written (also a ValueError)
    │   └── WrongType               something of a type that is not possible there (also a TypeError)
    ├── UnsupportedOperation        a call that has no meaning here (also a NotImplementedError)
    ├── NotSerializableError        a function that cannot travel to the workers
    ├── FormatError                 bytes that are not in the format, or a value that it has no form for
    ├── TypeMismatch                a value that does not fit the declared type (also a TypeError)
    ├── JavaError                   no usable Java, or one that would not start
    ├── CheckpointError             a checkpoint directory that cannot be used
    │   ├── CheckpointDamaged       what it needs is damaged, gone, or newer or older than it
    │   ├── CheckpointMismatch      it belongs to another job
    │   ├── CheckpointLost          it has gone, or is another one, since the job began to run
    │   └── CheckpointInUse         another job holds it
    ├── datastream.connectors.kafka.KafkaFailure   Kafka refused something, or could not be reached for too long
    │   └── DataLoss                records that the job still has to read are gone
    ├── datastream.kubernetes.cluster.ClusterAway, ClusterRefused   Kubernetes does not answer, or refuses
    ├── datastream.client.SettingsError            the gateway's URL or token is not usable
    ├── datastream.client.GatewayError             the gateway refused a request, failed, or does not answer
    ├── JobNotFound                 no such job runs on this machine
    └── JobError                    the job ran and failed
        ├── FunctionError           a user's function raised
        ├── WorkerError             a worker process died, or Spark itself failed
        └── JobCancelled            another client has cancelled it

Each message says what was expected, what was found and what to do about it.
"""

from __future__ import annotations

import pickle
import reprlib
import traceback
from dataclasses import dataclass
from typing import Any

from .plain_text import escaped

REPR_LIMIT = 200
#: A message or a traceback that is longer is cut in its middle, a pickled exception that is larger is left behind.
_TEXT_LIMIT, _CAUSE_LIMIT = 64 << 10, 1 << 20
_TABLES_SHOWN = 5

#: Stands for the record of a failure that no record was involved in; None may be a record.
NO_RECORD: Any = object()

_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = REPR_LIMIT
_short.maxlist = _short.maxtuple = _short.maxdict = _short.maxset = 8


def cut(value: object) -> str:
    """The repr of a value, at most 200 characters, whatever its own ``__repr__`` does."""
    try:
        text = _short.repr(value)
    except BaseException as error:  # a record's own __repr__ may raise anything
        text = f"<{type(value).__name__} whose repr raised {type(error).__name__}>"
    return text if len(text) <= REPR_LIMIT else text[: REPR_LIMIT - 3] + "..."


def writable(text: str, limit: int = _TEXT_LIMIT) -> str:
    """A text that every log and process takes: halves of characters are escaped, the middle of a long one is cut."""
    half = limit // 2
    text = text if len(text) <= limit else f"{text[:half]}\n[... {len(text) - limit:,} characters ...]\n{text[-half:]}"
    return text.encode("utf-8", "backslashreplace").decode()


class ProcessLost(BaseException):
    """Represents the sudden end of a process, in trials of what a crash leaves: no handler of errors takes it."""


class DataStreamError(Exception):
    """Base of every error that this project raises on purpose.

    Attributes:
        lasting: Starting the job again fails in the same way until something is changed: processes end with code 2.
    """

    lasting: bool = False


class ValidationError(DataStreamError, ValueError):
    """The job is wrong as it is written; nothing has run."""

    lasting = True


class WrongType(ValidationError, TypeError):
    """What is given is of a type that is not possible there, where PyFlink raises a TypeError."""


class UnsupportedOperation(DataStreamError, NotImplementedError):
    """A call of PyFlink's that has no meaning on Spark; the message says what to do instead."""

    lasting = True


class NotSerializableError(DataStreamError):
    """A function, source or sink refers to something that cannot be pickled."""

    lasting = True


class FormatError(DataStreamError, ValueError):
    """Bytes are not in the format that was declared, or a value has no form in it."""


class TypeMismatch(DataStreamError, TypeError):
    """A value does not fit the type that was declared for it.

    Attributes:
        path: Where in the record: ``""`` for the record itself, else such as ``name``, ``[2]`` or ``items[0].price``.
        expected: The declared type of that place, as text.
        value: What was found there.
    """

    def __init__(self, path: str, expected: str, value: object, hint: str = "") -> None:
        self.path, self.expected, self.value, self.hint = path, expected, value, hint
        super().__init__(path, expected, value, hint)

    def __reduce__(self) -> tuple[Any, ...]:
        return _mismatch, (self.path, self.expected, self._found(), self.hint)

    def _found(self) -> str:
        return self.value.text if isinstance(self.value, _Found) else f"{type(self.value).__name__} {cut(self.value)}"

    def __str__(self) -> str:
        where = f"field {self.path}: " if self.path else ""
        return f"{where}expected {self.expected}, found {self._found()}{'; ' + self.hint if self.hint else ''}"


@dataclass(frozen=True)
class _Found:
    """A value that has travelled as its text."""

    text: str


def _mismatch(path: str, expected: str, found: str, hint: str) -> TypeMismatch:
    return TypeMismatch(path, expected, _Found(found), hint)


class JavaError(DataStreamError):
    """No usable Java was found, or it did not start."""


class CheckpointError(DataStreamError):
    """A checkpoint directory cannot be used."""


class CheckpointDamaged(CheckpointError):
    """Data are lost, or would be: what a checkpoint needs is damaged or gone, or older than what was written."""

    lasting = True


class CheckpointMismatch(CheckpointError):
    """The checkpoint directory was written by another job."""

    lasting = True


class CheckpointLost(CheckpointError):
    """The checkpoint directory of a running job has been deleted or replaced."""

    lasting = True


class CheckpointInUse(CheckpointError):
    """Another running job holds the checkpoint directory."""


class JobNotFound(DataStreamError):
    """No such job runs on this machine, or it runs no longer."""


class JobError(DataStreamError):
    """The job ran and failed."""

    @property
    def transient(self) -> bool:
        """Whether the failure may pass: what has died or was away can be back after a restart."""
        return False


class WorkerError(JobError):
    """A worker process died or Spark failed; no user function is to blame by name."""

    def __init__(self, message: str, transient: bool = False, lasting: bool = False) -> None:
        self._transient, self.lasting = transient, lasting
        super().__init__(message)

    @property
    def transient(self) -> bool:
        return self._transient


class JobCancelled(JobError):
    """The job was cancelled by another process, or it is cancelled and has no result."""


def is_transient(error: BaseException) -> bool:
    """Whether a failure may pass by itself: files, connections and servers (OSError), lost processes.

    An exception of another class counts if it was raised `from` a ConnectionError or TimeoutError, as the errors of
    clients of servers are.
    """
    if isinstance(error, JobError):
        return error.transient
    if isinstance(error, OSError):
        return not isinstance(error, ValueError)  # io.UnsupportedOperation is both
    if isinstance(error, DataStreamError):
        return isinstance(error, JavaError)  # it would not start; the job's first one did
    cause, known = error.__cause__, set[int]()
    while cause is not None and id(cause) not in known:
        if isinstance(cause, (ConnectionError, TimeoutError)):
            return True
        known.add(id(cause))
        cause = cause.__cause__
    return False


@dataclass(frozen=True)
class Failure:
    """What a worker knows about a user function that raised: plain data, so that it can travel.

    Attributes:
        operator: The operator's name.
        function: The function's qualified name.
        location: ``file:line`` of the line that raised, or of the function.
        record: The record's repr, cut at 200 characters, or None where no record was involved.
        error: ``Type: message`` of the exception.
        trace: The formatted traceback, user frames only.
        cause: The pickled exception, or None when it cannot be pickled.
        hint: What probably went wrong and what to do about it, or None.
        transient: Whether it may pass; see `is_transient`.
        written: The tables that INSERTs write by the operator's records.
    """

    operator: str
    function: str
    location: str
    record: str | None
    error: str
    trace: str
    cause: bytes | None = None
    hint: str | None = None
    transient: bool = False
    written: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        error: BaseException,
        operator: str,
        function: str,
        location: str,
        record: object = NO_RECORD,
        hint: str | None = None,
        written: tuple[str, ...] = (),
    ) -> Failure:
        return cls(
            operator=writable(operator),
            function=writable(function),
            location=writable(location),
            record=None if record is NO_RECORD else writable(cut(record)),
            error=_in_own_lines(error),
            trace=trace_text(error),
            cause=_pickled(error),
            hint=None if hint is None else writable(hint),
            transient=is_transient(error),
            written=tuple(map(writable, written)),
        )


def error_text(error: BaseException) -> str:
    """``Type: message`` of an exception, whatever its own ``__str__`` does."""
    try:
        said = str(error)
    except BaseException as failed:
        said = f"<its text raised {type(failed).__name__}>"
    return writable(f"{type(error).__name__}: {said}")


def _in_own_lines(error: BaseException) -> str:
    """The text of an exception on one line; what our own have below it, each line indented, stays."""
    text = error_text(error)
    return "\n  ".join(map(escaped, text.split("\n  "))) if isinstance(error, DataStreamError) else escaped(text)


def trace_text(error: BaseException) -> str:
    """The formatted traceback of an exception."""
    try:
        lines = traceback.format_exception(type(error), error, error.__traceback__)
    except BaseException:  # of a text of the exception's own
        lines = [*traceback.format_tb(error.__traceback__), error_text(error)]
    return writable("".join(lines))


def _pickled(error: BaseException) -> bytes | None:
    """An exception for its journey; None if it refuses, either way, or is too large: its text still travels."""
    try:
        found = pickle.dumps(error)
        pickle.loads(found)
    except BaseException:
        return None
    return found if len(found) <= _CAUSE_LIMIT else None


#: What stands for the function in errors of state that was restored from a savepoint, and does not fit.
RESTORED_STATE = "restored state"


class FunctionError(JobError):
    """A user's function raised. The original exception is chained as ``__cause__``."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure)

    def __str__(self) -> str:
        f = self.failure
        lines = [
            f"operator '{escaped(f.operator)}' failed: {f.error}",
            f"  function: {escaped(f.function)}",
            f"  at:       {escaped(f.location)}",
        ]
        if f.written:
            more = f", and {len(f.written) - _TABLES_SHOWN} more" if len(f.written) > _TABLES_SHOWN else ""
            lines.append(f"  writes:   {escaped(', '.join(f.written[:_TABLES_SHOWN]))}{more}")
        if f.record is not None:
            lines.append(f"  record:   {escaped(f.record)}")
        if f.hint is not None:
            lines.append(f"  hint:     {f.hint}")
        return "\n".join(lines)

    @property
    def transient(self) -> bool:
        return self.failure.transient

    def chained(self) -> FunctionError:
        """This error with the user's exception as its cause, where that could travel.

        Only for a failure of this very process, or one that was authenticated: the exception is unpickled.
        """
        if self.failure.cause is not None:
            try:
                self.__cause__ = pickle.loads(self.failure.cause)
            except BaseException:  # its class may not exist on this side; the text says enough
                self.__cause__ = None
        return self


class WorkerFailure(Exception):
    """Carries a `Failure` out of the code of a task."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure)

    def __str__(self) -> str:
        return str(FunctionError(self.failure))
