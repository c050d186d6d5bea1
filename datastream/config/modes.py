"""The choices of the configuration."""

from __future__ import annotations

from enum import Enum


class RuntimeExecutionMode(Enum):
    """How a job runs: for ever, to the end of its bounded sources, or as its sources ask for."""

    STREAMING = 0
    BATCH = 1
    AUTOMATIC = 2


class ExecutionMode(Enum):
    """How batch exchanges hand on data; kept, without effect: Spark decides."""

    PIPELINED = 0
    PIPELINED_FORCED = 1
    BATCH = 2
    BATCH_FORCED = 3


class CheckpointingMode(Enum):
    """What a record's effect on state is after a failure: exactly one, or at least one."""

    EXACTLY_ONCE = 0
    AT_LEAST_ONCE = 1


class ExternalizedCheckpointRetention(Enum):
    """What becomes of the checkpoint when the job is cancelled."""

    DELETE_ON_CANCELLATION = 0
    RETAIN_ON_CANCELLATION = 1
    NO_EXTERNALIZED_CHECKPOINTS = 2


class ClosureCleanerLevel(Enum):
    """How far closures are cleaned; kept, without effect: Python needs no cleaning."""

    NONE = 0
    TOP_LEVEL = 1
    RECURSIVE = 2


class InputDependencyConstraint(Enum):
    """When a batch task starts: with any input, or with all; kept, without effect."""

    ANY = 0
    ALL = 1
