"""Errors of Spark's Python processes, on their way to the driver inside the text of Spark's exceptions.

That text also holds what others have written: records, messages, names of files. So the driver believes only what it
can verify: each error carries what the driver has to know as plain data, with a MAC by a key of the run.
"""

from __future__ import annotations

import base64
import errno
import hmac
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import msgspec

from datastream.errors import (
    CheckpointDamaged,
    CheckpointError,
    CheckpointMismatch,
    DataStreamError,
    Failure,
    FunctionError,
    WorkerError,
    WorkerFailure,
    error_text,
    is_transient,
    trace_text,
    writable,
)

#: More than any error has, whose texts and pickled exception are cut.
_LIMIT = 8 << 20
_SEALED = re.compile(r"\n?\[datastream-failure:([0-9a-f]{64}):([A-Za-z0-9+/=]++)\]")


#: Errors about the checkpoint that Python processes of Spark may raise, by their names.
CHECKPOINT_ERRORS = {kind.__name__: kind for kind in (CheckpointError, CheckpointDamaged, CheckpointMismatch)}


class ProcessError(msgspec.Struct, frozen=True):
    """An error that no function, source or sink is to blame for by name.

    Attributes:
        text: ``Type: message``.
        message: Its message.
        trace: The formatted traceback.
        transient: Whether it may pass.
        disk_full: It is that the disk is full.
        checkpoint: The class of an error about the checkpoint, of `CHECKPOINT_ERRORS`; empty: it is none.
        lasting: Starting the job again has the same result.
    """

    text: str
    message: str
    trace: str
    transient: bool = False
    disk_full: bool = False
    checkpoint: str = ""
    lasting: bool = False

    @classmethod
    def of(cls, error: BaseException) -> ProcessError:
        text = error_text(error)
        return cls(
            text=text,
            message=text.partition(": ")[2],
            trace=trace_text(error),
            transient=is_transient(error),
            disk_full=_disk_full(error),
            checkpoint=_name_of(type(error)),
            lasting=isinstance(error, DataStreamError) and error.lasting,
        )


def _name_of(kind: type[BaseException]) -> str:
    return kind.__name__ if kind in CHECKPOINT_ERRORS.values() else ""


def _disk_full(error: BaseException) -> bool:
    if isinstance(error, WorkerError):  # of Spark's state store
        return os.strerror(errno.ENOSPC) in str(error)
    return isinstance(error, OSError) and error.errno == errno.ENOSPC


class _Content(msgspec.Struct):
    failure: Failure | None = None
    error: ProcessError | None = None


class SealedError(Exception):
    """Leaves a Python process of Spark: a text for people, and the same sealed. Its cause is in the text."""


@dataclass(frozen=True)
class Seal:
    """Seals errors, and finds them again.

    Args:
        key: The secret of a run; it is in no text.
    """

    key: bytes = field(default_factory=partial(secrets.token_bytes, 32), repr=False)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Seal what is raised within."""
        try:
            yield
        except GeneratorExit:  # of whoever closes a generator; a function's own has become a failure
            raise
        except BaseException as error:
            # Alone: Python would print the cause as it is, and Spark's protocol breaks on halves of characters.
            raise SealedError(self.text(error)) from None

    def text(self, error: BaseException) -> str:
        """The text of an error, with the error sealed at its end."""
        if isinstance(error, WorkerFailure):
            content = _Content(failure=error.failure)
            told, trace = str(FunctionError(error.failure)), error.failure.trace
        else:
            found = ProcessError.of(error)
            content = _Content(error=found)
            told, trace = found.text, found.trace
        data = base64.b64encode(msgspec.json.encode(content))
        return f"{writable(told)}\n{trace.rstrip()}\n[datastream-failure:{self._mac(data)}:{data.decode()}]"

    def find(self, *texts: str) -> Failure | ProcessError | None:
        """The error that was sealed into one of the texts; None: there is none, whatever looks like it."""
        for text in texts:
            for found in _SEALED.finditer(text):
                if self._verifies(found):
                    content = msgspec.json.decode(base64.b64decode(found[2]), type=_Content)
                    return content.failure or content.error
        return None

    def without(self, text: str) -> str:
        """A text without the sealed errors in it, for people."""
        return _SEALED.sub(lambda found: "" if self._verifies(found) else found[0], text)

    def _verifies(self, found: re.Match[str]) -> bool:
        return len(found[2]) <= _LIMIT and hmac.compare_digest(self._mac(found[2].encode()), found[1])

    def _mac(self, data: bytes) -> str:
        return hmac.digest(self.key, b"datastream failure\0" + data, "sha256").hex()
