"""Values that jobs and their executions are set up with, named as in PyFlink."""

from datastream.config.checkpointing import CheckpointConfig
from datastream.config.configuration import Configuration
from datastream.config.execution import ExecutionConfig
from datastream.config.modes import (
    CheckpointingMode,
    ClosureCleanerLevel,
    ExecutionMode,
    ExternalizedCheckpointRetention,
    InputDependencyConstraint,
    RuntimeExecutionMode,
)
from datastream.config.resources import MemorySize, SlotSharingGroup

__all__ = [
    "CheckpointConfig",
    "CheckpointingMode",
    "ClosureCleanerLevel",
    "Configuration",
    "ExecutionConfig",
    "ExecutionMode",
    "ExternalizedCheckpointRetention",
    "InputDependencyConstraint",
    "MemorySize",
    "RuntimeExecutionMode",
    "SlotSharingGroup",
]
