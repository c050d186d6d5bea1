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
