"""What Java has thrown: by its classes, which no record and no name of a file can pretend to be."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError

from datastream.spark.java_objects import java_gateway, jvm

_DEEPEST = 32

#: Failures that may pass: files and the network, memory that ran out.
_PASSING = {
    "java.io.IOException",
    "java.io.UncheckedIOException",
    "java.lang.OutOfMemoryError",
    "java.util.concurrent.TimeoutException",
    "org.apache.spark.ExecutorLostFailure",
    "org.apache.spark.shuffle.FetchFailedException",
}
#: Exceptions of files that are there, and are not as they should be, or of code.
_LASTING = {
    "java.io.ObjectStreamException",
    "java.io.StreamCorruptedException",
    "java.io.UnsupportedEncodingException",
    "org.apache.hadoop.fs.ChecksumException",
}
#: How the scheduler begins its words about a task that failed; a reason follows, that of an exception is its class.
_TASK = re.compile(
    r"Job aborted due to stage failure: Task \d+ in stage [\d.]+ failed \d+ times, most recent failure: "
    r"Lost task [\d.]+ in stage [\d.]+ \(TID \d+\) \([\w.:\[\]-]+ executor [\w-]+\): ([A-Za-z_][\w.$]*)"
)
_LOST = ("ExecutorLostFailure", "FetchFailed")
_STAGE = re.compile(
    r"Job aborted due to stage failure: \w+ \d+ \([^)\n]*\) has failed the maximum allowable number of times: \d+\. "
)
_SHUT_DOWN = re.compile(r"Job \d+ cancelled because SparkContext was shut down")
_DIED = "Python worker exited unexpectedly"
_NO_SPACE = "No space left on device"
_SPARK = "org.apache.spark.SparkException"
_UNREADABLE = re.compile(r"CANNOT_LOAD_STATE_STORE|STDS_FAILED_TO_READ|CANNOT_READ_STREAMING_STATE_FILE")
_INNOCENT = {
    "java.lang.InterruptedException",
    "java.nio.channels.ClosedByInterruptException",
    "org.apache.spark.TaskKilledException",
    "java.lang.OutOfMemoryError",
}


@dataclass(frozen=True)
class Thrown:
    """One throwable of a chain of causes.

    Attributes:
        classes: The names of its class and of all above.
        message: Its message, which may hold anything.
        condition: Spark's name of the error; empty: it has none.
    """

    classes: tuple[str, ...]
    message: str = ""
    condition: str = ""

    @property
    def text(self) -> str:
        """As Java prints it."""
        return f"{self.classes[0]}: {self.message}" if self.message else self.classes[0]

    @property
    def reason(self) -> str:
        """The first word of the scheduler's reason why a task failed; empty: this is not about a task."""
        found = _TASK.match(self.message) if self.classes[0] == _SPARK else None
        return found[1] if found else ""

    @property
    def passes(self) -> bool:
        """Whether it may pass."""
        names = {*self.classes, self.reason}
        if names & _PASSING and not names & _LASTING:
            return True
        if self.classes[0] != _SPARK:
            return False
        return self.reason in _LOST or bool(_STAGE.match(self.message) or _SHUT_DOWN.match(self.message))

    @property
    def worker_died(self) -> bool:
        """Whether it is that a Python process has ended without a word."""
        if self.classes[0] == _SPARK and self.message.startswith(_DIED):
            return True
        return "java.io.EOFException" in (*self.classes, self.reason)

    @property
    def disk_full(self) -> bool:
        return "java.io.IOException" in self.classes and _NO_SPACE in self.message

    @property
    def unreadable_state(self) -> bool:
        """Whether it is that Spark could not read a file of the checkpoint's state."""
        checksum = "org.apache.hadoop.fs.ChecksumException" in (*self.classes, self.reason)
        return checksum or _UNREADABLE.match(self.condition) is not None

    @property
    def innocent(self) -> bool:
        """Whether it says of other failures that no file is damaged."""
        return bool(_INNOCENT & {*self.classes, self.reason}) or self.disk_full


def thrown(error: BaseException | Any) -> tuple[Thrown, ...]:
    """The chain of throwables, the outermost first.

    Args:
        error: Java's throwable, or the exception of Python's that stands for it; other ones give an empty chain.
    """
    found: list[Thrown] = []
    java = _java(error)
    with suppress(Py4JError, OSError):  # Java has gone: what it could report is lost
        while java is not None and len(found) < _DEEPEST:
            found.append(Thrown(_classes(java), str(java.getMessage() or ""), _condition(java)))
            java = java.getCause()
    return tuple(found)


def stack(error: BaseException | Any) -> str:
    """A throwable with its causes, as Java prints them; empty: there is none."""
    java = _java(error)
    if java is None:
        return ""
    with suppress(Py4JError, OSError):
        return str(getattr(jvm(), "org.apache.spark.util.Utils").exceptionString(java))
    return ""


def _java(error: BaseException | Any) -> Any:
    if not isinstance(error, BaseException):
        return error
    known: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in known:
        known.add(id(cause))
        java = getattr(cause, "java_exception", None) or getattr(cause, "_origin", None)
        if java is not None:
            return java
        cause = cause.__cause__ or cause.__context__
    return None


def _classes(java: Any) -> tuple[str, ...]:
    names: list[str] = []
    cls = java.getClass()
    while cls is not None:
        names.append(str(cls.getName()))
        cls = cls.getSuperclass()
    return tuple(names[:-1])  # all are objects


def _condition(java: Any) -> str:
    from py4j.java_gateway import is_instance_of

    if not is_instance_of(java_gateway(), java, "org.apache.spark.SparkThrowable"):
        return ""
    return str(java.getCondition() or "")
