"""How the errors of Spark's processes come back to the driver, in texts that also hold what others wrote."""

from __future__ import annotations

import base64
import errno
import pickle
from pathlib import Path
from typing import Any

import pytest

from datastream.errors import (
    NO_RECORD,
    CheckpointDamaged,
    CheckpointError,
    Failure,
    FunctionError,
    ValidationError,
    WorkerError,
    WorkerFailure,
)
from datastream.spark.failure_seal import ProcessError, Seal, SealedError
from datastream.spark.failures import as_error
from datastream.spark.process.cluster_python import environment_mark
from datastream.spark.process.session import session

#: Words by which an error might once have been taken for another one.
WORDS = [
    "java.io.IOException: no route",
    "Caused by: java.net.ConnectException: refused",
    "Python worker exited unexpectedly (crashed)",
    "java.io.EOFException",
    "No space left on device",
    "ConnectionError: gone",
    "datastream.connectors.kafka.client.errors.KafkaFailure: away",
    "datastream environment: it cannot be made",
    "datastream.errors.CheckpointError: damaged",
    "[CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] org.apache.hadoop.fs.ChecksumException: off",
    "Job aborted due to stage failure: Task 0 in stage 0.0 failed 1 times, most recent failure: Lost task 0.0 in stage "
    "0.0 (TID 0) (localhost executor driver): ExecutorLostFailure (executor 1 exited)",
    "SparkContext was shut down",
    "FetchFailed(BlockManagerId(1))",
    "java.lang.OutOfMemoryError",
]


class Trap:
    """Leaves a file where it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return Path.touch, (self.file,)


def failure(error: BaseException) -> WorkerFailure:
    return WorkerFailure(Failure.of(error, "Map", "<lambda>", "job.py:4", NO_RECORD))


def in_python(text: str) -> str:
    """The text of a Python process's exception, as Spark has it."""
    return (
        f"[PYTHON_EXCEPTION] An exception was thrown from the Python worker: Traceback (most recent call last):\n{text}"
    )


def test_the_failure_is_found_and_not_shown() -> None:
    seal = Seal()
    told = seal.text(failure(ZeroDivisionError("by zero")))
    text = f"{in_python(told)}\nSQLSTATE: 38000\n{told}"
    found = seal.find("of another throwable", text)
    assert isinstance(found, Failure) and found.operator == "Map" and found.error == "ZeroDivisionError: by zero"
    cause = FunctionError(found).chained().__cause__
    assert isinstance(cause, ZeroDivisionError)
    assert "datastream-failure" not in seal.without(text)
    assert "SQLSTATE: 38000" in seal.without(text)
    assert seal.without(text).count("at:       job.py:4\n") == 2


def forged(tmp_path: Path) -> list[str]:
    """What others might write so that it is taken for a failure."""
    trap = pickle.dumps(Trap(tmp_path / "trace"))
    code = base64.b64encode(trap).decode()
    foreign = Seal().text(failure(ValueError("of another run")))
    mark = foreign.rpartition("\n")[2]
    return [
        f"[datastream-failure:{code}]",
        f"[datastream-failure:{'0' * 64}:{code}]",
        mark,
        mark[:-1],
        mark.replace("[datastream-failure:", "[datastream-failure:" * 3),
        f"[datastream-failure:{mark}]",
        f"[datastream-failure::{mark[20:]}",
        trap.decode("latin-1"),
    ]


def test_nothing_is_believed_or_unpickled_that_is_not_sealed(tmp_path: Path) -> None:
    seal = Seal()
    for written in forged(tmp_path):
        assert seal.find(written) is None
        assert seal.without(written) == written, "what others wrote is shown as it is"
        real = seal.text(failure(ValueError(written)))
        found = seal.find(f"{written}\n{real}\n{written}")
        assert isinstance(found, Failure) and found.operator == "Map"
        error = as_error(RuntimeError(written), seal, verbose=True, checkpoint=None)
        assert type(error) is WorkerError and not error.transient
    assert not (tmp_path / "trace").exists()


def test_one_changed_byte_breaks_the_seal() -> None:
    seal = Seal()
    mark = seal.text(failure(ValueError("x"))).rpartition("\n")[2]
    assert seal.find(mark) is not None
    for at in range(20, len(mark) - 1, 7):
        assert seal.find(mark[:at] + ("0" if mark[at] != "0" else "1") + mark[at + 1 :]) is None


def test_the_key_is_in_no_text() -> None:
    seal = Seal()
    told = seal.text(failure(ValueError("x")))
    assert repr(seal) == "Seal()"
    assert seal.key.hex() not in told and base64.b64encode(seal.key).decode() not in told


@pytest.mark.parametrize("text", ["half \ud800 of a character", "\0\x1b[2J", "x" * 10_000_000, "a\nb\n" * 100_000])
def test_texts_of_any_kind_and_length_travel(text: str) -> None:
    seal = Seal()
    for error in (failure(ValueError(text)), ValueError(text), OSError(text)):
        told = seal.text(error)
        assert len(told.encode()) < 4 << 20
        found = seal.find(told)
        assert found is not None
        assert found.error.startswith("ValueError: ") if isinstance(found, Failure) else found.text


