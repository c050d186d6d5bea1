"""What a supervisor hears."""

from __future__ import annotations

import pytest

from datastream.connectors.kafka import DataLoss, KafkaFailure
from datastream.errors import (
    CheckpointDamaged,
    CheckpointError,
    CheckpointInUse,
    CheckpointLost,
    CheckpointMismatch,
    Failure,
    FunctionError,
    JobCancelled,
    JobError,
    ValidationError,
    WorkerError,
)
from datastream.services.runner.exit_codes import exit_code


def function_error(error: str) -> FunctionError:
    return FunctionError(Failure("map", "f", "job.py:1", None, error, ""))


@pytest.mark.parametrize(
    ("error", "jobs", "code"),
    [
        (None, 1, 0),
        (None, 0, 2),
        (SystemExit(), 1, 0),
        (SystemExit(7), 0, 7),
        (KeyboardInterrupt(), 1, 0),
        (JobCancelled("by datastream cancel"), 1, 0),
        (JobError("failed"), 1, 1),
        (WorkerError("out of memory"), 1, 1),
        (CheckpointError("no space left"), 1, 1),
        (CheckpointDamaged("a file is gone"), 1, 2),
        (CheckpointLost("deleted"), 1, 2),
        (DataLoss("records have expired"), 1, 2),
        (WorkerError("of a worker's DataLoss", lasting=True), 1, 2),
        (KafkaFailure("refused"), 1, 1),
        (ConnectionError("away"), 0, 1),
        (function_error("ValueError: x"), 1, 1),
        (function_error("ModuleNotFoundError: No module named 'x'"), 1, 2),
        (ValidationError("wrong"), 1, 2),
        (CheckpointMismatch("another job"), 1, 2),
        (ModuleNotFoundError("x"), 0, 2),
        (RuntimeError("in the script"), 0, 2),
        (CheckpointInUse("held"), 1, 75),
    ],
)
def test_exit_code(error: BaseException | None, jobs: int, code: int) -> None:
    assert exit_code(error, jobs) == code
