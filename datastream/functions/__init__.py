"""The functions users implement, named as in `pyflink.datastream.functions`."""

from datastream.functions.aggregate_function import AggregateFunction
from datastream.functions.co_map_function import CoFlatMapFunction, CoMapFunction
from datastream.functions.co_process_function import CoProcessFunction, KeyedCoProcessFunction
from datastream.functions.filter_function import FilterFunction
from datastream.functions.flat_map_function import FlatMapFunction
from datastream.functions.function import Function
from datastream.functions.key_selector import KeySelector, NullByteKeySelector
from datastream.functions.map_function import MapFunction
from datastream.functions.output_tag import OutputTag
from datastream.functions.partitioner import Partitioner
from datastream.functions.process_function import KeyedProcessFunction, ProcessFunction
from datastream.functions.reduce_function import ReduceFunction
from datastream.functions.runtime_context import RuntimeContext
from datastream.functions.source_and_sink import SinkFunction, SourceFunction

__all__ = [
    "AggregateFunction",
    "CoFlatMapFunction",
    "CoMapFunction",
    "CoProcessFunction",
    "FilterFunction",
    "FlatMapFunction",
    "Function",
    "KeySelector",
    "KeyedCoProcessFunction",
    "KeyedProcessFunction",
    "MapFunction",
    "NullByteKeySelector",
    "OutputTag",
    "Partitioner",
    "ProcessFunction",
    "ReduceFunction",
    "RuntimeContext",
    "SinkFunction",
    "SourceFunction",
]
