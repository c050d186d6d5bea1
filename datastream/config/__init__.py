"""Values that jobs and their executions are set up with, named as in PyFlink."""

import importlib
from typing import Any

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

#: Names that few scripts use; imported when they are asked for, as workers import this package too.
_LAZY = {
    "CheckpointStorage": "checkpoint_storage",
    "ConfigOption": "config_options",
    "ConfigOptions": "config_options",
    "CustomCheckpointStorage": "checkpoint_storage",
    "CustomStateBackend": "state_backend",
    "EmbeddedRocksDBStateBackend": "state_backend",
    "FileSystemCheckpointStorage": "checkpoint_storage",
    "HashMapStateBackend": "state_backend",
    "JobManagerCheckpointStorage": "checkpoint_storage",
    "PredefinedOptions": "state_backend",
    "RestartStrategies": "restart_strategy",
    "RestartStrategyConfiguration": "restart_strategy",
    "StateBackend": "state_backend",
}

__all__ = [
    *_LAZY,
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


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'datastream.config' has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
