"""The Flink DataStream API for Python, run by Apache Spark Structured Streaming.

Everything of ``pyflink.common`` and ``pyflink.datastream`` that this version has is named here.
"""

from __future__ import annotations

import importlib
from typing import Any

#: The one place that states it; packages, image and chart have the same.
__version__ = "0.1.0.dev0"

_HOMES = {
    "datastream.api": (
        "AllWindowedStream AsyncDataStream BroadcastConnectedStream BroadcastStream CloseableIterator "
        "ConnectedStreams DataStream DataStreamSink DataStreamUtils IterativeStream JobClient KeyedStream "
        "StreamExecutionEnvironment WindowedStream"
    ),
    "datastream.config": (
        "CheckpointConfig CheckpointStorage CheckpointingMode ConfigOption ConfigOptions Configuration "
        "CustomCheckpointStorage CustomStateBackend EmbeddedRocksDBStateBackend ExecutionConfig ExecutionMode "
        "ExternalizedCheckpointRetention FileSystemCheckpointStorage HashMapStateBackend InputDependencyConstraint "
        "JobManagerCheckpointStorage MemorySize PredefinedOptions RestartStrategies RestartStrategyConfiguration "
        "RuntimeExecutionMode SlotSharingGroup StateBackend"
    ),
    "datastream.errors": (
        "CheckpointError CheckpointInUse CheckpointLost CheckpointMismatch DataStreamError FormatError FunctionError "
        "JavaError JobError NotSerializableError TypeMismatch UnsupportedOperation ValidationError WorkerError"
    ),
    "datastream.formats": (
        "BulkWriter BulkWriterFactory ByteArraySchema DeserializationSchema Encoder SerializationSchema "
        "SimpleStringSchema"
    ),
    "datastream.functions": (
        "AggregateFunction AllWindowFunction AsyncFunction AsyncFunctionDescriptor AsyncRetryPredicate "
        "AsyncRetryStrategy BaseBroadcastProcessFunction BroadcastProcessFunction CoFlatMapFunction "
        "CoGroupFunction CoMapFunction CoProcessFunction ExponentialBackoffDelayRetryStrategy FilterFunction "
        "FixedDelayRetryStrategy FlatJoinFunction FlatMapFunction Function JoinFunction KeySelector "
        "KeyedBroadcastProcessFunction KeyedCoProcessFunction KeyedProcessFunction KeyedStateFunction MapFunction "
        "NoRetryStrategy NullByteKeySelector OutputTag Partitioner ProcessAllWindowFunction ProcessFunction "
        "ProcessJoinFunction ProcessWindowFunction ReduceFunction RetryPredicate RuntimeContext SinkFunction "
        "SourceFunction WindowFunction empty_result_predicate exception_type_predicate has_exception_predicate"
    ),
    "datastream.io": "Batch Committer Sink SinkWriter Source SourceReader SplitEnumerator",
    "datastream.job": "CompletableFuture JobExecutionResult JobID JobStatus",
    "datastream.windows": (
        "ContinuousEventTimeTrigger ContinuousProcessingTimeTrigger CountEvictor CountSlidingWindowAssigner "
        "CountTrigger CountTumblingWindowAssigner CountWindow CountWindowSerializer DeltaEvictor "
        "DynamicEventTimeSessionWindows DynamicProcessingTimeSessionWindows EventTimeSessionWindows "
        "EventTimeTrigger Evictor GlobalWindow GlobalWindowSerializer GlobalWindows MergingWindowAssigner "
        "NeverTrigger ProcessingTimeSessionWindows ProcessingTimeTrigger ProcessingTimeoutTrigger PurgingTrigger "
        "SessionWindowTimeGapExtractor SlidingEventTimeWindows SlidingProcessingTimeWindows TimeEvictor "
        "TimeWindow TimeWindowSerializer TimestampedValue Trigger TriggerResult TumblingEventTimeWindows "
        "TumblingProcessingTimeWindows Window WindowAssigner"
    ),
    "datastream.state": (
        "AggregatingState AggregatingStateDescriptor AppendingState BroadcastState KeyedStateStore ListState "
        "ListStateDescriptor MapState MapStateDescriptor MergingState OperatorStateStore ReadOnlyBroadcastState "
        "ReducingState ReducingStateDescriptor State StateDescriptor StateTtlConfig ValueState "
        "ValueStateDescriptor"
    ),
    "datastream.time": (
        "BoundedOutOfOrdernessWatermarks Duration Instant "
        "MAX_WATERMARK MIN_WATERMARK MonotonousTimestampsWatermarks NO_TIMESTAMP NoWatermarks Time TimeDomain "
        "TimerService TimestampAssigner WatermarkGenerator WatermarkOutput WatermarkStrategy "
        "WatermarksWithIdleness"
    ),
    "datastream.types": (
        "BasicArrayTypeInfo BasicType BasicTypeInfo DateTypeInfo ListTypeInfo MapTypeInfo ObjectArrayTypeInfo "
        "PickledBytesTypeInfo PrimitiveArrayTypeInfo Row RowKind RowTypeInfo TimeTypeInfo TimestampTypeInfo "
        "TupleTypeInfo TypeInformation TypeSerializer Types"
    ),
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'datastream' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
