"""`StreamExecutionEnvironment`: where streams begin, and where jobs are started."""

from __future__ import annotations

import importlib
import logging
import re
from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from types import MethodType
from typing import TYPE_CHECKING, Any

from datastream.config import CheckpointConfig, Configuration, ExecutionConfig, RuntimeExecutionMode
from datastream.config.known_keys import check_keys
from datastream.config.modes import CheckpointingMode
from datastream.config.parallelism import check_max_parallelism, check_parallelism
from datastream.config.restart_strategy import (
    RestartStrategies,
    RestartStrategyConfiguration,
    read_restart_strategy,
    write_restart_strategy,
)
from datastream.config.settings import JobListener, PlanCaptured, settings
from datastream.errors import UnsupportedOperation, ValidationError, WrongType, cut
from datastream.graph import JobGraph, Plan, operators
from datastream.graph.builder import GraphBuilder
from datastream.graph.explain import explain, to_json
from datastream.io import Produced, Source
from datastream.job import JobExecutionResult, started
from datastream.job.checkpoint_directories import Claim, claim
from datastream.job.handle import JobHandle
from datastream.job.options import master, read_options
from datastream.time import WatermarkStrategy
from datastream.types import TypeInformation
from datastream.types.checks import configured_check
from datastream.types.given import as_given
from datastream.types.pickles import BUILT_IN, Serializer

from .accepted_settings import AcceptedSettings
from .callables import is_builder
from .data_stream import DataStream
from .job_client import JobClient
from .python_dependencies import PythonDependencies
from .step import node_of

if TYPE_CHECKING:
    from datastream.connectors.input_format import InputFormat

_SERIALIZER = ("serialize", "deserialize")

_METRICS = "datastream.metrics."

#: Flink calls it by the first name, and knows the second.
_CHAINING = ("pipeline.operator-chaining.enabled", "pipeline.operator-chaining")

#: Jars that PyFlink's connectors and formats are made of.
_NOT_NEEDED = re.compile(r"flink|connector|kafka|avro|protobuf|cassandra|elasticsearch|jdbc", re.IGNORECASE)


