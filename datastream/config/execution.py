"""How a job's operators run."""

from __future__ import annotations

import json
from typing import Any

from datastream.config.configuration import Configuration
from datastream.config.map_text import parse_map
from datastream.config.modes import ClosureCleanerLevel
from datastream.errors import ValidationError, cut
from datastream.without_effect import without_effect


class ExecutionConfig:
    """A view of a `Configuration` under Flink's keys: what is set on one shows on the other.

    Settings of the JVM (Kryo, Avro, closures, latency markers) are kept and returned, without effect.

    Args:
        configuration: The options to show and change; new ones when left out.
    """

    PARALLELISM_DEFAULT = -1
    PARALLELISM_UNKNOWN = -2

    def __init__(self, configuration: Configuration | None = None) -> None:
        self._configuration = Configuration() if configuration is None else configuration

    @without_effect("functions are pickled as they are", warn=False)
    def enable_closure_cleaner(self) -> ExecutionConfig:
        """Ask for closure cleaning; no effect."""
        return self._set_text("pipeline.closure-cleaner-level", ClosureCleanerLevel.RECURSIVE.name)

    @without_effect("functions are pickled as they are")
    def disable_closure_cleaner(self) -> ExecutionConfig:
        """Ask for no closure cleaning; no effect."""
        return self._set_text("pipeline.closure-cleaner-level", ClosureCleanerLevel.NONE.name)

    def is_closure_cleaner_enabled(self) -> bool:
        """Whether closure cleaning is asked for; default true."""
        return self.get_closure_cleaner_level() is not ClosureCleanerLevel.NONE

    def get_closure_cleaner_level(self) -> ClosureCleanerLevel:
        """Return the level of closure cleaning asked for; default RECURSIVE.

        Raises:
            ValidationError: The configuration names no such level.
        """
        name = self._configuration.get_string("pipeline.closure-cleaner-level", "RECURSIVE")
        try:
            return ClosureCleanerLevel[name.upper()]
        except KeyError:
            raise ValidationError(
                f"Config 'pipeline.closure-cleaner-level' is {cut(name)}: expected one of "
                f"{', '.join(ClosureCleanerLevel.__members__)}."
            ) from None

    @without_effect("watermarks of streams stand behind each block of records")
    def set_auto_watermark_interval(self, interval: int) -> ExecutionConfig:
        """Set how often watermarks are made, in ms; 0 makes none periodically.

        Of a table: by more than how many ms a row moves the watermark on at once.
        """
        return self._set_number("pipeline.auto-watermark-interval", interval, least=0)

    def get_auto_watermark_interval(self) -> int:
        """Return how often watermarks are made, in ms; default 200."""
        return self._configuration.get_duration_ms("pipeline.auto-watermark-interval", 200)

    @without_effect("there are no latency markers; each epoch's duration is reported with it")
    def set_latency_tracking_interval(self, interval: int) -> ExecutionConfig:
        """Set how often latency is measured, in ms; no effect."""
        return self._set_number("metrics.latency.interval", interval, least=0)

    def get_latency_tracking_interval(self) -> int:
        """Return how often latency is measured, in ms; default 0, never."""
        return self._configuration.get_duration_ms("metrics.latency.interval", 0)

    def set_parallelism(self, parallelism: int) -> ExecutionConfig:
        """Set the parallelism of operators without their own; PARALLELISM_DEFAULT unsets it."""
        if parallelism == self.PARALLELISM_UNKNOWN:
            return self
        if parallelism == self.PARALLELISM_DEFAULT:
            self._configuration.remove_config("parallelism.default")
            return self
        return self._set_number("parallelism.default", parallelism, least=1)

    def get_parallelism(self) -> int:
        """Return the parallelism of operators without their own; PARALLELISM_DEFAULT when unset."""
        return self._configuration.get_integer("parallelism.default", self.PARALLELISM_DEFAULT)

    def set_max_parallelism(self, max_parallelism: int) -> ExecutionConfig:
        """Set the number of key groups: the bound of any later parallelism."""
        return self._set_number("pipeline.max-parallelism", max_parallelism, least=1)

    def get_max_parallelism(self) -> int:
        """Return the number of key groups; -1 when unset."""
        return self._configuration.get_integer("pipeline.max-parallelism", -1)

    @without_effect("Spark cancels the tasks")
    def set_task_cancellation_interval(self, interval: int) -> ExecutionConfig:
        """Set how long to wait between attempts to cancel a task, in ms; no effect."""
        return self._set_number("task.cancellation.interval", interval, least=0)

    def get_task_cancellation_interval(self) -> int:
        """Return how long to wait between attempts to cancel a task, in ms; default 30,000."""
        return self._configuration.get_duration_ms("task.cancellation.interval", 30_000)

    @without_effect("Spark cancels the tasks")
    def set_task_cancellation_timeout(self, timeout: int) -> ExecutionConfig:
        """Set how long a cancelled task may take, in ms; no effect."""
        return self._set_number("task.cancellation.timeout", timeout, least=0)

    def get_task_cancellation_timeout(self) -> int:
        """Return how long a cancelled task may take, in ms; default 180,000."""
        return self._configuration.get_duration_ms("task.cancellation.timeout", 180_000)

    @without_effect("no object of Java is serialized")
    def enable_force_kryo(self) -> ExecutionConfig:
        """Ask for Kryo; no effect."""
        return self._set_flag("pipeline.force-kryo", True)

    @without_effect("no object of Java is serialized", warn=False)
    def disable_force_kryo(self) -> ExecutionConfig:
        """Ask for no Kryo; no effect."""
        return self._set_flag("pipeline.force-kryo", False)

    def is_force_kryo_enabled(self) -> bool:
        """Whether Kryo is asked for; default false."""
        return self._configuration.get_boolean("pipeline.force-kryo", False)

    @without_effect("no object of Java is serialized", warn=False)
    def enable_generic_types(self) -> ExecutionConfig:
        """Allow generic types; no effect."""
        return self._set_flag("pipeline.generic-types", True)

    @without_effect("no object of Java is serialized")
    def disable_generic_types(self) -> ExecutionConfig:
        """Forbid generic types; no effect."""
        return self._set_flag("pipeline.generic-types", False)

    def has_generic_types_disabled(self) -> bool:
        """Whether generic types are forbidden; default false."""
        return not self._configuration.get_boolean("pipeline.generic-types", True)

    @without_effect("an operator without a uid always gets one", warn=False)
    def enable_auto_generated_uids(self) -> ExecutionConfig:
        """Give operators without a uid one made from the graph."""
        return self._set_flag("pipeline.auto-generate-uids", True)

    @without_effect("an operator without a uid always gets one")
    def disable_auto_generated_uids(self) -> ExecutionConfig:
        """Ask every operator to have a uid of its own."""
        return self._set_flag("pipeline.auto-generate-uids", False)

    def has_auto_generated_uids_enabled(self) -> bool:
        """Whether operators may go without a uid; default true."""
        return self._configuration.get_boolean("pipeline.auto-generate-uids", True)

    @without_effect("no object of Java is serialized")
    def enable_force_avro(self) -> ExecutionConfig:
        """Ask for Avro; no effect."""
        return self._set_flag("pipeline.force-avro", True)

    @without_effect("no object of Java is serialized", warn=False)
    def disable_force_avro(self) -> ExecutionConfig:
        """Ask for no Avro; no effect."""
        return self._set_flag("pipeline.force-avro", False)

    def is_force_avro_enabled(self) -> bool:
        """Whether Avro is asked for; default false."""
        return self._configuration.get_boolean("pipeline.force-avro", False)

    @without_effect("records are handed on as they are, as with object reuse on", warn=False)
    def enable_object_reuse(self) -> ExecutionConfig:
        """Allow objects to be reused between operators; they always are within a chain."""
        return self._set_flag("pipeline.object-reuse", True)

    @without_effect("records are handed on as they are, as with object reuse on")
    def disable_object_reuse(self) -> ExecutionConfig:
        """Ask for no reuse of objects; no effect."""
        return self._set_flag("pipeline.object-reuse", False)

    def is_object_reuse_enabled(self) -> bool:
        """Whether reuse of objects is asked for; default false."""
        return self._configuration.get_boolean("pipeline.object-reuse", False)

    def set_global_job_parameters(self, global_job_parameters_dict: dict[str, Any]) -> ExecutionConfig:
        """Set the parameters that functions read through `RuntimeContext.get_job_parameter`, as text."""
        parameters = {str(key): str(value) for key, value in global_job_parameters_dict.items()}
        return self._set_text("pipeline.global-job-parameters", json.dumps(parameters))

    def get_global_job_parameters(self) -> dict[str, str]:
        """Return the parameters that functions can read.

        The configuration holds them as `k1:v1,k2:v2`, as a JSON object or as YAML's `{k1: v1, k2: v2}`.

        Raises:
            ValidationError: The configuration holds them in another form.
        """
        key = "pipeline.global-job-parameters"
        return parse_map(key, self._configuration.get_string(key, ""))

    def get_default_kryo_serializer_classes(self) -> dict[str, str]:
        """Return the Kryo serializers by class: none."""
        return {}

    def get_registered_kryo_types(self) -> list[str]:
        """Return the classes known to Kryo: none."""
        return []

    def get_registered_pojo_types(self) -> list[str]:
        """Return the registered Java classes: none."""
        return []

    def is_use_snapshot_compression(self) -> bool:
        """Whether compressed savepoints are asked for; default false."""
        return self._configuration.get_boolean("execution.checkpointing.snapshot-compression", False)

    @without_effect("Spark compresses its state files (spark.sql.streaming.stateStore.compression.codec)")
    def set_use_snapshot_compression(self, use_snapshot_compression: bool) -> ExecutionConfig:
        """Ask for compressed savepoints or not; no effect."""
        return self._set_flag("execution.checkpointing.snapshot-compression", use_snapshot_compression)

    def _set_text(self, key: str, value: str) -> ExecutionConfig:
        self._configuration.set_string(key, value)
        return self

    def _set_flag(self, key: str, value: bool) -> ExecutionConfig:
        self._configuration.set_boolean(key, value)
        return self

    def _set_number(self, key: str, value: int, least: int) -> ExecutionConfig:
        if not isinstance(value, int) or value < least:
            raise ValidationError(f"Config '{key}' must be an integer of at least {least}: got {cut(value)}.")
        self._configuration.set_integer(key, value)
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExecutionConfig) and self._configuration == other._configuration

    def __hash__(self) -> int:
        return hash(self._configuration)
