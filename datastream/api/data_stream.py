"""`DataStream`: a stream of records, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn, overload

from datastream.config.parallelism import check_max_parallelism
from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.functions import (
    FilterFunction,
    FlatMapFunction,
    KeyedProcessFunction,
    KeySelector,
    MapFunction,
    OutputTag,
    ProcessFunction,
    SinkFunction,
)
from datastream.functions import Partitioner as PartitionerFunction
from datastream.graph import (
    Broadcast,
    Custom,
    Forward,
    Global,
    Partitioner,
    Rebalance,
    Rescale,
    Shuffle,
)
from datastream.graph import operators as ops
from datastream.graph.builder import Node
from datastream.io import Sink
from datastream.old_names import old_keywords
from datastream.time import WatermarkStrategy
from datastream.types import RowTypeInfo, TypeInformation
from datastream.types.checks import configured_check
from datastream.types.hint_results import element_hint, result_hint
from datastream.types.pickles import as_now
from datastream.types.type_information import as_type
from datastream.whole_numbers import whole_number
from datastream.without_effect import without_effect

from .accepted_settings import configuration_of
from .callables import is_builder, resolve
from .fields import by_place, project, projected
from .step import DataStreamSink, Step, node_of

if TYPE_CHECKING:
    from datastream.state import MapStateDescriptor
    from datastream.windows import WindowAssigner

    from .broadcast_streams import BroadcastConnectedStream, BroadcastStream
    from .connected_streams import ConnectedStreams
    from .environment import StreamExecutionEnvironment
    from .iterative_stream import IterativeStream
    from .job_client import CloseableIterator
    from .joins import CoGroupedStreams, JoinedStreams
    from .keyed_stream import KeyedStream
    from .windowed_stream import AllWindowedStream


def _not_yet(what: str, instead: str = "") -> UnsupportedOperation:
    return UnsupportedOperation(f"{what} are not there yet (docs/differences.md){'; ' + instead if instead else ''}")


def _limit(name: str, value: int | None) -> int | None:
    if value is None:
        return None
    number = whole_number(value, f"{name} must be an int")
    if number < 0:
        raise ValidationError(f"{name} must be 0 or more: got {cut(value)}.")
    return number


class DataStream(Step):
    """A stream of records. See ``pyflink.datastream.DataStream``."""

    _remedies = {
        name: "resources are those of Spark's executors: set -D spark.executor.memory, spark.executor.cores"
        for name in ("set_resources", "get_min_resources", "get_preferred_resources")
    }
    _before_windows = "key_by(...) and window(...), or window_all(...),"

    @classmethod
    def _remedy(cls, name: str) -> str | None:
        from .keyed_stream import KeyedStream
        from .windowed_stream import WindowedStream

        if hasattr(cls, name):
            return super()._remedy(name)
        if hasattr(KeyedStream, name):
            return "it needs a keyed stream: call key_by first"
        if hasattr(WindowedStream, name):
            return f"it needs windows: call {cls._before_windows} first"
        return super()._remedy(name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._node.place}>"

    def __iter__(self) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} cannot be looped over: its records exist while the job runs; "
            "use execute_and_collect(), which runs the job, or map and print"
        )

    # -- about the stream --------------------------------------------------------------------------

    def _set(self, **fields: Any) -> Any:
        node = self._node
        if node.partitioner != Forward():
            raise ValidationError(
                f"{next(iter(fields))} belongs to an operator, but {node.partitioner.name}() is none; "
                "call it before the partitioner or after the next operator"
            )
        if node.tag is not None:
            raise ValidationError(
                f"{next(iter(fields))} belongs to an operator, but a side output is none; "
                "call it on the stream that get_side_output was called on"
            )
        source = node.builder.of_source.get(node.id)
        if source is None:
            return super()._set(**fields)
        # from_source with a strategy is one operator to the user: the source.
        node.builder.change(source, **fields)
        if fields.get("uid") is not None:
            fields["uid"] += "-timestamps"
        return super()._set(**{name: value for name, value in fields.items() if name not in ("name", "description")})

    def get_type(self) -> TypeInformation:
        """The declared type of the records, else what the function's annotations say, else a pickled byte array."""
        from datastream.types import Types

        return self._node.output_type or self._node.hinted or Types.PICKLED_BYTE_ARRAY()

    def get_execution_environment(self) -> StreamExecutionEnvironment:
        """The environment that the stream belongs to."""
        return self._env

    def get_execution_config(self) -> Any:
        """The environment's configuration."""
        return self._env.get_config()

    def get_parallelism(self) -> int:
        """The number of subtasks (FLIP-130)."""
        return self._node.operator.parallelism or self._env.get_parallelism()

    def set_max_parallelism(self, max_parallelism: int) -> DataStream:
        """Set the number of key groups, which bounds later parallelism.

        Raises:
            ValidationError: not between 1 and 32768.
        """
        check_max_parallelism(max_parallelism)
        return self._set(max_parallelism=max_parallelism)  # type: ignore[no-any-return]

    def force_non_parallel(self) -> DataStream:
        """Run the operator with one subtask, now and for good."""
        return self._set(parallelism=1, non_parallel=True)  # type: ignore[no-any-return]

    @without_effect("blocks of records leave when they are full or the epoch ends")
    def set_buffer_timeout(self, timeout_millis: int) -> DataStream:
        """Accepted and without effect: blocks leave when they are full or the epoch ends."""
        return self

    def start_new_chain(self) -> DataStream:
        """Do not fuse the operator with the one before it."""
        return self._set(chain=False)  # type: ignore[no-any-return]

    # -- one record at a time ----------------------------------------------------------------------

    @old_keywords(data_types="output_type")
    def map(self, func: Callable[[Any], Any] | MapFunction, output_type: TypeInformation | None = None) -> DataStream:
        """Replace each record by the function's result.

        Args:
            func: record -> record, or a `MapFunction`.
            output_type: Declared type of the results.
        """
        function, instance = resolve(func, "map", ("value",), "map")
        return self._then(
            ops.Map, "Map", function=function, instance=instance, output_type=output_type, hinted=result_hint(function)
        )

    @old_keywords(data_types="output_type")
    def flat_map(
        self,
        func: Callable[[Any], Iterable[Any]] | FlatMapFunction,
        output_type: TypeInformation | None = None,
    ) -> DataStream:
        """Replace each record by any number of records: the function returns or yields them; None is none."""
        function, instance = resolve(func, "flat_map", ("value",), "flat_map")
        return self._then(
            ops.FlatMap,
            "FlatMap",
            function=function,
            instance=instance,
            output_type=output_type,
            hinted=element_hint(function),
        )

    def filter(self, func: Callable[[Any], bool] | FilterFunction) -> DataStream:
        """Keep the records for which the function returns a true value."""
        function, instance = resolve(func, "filter", ("value",), "filter")
        return self._then(
            ops.Filter,
            "Filter",
            function=function,
            instance=instance,
            **self._node.types,
        )

    def project(self, *field_indexes: int) -> DataStream:
        """Keep some fields of tuples or rows, by position, in the order given.

        Raises:
            ValidationError: no index, or a negative one.
        """
        if not field_indexes or any(i < 0 for i in field_indexes):
            raise ValidationError(f"project needs field positions from 0 up, got {field_indexes}")
        return self._then(
            ops.Map,
            "Projection",
            function=project(field_indexes),
            output_type=projected(self._node.output_type, field_indexes),
            tested_first=True,
        )

    def process(self, func: ProcessFunction, output_type: TypeInformation | None = None) -> DataStream:
        """Run a `ProcessFunction`, which yields any number of records for each."""
        given: Any = func
        if isinstance(given, KeyedProcessFunction):
            raise ValidationError(
                f"{type(func).__qualname__} is a KeyedProcessFunction, which needs a keyed stream: call key_by first"
            )
        function, instance = resolve(func, "process_element", ("value", "ctx"), "process")
        return self._then(
            ops.Process,
            "PROCESS",
            function=function,
            instance=instance,
            output_type=output_type,
            hinted=element_hint(function),
        )

    def assign_timestamps_and_watermarks(self, watermark_strategy: WatermarkStrategy) -> DataStream:
        """Give records their event time, and make watermarks of it. Replaces what they had.

        Args:
            watermark_strategy: How. Without a timestamp assigner records keep the timestamps that they have.
        """
        if not isinstance(watermark_strategy, WatermarkStrategy):
            raise ValidationError(
                "assign_timestamps_and_watermarks needs a WatermarkStrategy, got " + cut(watermark_strategy)
            )
        watermark_strategy.check_assigner()
        return self._then(
            ops.Timestamps,
            "Timestamps/Watermarks",
            strategy=watermark_strategy,
            **self._node.types,
            fits=True,
        )

    def union(self, *streams: DataStream) -> DataStream:
        """All records of this and the other streams. A stream may be joined with itself: records then double.

        Rows have the names of this stream's type: their fields go by place.
        """
        check_environment("union", self, *streams)
        nodes = [node_of(stream) for stream in (self, *streams)]
        declared = [(kind, node) for node in nodes if (kind := node.output_type) is not None]
        for kind, node in declared[1:]:
            if kind != declared[0][0]:
                raise ValidationError(
                    f"union needs streams of one type: {declared[0][1].place} has {declared[0][0]}, {node.place} "
                    f"has {kind}; map one of them to the type of the other"
                )
        own = self._node.output_type
        alike = [self._node, *(node_of(_with_names(stream, own)) for stream in streams)]
        types = {repr(node.output_type) for node in alike}
        kind = own if len(types) == 1 else None
        return self._stream(self._node.builder.add(ops.Union, "Union", alike, output_type=kind))

    def iterate(self, max_wait_time: int = 0, *, max_iterations: int | None = None) -> IterativeStream:
        """Begin a loop (FLIP-130): what is returned has the records of this stream and those that are fed back.

        A streaming job, and one with bounded sources, ends as soon as its sources have ended and its loops are empty.
        As long as the way from the loop's head to `IterativeStream.close_with` has no exchange (``key_by``,
        ``rebalance``, another parallelism), a record goes round at once, inside its subtask. Otherwise what an epoch
        feeds back is read by the next one; it is kept beside the checkpoint, so that a restart loses and doubles
        nothing. Watermarks do not wait for a loop: what goes round may be late.

        Args:
            max_wait_time: The time without feedback, in ms, after which the loop ends, counted from the end of its
                input on. It matters where timers of processing time in the loop give records: those due within it are
                waited for. A loop at work is never cut off, however long a round takes. Default: 0, the loop ends as
                soon as it is empty.
            max_iterations: How many rounds the loop may make after its input: inside a subtask for a block of records,
                with an exchange once the sources have ended. What is still in it then is dropped, and counted.
                Default: until it is empty.

        Raises:
            ValidationError: A number is negative.
        """
        from .iterative_stream import IterativeStream

        wait = _limit("max_wait_time", max_wait_time)
        limits = {"max_wait_ms": wait or None, "max_iterations": _limit("max_iterations", max_iterations)}
        return IterativeStream(self._env, self._node.then(ops.Iteration, "Iteration", **self._node.types, **limits))

    # -- two streams -------------------------------------------------------------------------------

    @overload
    def connect(self, ds: DataStream) -> ConnectedStreams: ...

    @overload
    def connect(self, ds: BroadcastStream) -> BroadcastConnectedStream: ...

    def connect(self, ds: DataStream | BroadcastStream) -> ConnectedStreams | BroadcastConnectedStream:
        """Let one function read this stream and another of any type, or the broadcast state made of another.

        Args:
            ds: The other stream, or what its `broadcast` with descriptors returns.
        """
        from .broadcast_streams import BroadcastConnectedStream, BroadcastStream
        from .connected_streams import ConnectedStreams

        if isinstance(ds, BroadcastStream):
            return BroadcastConnectedStream(self, ds, ds.broadcast_state_descriptors)
        return ConnectedStreams(self, ds)

    def join(self, other_stream: DataStream) -> JoinedStreams:
        """Pair the records of two streams that have one key and one window; Flink has it in Java."""
        from .joins import JoinedStreams

        return JoinedStreams(self, other_stream)

    def co_group(self, other_stream: DataStream) -> CoGroupedStreams:
        """Call a function with the records of two streams that have one key and one window; Flink has it in Java."""
        from .joins import CoGroupedStreams

        return CoGroupedStreams(self, other_stream)

    # -- windows -----------------------------------------------------------------------------------

    def window_all(self, window_assigner: WindowAssigner[Any, Any]) -> AllWindowedStream:
        """Group all records in windows, in one subtask."""
        from .windowed_stream import AllWindowedStream

        return AllWindowedStream(self, window_assigner)

    # -- where records go --------------------------------------------------------------------------

    def key_by(
        self,
        key_selector: Callable[[Any], Any] | KeySelector,
        key_type: TypeInformation | None = None,
    ) -> KeyedStream:
        """Partition by key: all records of a key meet in one subtask, in the order their sender sent them.

        Args:
            key_selector: record -> key; a key must be hashable, and equal keys must be equal everywhere.
            key_type: Declared type of the key.
        """
        from .keyed_stream import KeyedStream

        function, _ = resolve(key_selector, "get_key", ("value",), "key_by")
        key = as_now(function)
        self._node.builder.note_keyed(self._node, key)
        return KeyedStream(self._env, self, key, None if key_type is None else as_type(key_type))

    def shuffle(self) -> DataStream:
        """Send each record to a random subtask of the next operator."""
        return self._by(Shuffle())

    def rebalance(self) -> DataStream:
        """Send records round robin to all subtasks of the next operator."""
        return self._by(Rebalance())

    def rescale(self) -> DataStream:
        """Send records round robin to the next operator's subtasks that belong to this one."""
        return self._by(Rescale())

    def forward(self) -> DataStream:
        """Keep records in their subtask; this is the default."""
        return self._by(Forward())

    @overload
    def broadcast(self) -> DataStream: ...

    @overload
    def broadcast(
        self, broadcast_state_descriptor: MapStateDescriptor, *other_broadcast_state_descriptors: MapStateDescriptor
    ) -> BroadcastStream: ...

    def broadcast(
        self,
        broadcast_state_descriptor: MapStateDescriptor | None = None,
        *other_broadcast_state_descriptors: MapStateDescriptor,
    ) -> DataStream | BroadcastStream:
        """Send each record to every subtask of the next operator; with descriptors, to make broadcast state of it.

        Args:
            broadcast_state_descriptor: Of the first state that `BroadcastProcessFunction` makes of the records.
            other_broadcast_state_descriptors: Of others.
        """
        if broadcast_state_descriptor is None:
            return self._by(Broadcast())
        from .broadcast_streams import BroadcastStream

        return BroadcastStream(self, (broadcast_state_descriptor, *other_broadcast_state_descriptors))

    def global_(self) -> DataStream:
        """Send every record to the first subtask of the next operator (FLIP-130's ``global``)."""
        return self._by(Global())

    def partition_custom(
        self,
        partitioner: Callable[[Any, int], int] | PartitionerFunction,
        key_selector: Callable[[Any], Any] | KeySelector,
    ) -> DataStream:
        """Send each record where the user's function says.

        Args:
            partitioner: (key, number of subtasks) -> subtask index.
            key_selector: record -> key.
        """
        partition, _ = resolve(partitioner, "partition", ("key", "num_partitions"), "partition_custom")
        key, _ = resolve(key_selector, "get_key", ("value",), "partition_custom")
        return self._by(Custom(as_now(partition), as_now(key)))

    def get_side_output(self, output_tag: OutputTag) -> DataStream:
        """The records that the operator gave to a side output: its function yields ``(output_tag, value)``.

        Raises:
            ValidationError: the operator never writes to it.
        """
        if not isinstance(output_tag, OutputTag):
            raise ValidationError(f"get_side_output needs an OutputTag, got {cut(output_tag)}")
        node, op = self._node, self._node.operator
        tags = op.source.produced.side_tags if isinstance(op, ops.Source) else ()
        if not op.splits and output_tag not in tags:
            raise ValidationError(
                f"'{op.name}' writes nothing to a side output '{output_tag.tag_id}'; process and window functions "
                "do, and sources whose schema was made by with_dead_letters(tag)"
            )
        known = node.builder.tags.setdefault((node.id, output_tag.tag_id), output_tag)
        if repr(known.type_info) != repr(output_tag.type_info):
            raise ValidationError(
                f"the side output '{output_tag.tag_id}' of '{op.name}' has the type {known.type_info!r}, and cannot "
                f"have {output_tag.type_info!r} too; use one OutputTag for both"
            )
        return self._stream(Node(node.builder, node.id, tag=known))

    # -- ends --------------------------------------------------------------------------------------

    def sink_to(self, sink: Sink) -> DataStreamSink:
        """Write the stream to a sink."""
        if not isinstance(sink, Sink):
            raise ValidationError(
                f"sink_to needs a Sink, got {type(sink).__name__}; "
                f"{'call .build() on it' if is_builder(sink) else 'for a function use add_sink'}"
            )
        return self._sink(sink, type(sink).__name__)

    def add_sink(self, sink_func: SinkFunction | Sink | Callable[[Any], Any]) -> DataStreamSink:
        """Write the stream to an old-style sink, or call a function with every record, at least once."""
        if isinstance(sink_func, Sink):
            return self.sink_to(sink_func)
        from datastream.connectors.function_sink import FunctionSink

        function, instance = resolve(sink_func, "invoke", ("value",), "add_sink")
        name = type(instance).__name__ if instance is not None else getattr(function, "__name__", "function")
        return self._sink(FunctionSink(as_now(function)), name)

    def to_spark(
        self, function: Callable[[Any, int], object], *, location: str | PathLike[str] | None = None
    ) -> DataStreamSink:
        """Call a function with the rows of each epoch as a DataFrame of Spark, as ``foreachBatch``. Not PyFlink's.

        It is called in the driver, for each epoch with rows, before the epoch is committed; and again, with the same
        rows and epoch, if it or the driver fails. So it is exactly once if the function writes an epoch only once, by
        its number; else at least once. See docs/spark.md.

        Args:
            function: Called with the DataFrame and the number of the epoch; what it returns is dropped.
            location: A folder that the driver and all workers reach by the same path, for the rows on their way.
                Default: a folder of the checkpoint directory.

        Raises:
            ValidationError: The stream is not declared to have rows: `Types.ROW_NAMED(...)`. Or the function is one
                with ``async`` or ``yield``.
        """
        from datastream.connectors.spark import SparkSink

        kind = self._node.output_type
        if not isinstance(kind, RowTypeInfo):
            raise ValidationError(
                f"to_spark needs a stream of rows, whose fields become the columns, and '{self._node.operator.name}' "
                f"gives {'records of no declared type' if kind is None else repr(kind)}; declare "
                "output_type=Types.ROW_NAMED(names, types) in the step before"
            )
        return self._sink(SparkSink(function, kind, location=location), getattr(function, "__name__", "to_spark"))

    def print(self, sink_identifier: str | None = None) -> DataStreamSink:
        """Print every record in the driver once its epoch is committed.

        Args:
            sink_identifier: Put before each line as ``identifier> ``; with a parallelism above 1, as
                ``identifier:subtask> ``, subtasks counted from 1.
        """
        from datastream.connectors.print_sink import PrintSink

        return self._sink(PrintSink(sink_identifier, record_type=self._node.output_type), "Print to Std. Out")

    def execute_and_collect(
        self, job_execution_name: str | None = None, limit: int | None = None
    ) -> CloseableIterator | list[Any]:
        """Run the job and bring the stream's records to the driver.

        Args:
            job_execution_name: Name of the job.
            limit: Return a list of at most this number of records; without it, an iterator, to be closed.
        """
        from datastream.connectors.collect_sink import CollectSink

        from .job_client import CloseableIterator

        tested = configured_check(configuration_of(self._env)) != "off"
        sink = CollectSink(limit, self._node.output_type if tested else None)
        self._sink(sink, "Collect").set_parallelism(self.get_parallelism())  # keeps the order of each subtask
        client = self._env.execute_async(job_execution_name or "Collect")
        iterator = CloseableIterator(client, sink)
        if limit is None:
            return iterator
        with iterator:
            return list(iterator)

    def collect(self, limit: int | None = None) -> list[Any]:
        """Run the job and return the stream's records as a list (FLIP-130's ``DataStreamUtils.collect``)."""
        with self.execute_and_collect() as iterator:  # type: ignore[union-attr]
            if limit is None:
                return list(iterator)
            return [record for _, record in zip(range(limit), iterator, strict=False)]

    # -- not there yet -----------------------------------------------------------------------------

    def cache(self) -> Any:
        """Not supported."""
        raise UnsupportedOperation("cache() is for interactive batch work; write the stream to files and read those")

    # -- the inside --------------------------------------------------------------------------------

    def _stream(self, node: Node) -> DataStream:
        return DataStream(self._env, node)

    def _by(self, partitioner: Partitioner) -> DataStream:
        return self._stream(self._node.partitioned(partitioner))

    def _then(self, kind: type[ops.Operator], name: str, **fields: Any) -> DataStream:
        return self._stream(self._node.then(kind, name, **fields))

    def _sink(self, sink: Sink, name: str) -> DataStreamSink:
        return DataStreamSink(self._env, self._node.then(ops.Sink, f"Sink: {name}", sink=sink))


def check_environment(call: str, *streams: DataStream) -> None:
    """Refuse streams of several environments.

    Raises:
        ValidationError: they are.
    """
    if len({id(node_of(stream).builder) for stream in streams}) > 1:
        raise ValidationError(f"{call} needs streams of one StreamExecutionEnvironment")


def _with_names(stream: DataStream, kind: TypeInformation | None) -> DataStream:
    """The stream, with the names of another type's fields; == of types ignores them."""
    own = node_of(stream).output_type
    if kind is None or own is None or repr(own) == repr(kind):
        return stream
    return stream.map(by_place(own), kind).name("Names of the union")
