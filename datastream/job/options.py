"""How a job is run: what its configuration, the command and the script say, as one object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from datastream.config import CheckpointConfig, Configuration
from datastream.config.checkpointing import configured_retention, configured_timeout
from datastream.config.job_warnings import WarningSettings
from datastream.config.known_keys import IGNORE_UNCLAIMED, SAVEPOINT_PATH
from datastream.config.log_settings import LEVELS, LogSettings
from datastream.config.modes import ExternalizedCheckpointRetention
from datastream.config.restart_strategy import read_restart_strategy
from datastream.config.settings import JobListener, Settings
from datastream.environments.needs import Needs
from datastream.errors import CheckpointInUse, ValidationError, cut
from datastream.types.checks import configured_check

from .restart_policy import GIVE_UP_AFTER, RestartSettings

_EPOCH_RECORDS = "datastream.epoch.max-records"
_EPOCH_MS = "datastream.epoch.target-ms"
#: Unless the script says how many records an epoch may hold.
_RECORDS_IN_TIME = 8_000_000
_RECORD_BYTES = "datastream.record.max-bytes"
_TRIGGER_MS = "datastream.trigger.interval-ms"
_WARNINGS = "datastream.warnings.enabled"
_WARNINGS_AFTER = "datastream.warnings.after-ms"
_WARNINGS_RECORDS = "datastream.warnings.min-records"
_LOG_LEVEL = "datastream.log.level"
_LOG_PER_SECOND = "datastream.log.max-per-second"
_CHECKPOINT_DIR = "execution.checkpointing.dir"
_RETAINED = "spark.sql.streaming.minBatchesToRetain"
_DELETE = ExternalizedCheckpointRetention.DELETE_ON_CANCELLATION


@dataclass(frozen=True)
class JobOptions:
    """How a job is to be run.

    Attributes:
        master: Spark master.
        checkpoint_dir: Folder for offsets, state and commits; None means a temporary one.
        properties: Settings, ``spark.*`` among them.
        parameters: The job's global parameters.
        needs: What the job brings for its workers.
        listeners: Notified of the job's life.
        verbose: Whole stacks in errors.
        log_file: Where Spark's own log goes.
        epoch_records: Records an epoch should hold at most.
        epoch_records_in_time: The same, if so many go by in the target's length; None: as `epoch_records`.
        epoch_ms: Length in ms that epochs are steered to.
        record_bytes: How large a record may be that crosses an exchange, pickled.
        types_check: What to do with values that do not fit their declared type.
        serializers: (class, how its objects are pickled) that the user registered.
        warnings: When the running job is warned about; None: never.
        from_savepoint: Folder of the savepoint to take state and offsets over from.
        allow_non_restored_state: What the job has no operator for may be dropped.
        trigger_ms: Epochs start at least this far apart, in ms; 0: as soon as there is data.
        min_pause_ms: The next epoch starts at least so long after the end of the one before, in ms.
        epoch_timeout_ms: An epoch that runs longer is stopped, and has failed; None: epochs may take any time.
        restarts: When the job is started again after a failure.
        delete_on_cancel: Whether the checkpoint directory goes when the job is cancelled.
        measured: Whether tasks measure their operators.
        clock: Returns processing time in ms; None: the machine's.
        on_held: Called while another job holds the checkpoint directory, before it is tried again; None: the job fails.
    """

    master: str = "local[*]"
    checkpoint_dir: str | None = None
    properties: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    needs: Needs = Needs()
    listeners: tuple[JobListener, ...] = ()
    verbose: bool = False
    log_file: str | None = None
    epoch_records: int = 1_000_000
    epoch_records_in_time: int | None = None
    epoch_ms: int = 1000
    record_bytes: int = 128 << 20
    trigger_ms: int = 0
    from_savepoint: str | None = None
    allow_non_restored_state: bool = False
    min_pause_ms: int = 0
    epoch_timeout_ms: int | None = None
    restarts: RestartSettings = RestartSettings()
    delete_on_cancel: bool = False
    types_check: str = "flink"
    serializers: tuple[tuple[type, Any], ...] = ()
    warnings: WarningSettings | None = None
    measured: bool = False
    log: LogSettings = LogSettings()
    on_held: Callable[[CheckpointInUse], None] | None = None
    clock: Callable[[], int] | None = None


def read_options(
    configuration: Configuration, checkpoints: CheckpointConfig, given: Settings, folder: str | None, first: bool
) -> JobOptions:
    """The options that configuration and command say.

    Args:
        configuration: The script's.
        checkpoints: The part of it on checkpoints.
        given: What the command says, which wins.
        folder: The job's own part of the command's checkpoint directory; None: it has none.
        first: Whether the command's savepoint is for this job.

    Raises:
        ValidationError: a value is not allowed.
    """
    directory = checkpoint_dir(configuration, given)
    savepoints = (configuration.get_string(key, "") for key in SAVEPOINT_PATH)
    return JobOptions(
        master=master(configuration, given),
        checkpoint_dir=folder or directory,
        from_savepoint=(given.from_savepoint if first else None) or next(filter(None, savepoints), None),
        allow_non_restored_state=given.allow_non_restored_state
        or any(configuration.get_boolean(key, False) for key in IGNORE_UNCLAIMED),
        properties=_properties(configuration),
        verbose=given.verbose,
        log_file=given.log_file,
        epoch_records=_at_least_1(configuration, _EPOCH_RECORDS, JobOptions.epoch_records),
        epoch_records_in_time=None if configuration.contains_key(_EPOCH_RECORDS) else _RECORDS_IN_TIME,
        epoch_ms=_at_least_1(configuration, _EPOCH_MS, JobOptions.epoch_ms),
        record_bytes=_at_least_1(configuration, _RECORD_BYTES, JobOptions.record_bytes),
        types_check=configured_check(configuration),
        warnings=_warnings(configuration),
        log=_log(configuration),
        trigger_ms=max(configuration.get_integer(_TRIGGER_MS, 0), checkpoints.get_checkpoint_interval(), 0),
        on_held=given.on_held,
        min_pause_ms=checkpoints.get_min_pause_between_checkpoints(),
        epoch_timeout_ms=configured_timeout(configuration),
        delete_on_cancel=checkpoints.get_externalized_checkpoint_retention() is _DELETE,
        restarts=RestartSettings(
            strategy=read_restart_strategy(configuration),
            checkpointing=directory is not None or checkpoints.is_checkpointing_enabled(),
            tolerable_failures=checkpoints.get_tolerable_checkpoint_failure_number(),
            give_up_after_ms=_give_up_after(configuration),
        ),
    )


def master(configuration: Configuration, given: Settings) -> str:
    """The Spark master."""
    return given.master or configuration.get_string("spark.master", "local[*]")


def checkpoint_dir(configuration: Configuration, given: Settings) -> str | None:
    """The checkpoint directory of the command or the configuration; None: there is none."""
    return given.checkpoint_dir or configuration.get_string(_CHECKPOINT_DIR, "") or None


def _properties(configuration: Configuration) -> dict[str, str]:
    """All settings; Flink's number of checkpoints to keep as Spark's."""
    properties = configuration.to_dict()
    retained = configured_retention(configuration)
    return properties if retained is None else {_RETAINED: str(retained), **properties}


def _warnings(configuration: Configuration) -> WarningSettings | None:
    if not configuration.get_boolean(_WARNINGS, True):
        return None
    return WarningSettings(
        after_ms=_at_least_1(configuration, _WARNINGS_AFTER, WarningSettings.after_ms),
        records=_at_least_1(configuration, _WARNINGS_RECORDS, WarningSettings.records),
    )


def _log(configuration: Configuration) -> LogSettings:
    level = configuration.get_string(_LOG_LEVEL, LogSettings.level).upper()
    level = {"WARN": "WARNING", "FATAL": "CRITICAL"}.get(level, level)
    if level not in LEVELS:
        raise ValidationError(f"{_LOG_LEVEL} must be one of {', '.join(LEVELS)}, got {cut(level)}")
    per_second = configuration.get_integer(_LOG_PER_SECOND, LogSettings.per_second)
    if per_second < 0:
        raise ValidationError(f"{_LOG_PER_SECOND} must be at least 0, got {per_second}; 0 means no limit")
    return LogSettings(level, per_second)


def _give_up_after(configuration: Configuration) -> int | None:
    """For how long, in ms, restarts may bring no commit; None: as the default is."""
    if not configuration.contains_key(GIVE_UP_AFTER):
        return None
    found = configuration.get_duration_ms(GIVE_UP_AFTER, 0)
    if found < 0:
        raise ValidationError(f"{GIVE_UP_AFTER} must be at least 0, got {found} ms; 0 means no limit")
    return found


def _at_least_1(configuration: Configuration, key: str, default: int) -> int:
    found = configuration.get_integer(key, default)
    if found < 1:
        raise ValidationError(f"{key} must be at least 1, got {found}")
    return found
