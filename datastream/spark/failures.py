"""What to say when Spark, Java or a worker fails, and whether it may pass."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from datastream.errors import (
    CheckpointError,
    DataStreamError,
    Failure,
    FunctionError,
    JobError,
    ValidationError,
    WorkerError,
    is_transient,
)
from datastream.graph import Operator

from .checkpoints.damage import explain
from .failure_seal import CHECKPOINT_ERRORS, ProcessError, Seal
from .java_errors import Thrown, stack, thrown
from .process.cluster_python import environment_mark
from .process.session import session

_NOT_LOST = (
    "nothing is lost: with a --checkpoint-dir the job goes on from the last committed epoch when it is started again"
)

#: A line that begins with an exception; those of ours may have any name.
_ERROR = re.compile(r"^(?:[\w.]*(?:Error|Exception|Failure)\b.*|datastream\.[\w.]+\.[A-Z]\w*):")
_WHERE = "\n  --verbose shows the whole stack, --log-file FILE keeps Spark's log"


def java_ended() -> WorkerError | None:
    """What to say where calls of Java fail because its process has gone."""
    code = session.java_exit_code()
    if code is None:
        return None
    how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
    why = "by another process, or by the system because memory ran out"
    if session.discard_archive():
        why = "it crashed; its class-data archive, which may be damaged, is deleted"
    return WorkerError(
        f"the job failed: the Java process {how}: {why}\n  {_NOT_LOST}; -D spark.driver.memory=... sets Java's memory",
        transient=True,
    )


def as_error(
    error: BaseException | Any, seal: Seal, verbose: bool, checkpoint: Path | None
) -> JobError | CheckpointError | ValidationError:
    """One exception that says what a person needs; Java's stack only on request.

    What becomes of the job follows from what is sealed and from Java's classes, never from words: texts hold what
    others have written.

    Args:
        error: What Spark raised, or Java has thrown.
        seal: The run's.
        verbose: Whether Java's stack is asked for.
        checkpoint: The job's checkpoint directory, whose damage may be the cause; None: it has none.
    """
    if isinstance(error, DataStreamError):
        raise error
    chain = thrown(error)
    texts = [one.message for one in chain] or [str(error)]
    sealed = seal.find(*texts)
    if isinstance(sealed, Failure):
        failed = FunctionError(sealed).chained()
        if verbose:
            failed.add_note(sealed.trace)
            failed.add_note(seal.without(stack(error)))
        return failed
    told = _of_process(sealed) if sealed is not None else _of_java(chain, texts, checkpoint)
    if verbose:
        told.add_note(seal.without(stack(error) or texts[0]))
    return told


def frame_failed(op: Operator, error: BaseException | Any) -> WorkerError:
    """The error where the query of a DataFrame has failed that is a source of the job.

    Args:
        op: The source.
        error: What Spark or Python raised, or Java has thrown.
    """
    chain = thrown(error)
    what = _first_line("\n".join([one.text for one in chain]) or f"{type(error).__name__}: {error}")
    passes = any(one.passes for one in chain) or (isinstance(error, BaseException) and is_transient(error))
    return WorkerError(f"the DataFrame of '{op.name}' (made at {op.origin}) failed: {what}{_WHERE}", passes)


def frame_stopped(op: Operator) -> WorkerError:
    """The error where someone else than the job has stopped the query of a DataFrame that is a source of it.

    Args:
        op: The source.
    """
    return WorkerError(
        f"the query of the DataFrame of '{op.name}' (made at {op.origin}) was stopped, and not by the job: "
        "to end a job, cancel it or stop it with a savepoint; its query ends with it"
    )


def _of_process(error: ProcessError) -> JobError | CheckpointError:
    """The error for one that a process of ours has sealed."""
    if error.checkpoint in CHECKPOINT_ERRORS:
        return CHECKPOINT_ERRORS[error.checkpoint](error.message)
    what = f"the disk is full\n  {_NOT_LOST}" if error.disk_full else error.text
    return WorkerError(f"the job failed: {what}{_WHERE}", error.transient, error.lasting)


def _of_java(
    chain: Sequence[Thrown], texts: list[str], checkpoint: Path | None
) -> JobError | CheckpointError | ValidationError:
    """The error for what Spark itself has met, or a process in which nothing of ours ran yet."""
    refused = _refused_environment(texts)
    if refused is not None:
        return ValidationError(f"on the machine of a worker: {refused}")
    damage = None if checkpoint is None else explain(chain, checkpoint)
    if damage is not None:
        return damage
    transient = any(one.passes for one in chain)
    if any(one.worker_died for one in chain):
        what = (
            "a Python worker process died without a word: killed by the system because memory ran out, by a signal, "
            f"or by a crash in native code\n  {_NOT_LOST}; for memory use a lower parallelism or smaller epochs "
            "(-D datastream.epoch.max-records=100000)"
        )
        transient = True
    elif any(one.disk_full for one in chain):
        what = f"the disk is full\n  {_NOT_LOST}"
    else:
        what = _first_line("\n".join([one.text for one in chain] or texts))
    return WorkerError(f"the job failed: {what}{_WHERE}", transient)


def _refused_environment(texts: list[str]) -> str | None:
    """Why a worker could not enter the job's environment, in Spark's words about the end of a process."""
    for text in texts:
        _, found, said = text.partition(environment_mark())
        if found:
            lines = said.partition("PYTHONPATH was")[0].splitlines()
            return "\n".join(line.removeprefix("  ") for line in lines).strip()
    return None


def _first_line(text: str) -> str:
    """The most telling line of a Spark exception: the innermost Python error, else the first line."""
    lines = [line.strip().removeprefix(": ") for line in text.splitlines() if line.strip()]
    if lines and lines[0].startswith("An error occurred while calling"):
        del lines[0]
    errors = [line for line in lines if _ERROR.match(line)]
    return re.sub(r"^datastream\.[\w.]+\.", "", (errors or lines or ["unknown"])[-1 if errors else 0])
