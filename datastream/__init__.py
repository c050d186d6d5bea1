"""The Flink DataStream API for Python, run by Apache Spark Structured Streaming.

Everything of ``pyflink.common`` and ``pyflink.datastream`` that this version has is named here.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "datastream.api": ("CloseableIterator DataStream DataStreamSink JobClient KeyedStream StreamExecutionEnvironment"),
    "datastream.config": (
        "CheckpointConfig CheckpointingMode Configuration ExecutionConfig ExecutionMode "
        "ExternalizedCheckpointRetention InputDependencyConstraint MemorySize RuntimeExecutionMode SlotSharingGroup"
    ),
    "datastream.errors": (
        "CheckpointError CheckpointInUse CheckpointMismatch DataStreamError FormatError FunctionError JavaError "
        "JobError NotSerializableError TypeMismatch UnsupportedOperation ValidationError WorkerError"
    ),
    "datastream.formats": (
        "BulkWriter BulkWriterFactory ByteArraySchema DeserializationSchema Encoder SerializationSchema "
        "SimpleStringSchema"
    ),
    "datastream.functions": (
        "AggregateFunction CoFlatMapFunction CoMapFunction CoProcessFunction FilterFunction FlatMapFunction "
        "Function KeySelector KeyedCoProcessFunction KeyedProcessFunction MapFunction NullByteKeySelector "
        "OutputTag Partitioner ProcessFunction ReduceFunction RuntimeContext SinkFunction SourceFunction"
    ),
    "datastream.io": "Committer Sink Source Writer WriterContext",
    "datastream.job": "CompletableFuture JobExecutionResult JobID JobStatus",
    "datastream.time": "Duration Instant Time TimeDomain TimerService TimestampAssigner WatermarkStrategy",
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