class Torn(Exception):
    """An exception that refuses all that one does with exceptions."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    def __reduce__(self) -> Any:
        raise RuntimeError("no pickle")


def test_exceptions_that_refuse_everything_are_named() -> None:
    seal = Seal()
    for error in (failure(Torn()), Torn()):
        found = seal.find(seal.text(error))
        assert found is not None and "Torn" in (found.error if isinstance(found, Failure) else found.text)


def test_errors_leave_a_process_sealed_and_alone() -> None:
    seal = Seal()
    with pytest.raises(SealedError) as raised, seal.errors():
        try:
            raise KeyError("\ud800")
        except KeyError as error:
            raise OSError(errno.ENOSPC, "full") from error
    assert raised.value.__suppress_context__
    found = seal.find(str(raised.value))
    assert isinstance(found, ProcessError) and found.disk_full and found.transient and "KeyError" in found.trace


def test_errors_of_processes_say_what_becomes_of_the_job() -> None:
    from datastream.connectors.kafka import DataLoss

    seal = Seal()

    def told(error: BaseException) -> Any:
        return as_error(RuntimeError(in_python(seal.text(error))), seal, verbose=False, checkpoint=None)

    lost = told(DataLoss("Kafka: topic 'flights', partition 3: gone"))
    assert str(lost).startswith("the job failed: DataLoss: Kafka: topic 'flights', partition 3: gone\n")
    assert not lost.transient and lost.lasting
    assert told(ConnectionError("away")).transient
    assert not told(ValueError("ConnectionError: away")).transient
    full = told(OSError(errno.ENOSPC, "No space left on device"))
    assert full.transient and str(full).startswith("the job failed: the disk is full\n")
    stored = told(WorkerError("Spark's state store answered: No space left on device", transient=True))
    assert stored.transient and str(stored).startswith("the job failed: the disk is full\n")
    damaged = told(CheckpointError("it is damaged\nrestore it"))
    assert type(damaged) is CheckpointError and str(damaged) == "it is damaged\nrestore it"
    damaged = told(CheckpointDamaged("a piece is gone"))
    assert type(damaged) is CheckpointDamaged and damaged.lasting and str(damaged) == "a piece is gone"
    assert not told(ConnectionError("away")).lasting and not told(CheckpointError("no space left")).lasting


@pytest.fixture(scope="module")
def jvm() -> Any:
    spark = session.for_job("local[*]", {})
    return spark.sparkContext._gateway.jvm


def spark_exception(jvm: Any, text: str, cause: Any = None) -> Any:
    return jvm.org.apache.spark.SparkException(text, cause)


@pytest.mark.parametrize("words", WORDS)
def test_words_in_a_message_decide_nothing(jvm: Any, tmp_path: Path, words: str) -> None:
    messages = [
        words,
        in_python(f"ValueError: {words}"),
        f"ValueError: x\n{words}",
        f": {words}",
        f"x\nCaused by: {words}",
    ]
    for text in messages:
        for java in (
            jvm.java.lang.RuntimeException(text),
            spark_exception(jvm, f"Task failed: {text}", jvm.java.lang.RuntimeException(text)),
            spark_exception(
                jvm,
                "Job aborted due to stage failure: Task 0 in stage 0.0 failed 1 times, most recent failure: Lost task "
                "0.0 in stage 0.0 (TID 0) (localhost executor driver): org.apache.spark.api.python.PythonException: "
                f"{text}",
            ),
        ):
            error = as_error(java, Seal(), verbose=False, checkpoint=tmp_path)
            assert type(error) is WorkerError and not error.transient, text
            assert "died without a word" not in str(error) and "disk is full" not in str(error)


def test_classes_of_java_decide(jvm: Any, tmp_path: Path) -> None:
    def told(java: Any, checkpoint: Path | None = None) -> Any:
        return as_error(java, Seal(), verbose=False, checkpoint=checkpoint)

    java = jvm.java
    for passing in (
        java.io.IOException("x"),
        java.net.ConnectException("x"),
        java.nio.file.NoSuchFileException("x"),
        java.io.UncheckedIOException(java.io.IOException("x")),
        java.util.concurrent.TimeoutException(),
        java.lang.OutOfMemoryError("x"),
        spark_exception(jvm, "Job 4 cancelled because SparkContext was shut down"),
        spark_exception(jvm, f"{WORDS[10]} Reason: x\nDriver stacktrace:"),
        spark_exception(
            jvm,
            "Job aborted due to stage failure: ShuffleMapStage 3 (start at Native.java:0) has failed the maximum "
            "allowable number of times: 4. Most recent failure reason:\norg.apache.spark.shuffle.MetadataFetchFailed",
        ),
    ):
        for thrown in (passing, spark_exception(jvm, "outside", spark_exception(jvm, "between", passing))):
            assert told(thrown).transient, passing.toString()
    for lasting in (
        java.io.NotSerializableException("x"),
        java.io.InvalidClassException("x"),
        java.io.UnsupportedEncodingException("x"),
        java.lang.IllegalStateException("x"),
    ):
        assert not told(lasting).transient, lasting.toString()
    died = told(spark_exception(jvm, "Python worker exited unexpectedly (crashed)", java.io.EOFException()))
    assert died.transient and "a Python worker process died without a word" in str(died)
    full = told(spark_exception(jvm, "x", java.io.IOException("No space left on device")))
    assert full.transient and "the disk is full" in str(full)
    checksum = jvm.org.apache.hadoop.fs.ChecksumException("Checksum error: file:/state/1.delta", 0)
    damaged = told(spark_exception(jvm, "x", checksum), tmp_path)
    assert type(damaged) is CheckpointDamaged and "Checksum error: /state/1.delta" in str(damaged)
    assert not told(checksum).transient


def test_a_worker_that_cannot_enter_its_environment_is_told_of(jvm: Any) -> None:
    said = f"\nError from python worker:\n  {environment_mark()}no wheel of x\n  add it\nPYTHONPATH was:\n  /lib"
    error = as_error(spark_exception(jvm, "x", spark_exception(jvm, said)), Seal(), verbose=False, checkpoint=None)
    assert type(error) is ValidationError
    assert str(error) == "on the machine of a worker: no wheel of x\nadd it"
