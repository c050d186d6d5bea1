"""How a failure of a user's function comes back from Spark as text."""

from __future__ import annotations

from datastream.errors import NO_RECORD, Failure, WorkerFailure, find_failure, without_failures
from datastream.spark.failures import as_error


def test_the_failure_is_found_and_not_shown() -> None:
    failure = Failure.of(ZeroDivisionError("by zero"), "Map", "<lambda>", "job.py:4", NO_RECORD)
    text = f"[PYTHON_EXCEPTION] from the worker:\n{WorkerFailure(failure)}\nSQLSTATE: 38000\n{WorkerFailure(failure)}"
    assert find_failure(text) == failure
    assert "datastream-failure" not in without_failures(text)
    assert without_failures(text).count("at:       job.py:4\n") == 1
    told = "".join(as_error(RuntimeError(text), verbose=True, checkpoint=None).__notes__)
    assert "SQLSTATE: 38000" in told
    assert "datastream-failure" not in told


def test_errors_of_connectors_are_told_by_their_names():
    text = """[PYTHON_STREAMING_DATA_SOURCE_RUNTIME_ERROR] Failed when latestOffset: Traceback (most recent call last):
  File "source.py", line 83, in latestOffset
datastream.connectors.kafka.client.errors.DataLoss: Kafka: topic 'flights', partition 3: gone
 SQLSTATE: 38000
\tat org.apache.spark.sql.Errors"""
    first, _ = str(as_error(RuntimeError(text), verbose=False, checkpoint=None)).splitlines()
    assert first == "the job failed: DataLoss: Kafka: topic 'flights', partition 3: gone"
