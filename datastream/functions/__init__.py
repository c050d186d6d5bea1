"""The functions users implement, named as in `pyflink.datastream.functions`."""

from datastream.functions.aggregate_function import AggregateFunction
from datastream.functions.async_function import AsyncFunction, AsyncFunctionDescriptor
from datastream.functions.async_retry_predicates import (
    empty_result_predicate,
    exception_type_predicate,
    has_exception_predicate,
)
from datastream.functions.async_retry_strategies import (
    AsyncRetryPredicate,
    AsyncRetryStrategy,
    ExponentialBackoffDelayRetryStrategy,
    FixedDelayRetryStrategy,
    NoRetryStrategy,
    RetryPredicate,
)
from datastream.functions.broadcast_process_function import BaseBroadcastProcessFunction, BroadcastProcessFunction
from datastream.functions.co_map_function import CoFlatMapFunction, CoMapFunction
from datastream.functions.co_process_function import CoProcessFunction, KeyedCoProcessFunction
from datastream.functions.filter_function import FilterFunction
from datastream.functions.flat_map_function import FlatMapFunction
from datastream.functions.function import Function
from datastream.functions.join_functions import CoGroupFunction, FlatJoinFunction, JoinFunction
from datastream.functions.key_selector import KeySelector, NullByteKeySelector
from datastream.functions.keyed_broadcast_process_function import KeyedBroadcastProcessFunction
from datastream.functions.keyed_state_function import KeyedStateFunction
from datastream.functions.map_function import MapFunction
from datastream.functions.output_tag import OutputTag
from datastream.functions.partitioner import Partitioner
from datastream.functions.process_function import KeyedProcessFunction, ProcessFunction
from datastream.functions.process_join_function import ProcessJoinFunction
from datastream.functions.process_window_function import ProcessAllWindowFunction, ProcessWindowFunction
from datastream.functions.reduce_function import ReduceFunction
from datastream.functions.runtime_context import RuntimeContext
from datastream.functions.source_and_sink import SinkFunction, SourceFunction
from datastream.functions.window_function import AllWindowFunction, WindowFunction

__all__ = [
    "AggregateFunction",
    "AllWindowFunction",
    "AsyncFunction",
    "AsyncFunctionDescriptor",
    "AsyncRetryPredicate",
    "AsyncRetryStrategy",
    "BaseBroadcastProcessFunction",
    "BroadcastProcessFunction",
    "CoFlatMapFunction",
    "CoGroupFunction",
    "CoMapFunction",
    "CoProcessFunction",
    "ExponentialBackoffDelayRetryStrategy",
    "FilterFunction",
    "FixedDelayRetryStrategy",
    "FlatJoinFunction",
    "FlatMapFunction",
    "Function",
    "JoinFunction",
    "KeySelector",
    "KeyedBroadcastProcessFunction",
    "KeyedCoProcessFunction",
    "KeyedProcessFunction",
    "KeyedStateFunction",
    "MapFunction",
    "NoRetryStrategy",
    "NullByteKeySelector",
    "OutputTag",
    "Partitioner",
    "ProcessAllWindowFunction",
    "ProcessFunction",
    "ProcessJoinFunction",
    "ProcessWindowFunction",
    "ReduceFunction",
    "RetryPredicate",
    "RuntimeContext",
    "SinkFunction",
    "SourceFunction",
    "WindowFunction",
    "empty_result_predicate",
    "exception_type_predicate",
    "has_exception_predicate",
]