class StreamExecutionEnvironment(AcceptedSettings, PythonDependencies):
    """Builds a job and starts it. See ``pyflink.datastream.StreamExecutionEnvironment``."""

    _renamed = {"register_cache_file": "register_cached_file"}
    _remedies = {"get_cached_files": "functions ask runtime_context.get_distributed_cache() for the files"}
    _default_local_parallelism: int | None = None

    def __init__(self, configuration: Configuration | None = None) -> None:
        super().__init__()
        self._configuration = Configuration(configuration)
        for key, value in settings().properties.items():
            self._configuration.set_string(key, value)
        self._local_parallelism = StreamExecutionEnvironment._default_local_parallelism
        self._config = ExecutionConfig(self._configuration)
        self._checkpoint_config = CheckpointConfig(self._configuration)
        self._builder = GraphBuilder()
        self._serializers: dict[type, Serializer] = {}
        self._mode = RuntimeExecutionMode[self._configuration.get_string("execution.runtime-mode", "STREAMING").upper()]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """A method of programs for older versions of Flink, such as ``set_stream_time_characteristic``."""
            if name.startswith("_"):
                return super().__getattr__(name)
            from datastream.api.legacy import old_method

            method = old_method(name)
            return super().__getattr__(name) if method is None else MethodType(method, self)

    @staticmethod
    def get_execution_environment(configuration: Configuration | None = None) -> StreamExecutionEnvironment:
        """A new environment; the command line's settings are in it."""
        return StreamExecutionEnvironment(configuration)

    # -- settings ----------------------------------------------------------------------------------

    def get_config(self) -> ExecutionConfig:
        """How operators run."""
        return self._config

    def get_checkpoint_config(self) -> CheckpointConfig:
        """How checkpoints are made: here an epoch is one, so intervals mean the trigger's."""
        return self._checkpoint_config

    def configure(self, configuration: Configuration) -> None:
        """Take over all settings of a configuration."""
        self._configuration.add_all(configuration)
        if configuration.contains_key("execution.runtime-mode"):
            self._mode = RuntimeExecutionMode[configuration.get_string("execution.runtime-mode", "").upper()]

    def set_parallelism(self, parallelism: int) -> StreamExecutionEnvironment:
        """Set the number of subtasks of operators without their own, and so of tasks in a Spark stage.

        `ExecutionConfig.PARALLELISM_DEFAULT` takes back what was set.
        """
        if parallelism != ExecutionConfig.PARALLELISM_DEFAULT:
            check_parallelism(parallelism)
        self._config.set_parallelism(parallelism)
        return self

    def get_parallelism(self) -> int:
        """The default parallelism: what was set, else the command line's, else the local master's cores."""
        own = self._config.get_parallelism()
        if own > 0:
            return own
        return settings().parallelism or self._local_parallelism or _cores(master(self._configuration, settings()))

    def set_max_parallelism(self, max_parallelism: int) -> StreamExecutionEnvironment:
        """Set the number of key groups. Default: 128, or the parallelism where that is more."""
        check_max_parallelism(max_parallelism)
        self._config.set_max_parallelism(max_parallelism)
        return self

    def get_max_parallelism(self) -> int:
        """The number of key groups; -1 where none was set."""
        return self._config.get_max_parallelism()

    def set_runtime_mode(self, execution_mode: RuntimeExecutionMode) -> StreamExecutionEnvironment:
        """STREAMING (every update), BATCH (final values), AUTOMATIC (BATCH when all sources are bounded)."""
        self._mode = execution_mode
        return self

    def disable_operator_chaining(self) -> StreamExecutionEnvironment:
        """Run each operator as a loop of its own, in the same process."""
        self._configuration.set_boolean(_CHAINING[0], False)
        return self

    def is_chaining_enabled(self) -> bool:
        """Whether operators are fused."""
        key = next(filter(self._configuration.contains_key, _CHAINING), "")
        return self._configuration.get_boolean(key, True)

    def enable_checkpointing(self, interval: int, mode: CheckpointingMode | None = None) -> StreamExecutionEnvironment:
        """Start epochs at least `interval` ms apart. Every epoch is a checkpoint, exactly once."""
        self._checkpoint_config.set_checkpoint_interval(interval)
        if mode is not None:
            self._checkpoint_config.set_checkpointing_mode(mode)
        return self

    def get_checkpoint_interval(self) -> int:
        """The interval that was set, in ms; -1 where none was."""
        return self._checkpoint_config.get_checkpoint_interval()

    def get_checkpointing_mode(self) -> CheckpointingMode:
        """The mode that was set; epochs are exactly once in any case."""
        return self._checkpoint_config.get_checkpointing_mode()

    def get_checkpointing_consistency_mode(self) -> CheckpointingMode:
        """The same as `get_checkpointing_mode`."""
        return self.get_checkpointing_mode()

    def set_restart_strategy(self, restart_strategy_configuration: RestartStrategyConfiguration) -> None:
        """Set when the job is started again after a failure; sets the keys ``restart-strategy.*``.

        A strategy that is set here, or by those keys, counts for every failure. Without one the job restarts, if
        checkpointing is on, with exponential delay, and only after failures that can pass.

        Args:
            restart_strategy_configuration: One of `RestartStrategies`; `fall_back_restart()` for the default.

        Raises:
            ValidationError: It is none of them.
        """
        write_restart_strategy(self._configuration, restart_strategy_configuration)

    def get_restart_strategy(self) -> RestartStrategyConfiguration:
        """The strategy that was set, by call or by keys; `fall_back_restart()` where none was."""
        return read_restart_strategy(self._configuration) or RestartStrategies.fall_back_restart()

    @staticmethod
    def set_default_local_parallelism(parallelism: int) -> None:
        """Set the parallelism of environments that are made later, where neither they nor the command line say it.

        Raises:
            ValidationError: less than 1.
        """
        check_parallelism(parallelism)
        StreamExecutionEnvironment._default_local_parallelism = parallelism

    @staticmethod
    def get_default_local_parallelism() -> int:
        """The parallelism of new environments: what was set, else the machine's cores."""
        return StreamExecutionEnvironment._default_local_parallelism or _cores("local[*]")

    def register_serializer(self, cls: type, serializer: Serializer) -> None:
        """Write and read objects of a class by a serializer of the user's own, wherever they stand in a record.

        Args:
            cls: Exactly this class; subclasses keep theirs.
            serializer: A `TypeSerializer`; it travels to the workers. An addition to PyFlink's names.

        Raises:
            ValidationError: it is no serializer, or `cls` no class.
        """
        if (
            not isinstance(cls, type)
            or isinstance(serializer, type)
            or not all(callable(getattr(serializer, n, None)) for n in _SERIALIZER)
        ):
            raise ValidationError(
                "register_serializer needs a class and a TypeSerializer (serialize(element, stream), "
                f"deserialize(stream)), got {cut(cls)} and {cut(serializer)}"
            )
        if cls in BUILT_IN:
            raise ValidationError(f"{cls.__name__} has a form of its own in pickles, which no serializer can replace")
        self._serializers[cls] = serializer

    # -- where streams begin -----------------------------------------------------------------------

    def from_collection(self, collection: Iterable[Any], type_info: TypeInformation | None = None) -> DataStream:
        """A stream of the elements of a list, in order, from one subtask."""
        from datastream.connectors.collection import CollectionSource

        if isinstance(collection, (str, bytes)) or not isinstance(collection, Iterable):
            raise WrongType(f"from_collection needs a list of records, got {cut(collection)}")
        records = list(collection)
        if type_info is not None and configured_check(self._configuration) != "strict":
            records = [as_given(record, type_info) for record in records]
        return self._from(CollectionSource(records), "Collection Source", type_info)

    def from_sequence(self, from_: int, to: int) -> DataStream:
        """The whole numbers from one to another, both included, cut into a range for each subtask."""
        from datastream.connectors.number_seq import NumberSequenceSource

        return self._from(NumberSequenceSource(from_, to), "Sequence Source", None)

    def generate_sequence(self, from_: int, to: int) -> DataStream:
        """The old name of `from_sequence` (FLIP-130)."""
        return self.from_sequence(from_, to)

    def from_source(
        self,
        source: Source,
        watermark_strategy: WatermarkStrategy,
        source_name: str,
        type_info: TypeInformation | None = None,
    ) -> DataStream:
        """A stream from a connector's source.

        Args:
            source: The source.
            watermark_strategy: How records get their event time; `WatermarkStrategy.no_watermarks()` for none.
            source_name: For people.
            type_info: Declared type of the records.
        """
        if not isinstance(source, Source):
            raise _no_source("from_source", source)
        stream = self._from(source, source_name, type_info)
        if watermark_strategy is None or watermark_strategy == WatermarkStrategy.no_watermarks():
            return stream
        timed = stream.assign_timestamps_and_watermarks(watermark_strategy)
        self._builder.of_source[node_of(timed).id] = node_of(stream).id
        return timed

    def add_source(
        self,
        source_func: Source,
        source_name: str = "Custom Source",
        type_info: TypeInformation | None = None,
    ) -> DataStream:
        """A stream from a connector's source; the old name of `from_source`."""
        if not isinstance(source_func, Source):
            raise _no_source("add_source", source_func)
        return self._from(source_func, source_name, type_info)

    def create_input(self, input_format: InputFormat, type_info: TypeInformation | None = None) -> DataStream:
        """A stream of a file's records, by an input format such as `AvroInputFormat`; of Python, not of Java.

        Args:
            input_format: The format.
            type_info: Declared type of the records. Default: the format's own.

        Raises:
            ValidationError: it is no input format.
        """
        source = getattr(input_format, "source", None)
        if not callable(source):
            raise ValidationError(f"create_input needs a format such as AvroInputFormat, got {cut(input_format)}")
        return self._from(source(), type(input_format).__name__, type_info or input_format.get_produced_type())

    def read_text_file(self, file_path: str, charset_name: str = "UTF-8") -> DataStream:
        """The lines of a file, or of all files of a folder, without their ends."""
        from datastream.connectors.files import FileSource, StreamFormat

        source = FileSource.for_record_stream_format(StreamFormat.text_line_format(charset_name), file_path).build()
        return self._from(source, "Text File Source", None)

    def from_spark(
        self,
        frame: Any,
        source_name: str = "DataFrame",
        *,
        location: str | PathLike[str] | None = None,
        trigger: str | None = None,
        available_now: bool = False,
        output_mode: str = "append",
        retain_batches: int = 100,
    ) -> DataStream:
        """A stream of the rows of a DataFrame of Spark, which may be a stream itself; exactly once. Not PyFlink's.

        Starts Spark, to learn the columns. See docs/spark.md.

        Args:
            frame: A function that takes a `SparkSession` and returns the DataFrame. It is called here, and at each
                start of the job. Or a DataFrame: a job whose Java process dies cannot restart with it.
            source_name: For people.
            location: A folder that the driver and all workers reach by the same path, for the rows on their way.
                Default: a folder of the checkpoint directory. A savepoint can be restored only with a location.
            trigger: The least time between two batches of a stream, such as ``10 seconds``. Default: none.
            available_now: Read what a stream has at the start, and end.
            output_mode: Of a stream: ``append``, ``update`` or ``complete``.
            retain_batches: How many batches that were read are kept, for a job that goes on from an older savepoint.

        Raises:
            ValidationError: It is no DataFrame, or a column has a type that has no counterpart.
            UnsupportedOperation: The job is for the local executor, which has no Spark.
        """
        from datastream.connectors.spark import SparkSource

        given = settings()
        if given.executor != "spark":
            raise UnsupportedOperation(
                f"'{source_name}' reads a DataFrame of Spark, and the {given.executor} executor has no Spark: run the "
                "job on Spark, or give it another source for tests"
            )
        options = read_options(self._configuration, self._checkpoint_config, given, None, False)
        frames = importlib.import_module("datastream.spark.frames")
        row_type, streams = frames.describe_frame(frame, source_name, options.master, options.properties)
        source = SparkSource(
            frame,
            row_type,
            bounded=not streams or available_now,
            location=location,
            trigger=trigger,
            available_now=available_now and streams,
            output_mode=output_mode,
            retain_batches=retain_batches,
        )
        return self._from(source, source_name, None)

    # -- running -----------------------------------------------------------------------------------

    def execute(self, job_name: str | None = None) -> JobExecutionResult:
        """Run the job and wait for its end.

        Raises:
            ValidationError: the job is wrong as written.
            JobError: the job failed.
        """
        handle = self._start(job_name)
        try:
            return handle.future.result()
        except KeyboardInterrupt:
            handle.cancel()
            raise

    def execute_async(self, job_name: str = "Flink Streaming Job") -> JobClient:
        """Start the job and return at once."""
        return JobClient(self._start(job_name))

    def get_execution_plan(self) -> str:
        """The plan as JSON, in the form of Flink's."""
        return to_json(Plan.of(self._graph("plan", preview=True)))

    def explain(self) -> str:
        """The plan as text for people: levels, fused chains, partitioners, where state is."""
        return explain(Plan.of(self._graph("plan", preview=True)))

    def close(self) -> None:
        """Nothing to close: the Spark session lives as long as the process."""

    def add_jars(self, *jars_path: str) -> None:
        """Accept jars of connectors and formats, which are not needed: here these are Python classes.

        Raises:
            UnsupportedOperation: a jar of another kind; the engine runs no Java code of the user's.
        """
        for jar in jars_path:
            if not _NOT_NEEDED.search(jar.rpartition("/")[2]):
                raise UnsupportedOperation(
                    f"add_jars: {cut(jar)}: Java classes cannot be used here. Connectors need no jars: remove "
                    "this line; for a jar that Spark itself needs use -D spark.jars=..."
                )
            logging.getLogger("datastream").warning("add_jars: %s is not needed here, and not used", jar)

    def add_classpaths(self, *classpaths: str) -> None:
        """The same as `add_jars`."""
        self.add_jars(*classpaths)

    # -- the inside --------------------------------------------------------------------------------

    def _from(self, source: Source, name: str, type_info: TypeInformation | None) -> DataStream:
        produced: object = source.produced
        if not isinstance(produced, Produced):
            raise ValidationError(
                f"{type(source).__qualname__}.produced must be a Produced (a property, or a value): got {cut(produced)}"
            )
        known = produced.type
        fits = known is not None and produced.exact and (type_info is None or repr(type_info) == repr(known))
        kind = type_info or known
        node = self._builder.add(operators.Source, f"Source: {name}", [], source=source, output_type=kind, fits=fits)
        return DataStream(self, node)

    def _graph(self, name: str, preview: bool = False) -> JobGraph:
        most = self.get_max_parallelism()
        build = self._builder.preview if preview else self._builder.build
        graph = build(name, self.get_parallelism(), most if most > 0 else None, False, self.is_chaining_enabled())
        sources = graph.of_kind(operators.Source)
        bounded = all(op.source.bounded for op in sources)
        if self._mode is RuntimeExecutionMode.BATCH and not bounded and not preview:
            endless = next(op for op in sources if not op.source.bounded)
            raise ValidationError(
                f"batch mode needs sources that end, but '{endless.name}' (made at {endless.origin}) does not"
            )
        batch = self._mode is RuntimeExecutionMode.BATCH or (self._mode is RuntimeExecutionMode.AUTOMATIC and bounded)
        loop = next(iter(graph.of_kind(operators.Iteration)), None)
        if batch and loop is not None:
            raise ValidationError(
                f"the loop '{loop.name}' (made at {loop.origin}) cannot run in BATCH mode, as in Flink: set "
                "env.set_runtime_mode(RuntimeExecutionMode.STREAMING); with bounded sources a job ends in that mode "
                "too, once its loops are empty"
            )
        return replace(graph, batch=batch)

    def _metrics(self, graph: JobGraph) -> tuple[JobListener, ...]:
        """Who shows the job's metrics, if that is wanted."""
        configured = self._configuration.to_dict()
        shown = settings().measured
        if not shown and not any(key.startswith(_METRICS) for key in configured):
            return ()
        reporter = importlib.import_module("datastream.prometheus").reporter(graph, configured, shown)
        return () if reporter is None else (reporter,)

    def _start(self, job_name: str | None) -> JobHandle:
        with started.starting():
            return self._started(job_name)

    def _started(self, job_name: str | None) -> JobHandle:
        given = settings()
        graph = self._graph(given.name or job_name or "Flink Streaming Job")
        if given.on_execute is not None:
            given.on_execute(graph)
            raise PlanCaptured
        claimed = self._claimed(graph)
        try:
            handle = self._run(graph, claimed)
        except BaseException:
            if claimed is not None:
                claimed.failed = True
            raise
        if claimed is not None:
            claimed.job = handle
        started.add(handle)
        if given.on_started is not None:
            given.on_started(handle)
        return handle

    def _claimed(self, graph: JobGraph) -> Claim | None:
        """The job among those that share a checkpoint directory, or a savepoint, of the command; None: it has none."""
        given = settings()
        if not (given.checkpoint_dir or given.from_savepoint):
            return None
        found = claim(given.checkpoint_dir, graph)
        if given.from_savepoint and not found.first:
            logging.getLogger("datastream").warning(
                "--from-savepoint is for the first job that the script starts: '%s' starts without it", graph.name
            )
        return found

    def _run(self, graph: JobGraph, claimed: Claim | None) -> JobHandle:
        given = settings()
        check_keys(self._configuration.key_set())
        metrics = self._metrics(graph)
        folder, first = (None, False) if claimed is None else (claimed.folder, claimed.first)
        options = replace(
            read_options(self._configuration, self._checkpoint_config, given, folder, first),
            parameters=_texts(self._config.get_global_job_parameters()),
            needs=self._needs(),
            listeners=(*given.listeners, *(follow(graph) for follow in given.followers), *metrics),
            measured=bool(metrics),
            serializers=tuple(self._serializers.items()),
        )
        given.jobs_started += 1
        if given.on_options is not None:
            options = given.on_options(graph, options)
        executor = importlib.import_module(f"datastream.{given.executor}")
        handle: JobHandle = executor.execute(graph, options)
        return handle


def builder_of(env: StreamExecutionEnvironment) -> GraphBuilder:
    """The graph that an environment's streams are part of."""
    return env._builder  # noqa: SLF001 - users see no graph


def runtime_mode_of(env: StreamExecutionEnvironment) -> RuntimeExecutionMode:
    """The mode that was set."""
    return env._mode  # noqa: SLF001 - PyFlink has no getter


def graph_of(env: StreamExecutionEnvironment, name: str, preview: bool = False) -> JobGraph:
    """The job of what was made since the last one, as `execute` builds it; it is left to the next for a preview."""
    return env._graph(name, preview)  # noqa: SLF001 - users see no graph


def _no_source(call: str, got: Any) -> ValidationError:
    instead = "; call .build() on it" if is_builder(got) else ""
    return ValidationError(f"{call} needs a Source, got {type(got).__name__}{instead}")


def _cores(master: str) -> int:
    import re

    from datastream.config import machine

    found = re.match(r"local\[(\d+)", master)
    if found:
        return int(found.group(1))
    if master.startswith("local[*"):
        return machine.cores()
    return 1 if master == "local" else 2


def _texts(parameters: dict[str, Any] | None) -> dict[str, str]:
    return {str(k): str(v) for k, v in (parameters or {}).items()}
