"""What to say when Spark, Java or a worker fails, and whether it may pass."""

from __future__ import annotations

import builtins
import importlib
import re
from pathlib import Path

from datastream.environments.bundle_parts import MARK
from datastream.errors import (
    CheckpointError,
    DataStreamError,
    FunctionError,
    JobError,
    ValidationError,
    WorkerError,
    find_failure,
    is_transient,
    without_failures,
)

from .checkpoints.damage import explain
from .process import session

_NOT_LOST = (
    "nothing is lost: with a --checkpoint-dir the job goes on from the last committed epoch when it is started again"
)

#: Failures of Spark's that may pass: files and the network, executors that are lost, memory that ran out.
_PASSING = re.compile(
    r"java\.io\.(?!NotSerializable|Invalid|StreamCorrupted|UnsupportedEncoding)\w*Exception|java\.net\.\w+Exception"
    r"|java\.nio\.\w*\.?\w*Exception|java\.util\.concurrent\.TimeoutException|org\.apache\.hadoop\.\S*IOException"
    r"|ExecutorLostFailure|FetchFailed|MetadataFetchFailed|java\.lang\.OutOfMemoryError|SparkContext was shut down"
    r"|No space left on device"
)
#: A line that begins with an exception; those of ours may have any name.
_ERROR = re.compile(r"^(?:[\w.]*(?:Error|Exception|Failure)\b.*|datastream\.[\w.]+\.[A-Z]\w*):")
_RAISED = re.compile(r"^\s*([A-Za-z_][\w.]*)(?::|$)", re.MULTILINE)


def java_ended() -> WorkerError | None:
    """What to say where calls of Java fail because its process has gone."""
    code = session.java_exit_code()
    if code is None:
        return None
    how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
    why = "by somebody, or by the system because memory ran out"
    if session.discard_archive():
        why = "it crashed; its class-data archive, which may be damaged, is deleted"
    return WorkerError(
        f"the job failed: the Java process {how}: {why}\n  {_NOT_LOST}; -D spark.driver.memory=... sets Java's memory",
        transient=True,
    )


def as_error(
    error: BaseException, verbose: bool, checkpoint: Path | None
) -> JobError | CheckpointError | ValidationError:
    """One exception that says what a person needs; Java's stack only on request.

    Args:
        error: What Spark raised.
        verbose: Whether Java's stack is asked for.
        checkpoint: The job's checkpoint folder, whose damage may be the cause; None: it has none.
    """
    text = _whole_text(error)
    failure = find_failure(text)
    if failure is not None:
        found = FunctionError(failure).chained()
        if verbose:
            found.add_note(failure.trace)
            found.add_note(without_failures(text))
        return found
    refused = _refused_environment(text)
    if refused is not None:
        return ValidationError(f"on the machine of a worker: {refused}")
    damage = None if checkpoint is None else explain(text, checkpoint)
    if damage is not None:
        if verbose:
            damage.add_note(text)
        return damage
    transient = bool(_PASSING.search(text)) or _raised_what_passes(text)
    where = "\n  --verbose shows the whole stack, --log-file FILE keeps Spark's log"
    if "Python worker exited unexpectedly" in text or "EOFException" in text:
        what = (
            "a Python worker process died without a word: killed by the system because memory ran out, by a signal, "
            f"or by a crash in native code\n  {_NOT_LOST}; for memory use a lower parallelism or smaller epochs "
            "(-D datastream.epoch.max-records=100000)"
        )
        transient = True
    elif "No space left on device" in text:
        what = f"the disk is full\n  {_NOT_LOST}"
    else:
        what = _first_line(text)
    found_error = WorkerError(f"the job failed: {what}{where}", transient)
    if verbose:
        found_error.add_note(text)
    if isinstance(error, DataStreamError):
        raise error
    return found_error


def _refused_environment(text: str) -> str | None:
    """Why a worker could not enter the job's environment, in Spark's words about the end of a process."""
    _, found, said = text.partition(MARK)
    if not found:
        return None
    lines = said.partition("PYTHONPATH was")[0].splitlines()
    return "\n".join(line.removeprefix("  ") for line in lines).strip()


def _raised_what_passes(text: str) -> bool:
    """Whether an exception of Python's that may pass is named in an error text, such as a connector's of its own."""
    for name in set(_RAISED.findall(text)):
        module, _, cls = name.rpartition(".")
        if not module:
            found = getattr(builtins, cls, None)
        elif module.startswith("datastream."):
            try:
                found = getattr(importlib.import_module(module), cls, None)
            except ImportError:
                continue
        else:
            continue
        if isinstance(found, type) and issubclass(found, OSError) and is_transient(found.__new__(found)):
            return True
    return False


def _whole_text(error: BaseException) -> str:
    """What an exception and its causes say: where cleaning up fails too, only a cause tells what came first."""
    texts, known = [], set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in known:
        known.add(id(cause))
        texts.append(str(cause))
        cause = getattr(cause, "_cause", None) or cause.__cause__
    return "\n".join(texts)


def _first_line(text: str) -> str:
    """The most telling line of a Spark exception: the innermost Python error, else the first line."""
    lines = [line.strip().removeprefix(": ") for line in text.splitlines() if line.strip()]
    if lines and lines[0].startswith("An error occurred while calling"):
        del lines[0]
    errors = [line for line in lines if _ERROR.match(line)]
    return re.sub(r"^datastream\.[\w.]+\.", "", (errors or lines or ["unknown"])[-1 if errors else 0])
