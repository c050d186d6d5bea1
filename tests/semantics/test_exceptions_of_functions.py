"""Whatever a function raises, also what Python keeps for the end of programs, generators and coroutines, is its error.

None of it ends the job as if it had been cancelled, or as if all were well; none lets it wait for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from datastream import AsyncDataStream, DataStream, MapStateDescriptor, StreamExecutionEnvironment, Types
from datastream.errors import FunctionError
from datastream.functions import (
    AggregateFunction,
    AsyncFunction,
    BroadcastProcessFunction,
    CoMapFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    MapFunction,
    ProcessFunction,
    ProcessWindowFunction,
)
from datastream.io import BatchingSink, NumberedSource, TransactionalSink
from datastream.table import DataTypes, StreamTableEnvironment
from datastream.table.expressions import col
from datastream.table.udf import AggregateFunction as TableAggregate
from datastream.table.udf import udaf, udf, udtf
from datastream.time import Time, TimestampAssigner, WatermarkStrategy
from datastream.windows import TumblingEventTimeWindows


class EndOfAll(BaseException):
    """A class of a user's."""


_ENDS = (GeneratorExit, StopIteration, StopAsyncIteration, asyncio.CancelledError, KeyboardInterrupt, SystemExit)
KINDS: dict[str, type[BaseException]] = {kind.__name__: kind for kind in (*_ENDS, EndOfAll)}
#: The same, and one of every day.
ALL = {**KINDS, "ValueError": ValueError}


def fail(kind: str) -> Any:
    raise ALL[kind]("odd")


LINE = f"{__file__}:{fail.__code__.co_firstlineno + 1}"


def spread(kind: str) -> Iterator[str]:
    yield kind
    fail(kind)


class Opens(MapFunction):
    def __init__(self, kind: str) -> None:
        self.kind = kind

    def open(self, runtime_context: Any) -> None:
        fail(self.kind)

    def map(self, value: Any) -> Any:
        return value


class Closes(Opens):
    def open(self, runtime_context: Any) -> None:
        pass

    def close(self) -> None:
        fail(self.kind)


class OnElement(KeyedProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        return fail(value)


class Spreads(ProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        yield value
        fail(value)


class OnTimer(KeyedProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        ctx.timer_service().register_event_time_timer(1)
        return ()

    def on_timer(self, timestamp: int, ctx: Any) -> Any:
        return fail(ctx.get_current_key())


class Second(KeyedCoProcessFunction):
    def process_element1(self, value: Any, ctx: Any) -> Any:
        return ()

    def process_element2(self, value: Any, ctx: Any) -> Any:
        return fail(value)


class InWindow(ProcessWindowFunction):
    def process(self, key: Any, context: Any, elements: Any) -> Any:
        return fail(key)


class Adds(AggregateFunction):
    def create_accumulator(self) -> str:
        return ""

    def add(self, value: str, accumulator: str) -> str:
        return value

    def get_result(self, accumulator: str) -> str:
        return str(fail(accumulator))

    def merge(self, a: str, b: str) -> str:
        return a or b


class Both(CoMapFunction):
    def map1(self, value: Any) -> Any:
        return value

    def map2(self, value: Any) -> Any:
        return fail(value)


RULES = MapStateDescriptor("rules", Types.STRING(), Types.STRING())


class Rules(BroadcastProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        return ()

    def process_broadcast_element(self, value: Any, ctx: Any) -> Any:
        return fail(value)


class Stamps(TimestampAssigner):
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return int(fail(value))


class Zero(TimestampAssigner):
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return 0


class Asks(AsyncFunction):
    """Fails before or after it has waited, or when it is given up."""

    def __init__(self, when: str) -> None:
        self.when = when

    async def async_invoke(self, value: Any) -> Any:
        if self.when == "begin":
            fail(value)
        await asyncio.sleep(0.001 if self.when == "later" else 600)
        return fail(value)

    def timeout(self, value: Any) -> Any:
        return fail(value)


class Numbers(NumberedSource):
    def __init__(self, kind: str, when: str) -> None:
        self.kind, self.when = kind, when

    def end(self) -> int:
        return int(fail(self.kind)) if self.when == "end" else 2

    def read(self, start: int, end: int) -> Iterator[list[int]]:
        yield [1]
        fail(self.kind)


class Writes(TransactionalSink):
    def __init__(self, kind: str, when: str) -> None:
        self.kind, self.when = kind, when

    def connect(self) -> Any:
        return fail(self.kind) if self.when == "connect" else "connection"

    def last_epoch(self, connection: Any, name: str) -> int | None:
        return None

    def write(self, connection: Any, records: Any) -> None:
        if self.when == "write":
            fail(self.kind)

    def commit(self, connection: Any, name: str, epoch: int) -> None:
        fail(self.kind)


class InBatches(BatchingSink):
    def connect(self, context: Any) -> Any:
        return "connection"

    def write(self, connection: Any, records: Any) -> None:
        fail(records[0])


def keyed(stream: DataStream) -> Any:
    return stream.key_by(lambda text: text)


def stamped(stream: DataStream, assigner: TimestampAssigner | None = None) -> DataStream:
    strategy = WatermarkStrategy.for_monotonous_timestamps()
    return stream.assign_timestamps_and_watermarks(strategy.with_timestamp_assigner(assigner or Zero()))


def windows(stream: DataStream) -> Any:
    return keyed(stamped(stream)).window(TumblingEventTimeWindows.of(Time.seconds(1)))


def asking(when: str) -> Callable[[DataStream, str], Any]:
    timeout = Time.milliseconds(1) if when == "timeout" else Time.seconds(600)
    return lambda s, kind: AsyncDataStream.unordered_wait(s, Asks(when), timeout, 5, Types.STRING())


class Counts(TableAggregate):
    def create_accumulator(self) -> Any:
        return [0]

    def accumulate(self, accumulator: Any, *args: Any) -> None:
        fail(args[0])

    def get_value(self, accumulator: Any) -> int:
        return 0


def table(stream: DataStream) -> tuple[StreamTableEnvironment, Any]:
    env = StreamTableEnvironment.create(stream.get_execution_environment())
    return env, env.from_data_stream(stream.map(lambda text: (text,), Types.ROW_NAMED(["text"], [Types.STRING()])))


def by_scalar(stream: DataStream, kind: str) -> DataStream:
    env, given = table(stream)
    failing = udf(lambda text: fail(text), result_type=DataTypes.STRING())
    return env.to_data_stream(given.select(failing(col("text")).alias("text")))


def by_table_function(stream: DataStream, kind: str) -> DataStream:
    env, given = table(stream)
    failing = udtf(lambda text: spread(text), result_types=[DataTypes.STRING()])
    return env.to_data_stream(given.join_lateral(failing(col("text")).alias("part")).select(col("part")))


def by_aggregate(stream: DataStream, kind: str) -> DataStream:
    env, given = table(stream)
    failing = udaf(Counts(), result_type=DataTypes.BIGINT(), accumulator_type=DataTypes.ARRAY(DataTypes.BIGINT()))
    return env.to_changelog_stream(given.group_by(col("text")).select(failing(col("text")).alias("n")))


#: What fails -> what comes of a stream of the names of exceptions, each of which is raised by it.
OPERATORS: dict[str, Callable[[DataStream, str], Any]] = {
    "map": lambda s, kind: s.map(fail),
    "filter": lambda s, kind: s.filter(fail),
    "flat map": lambda s, kind: s.flat_map(fail),
    "generator": lambda s, kind: s.flat_map(spread),
    "key": lambda s, kind: s.key_by(fail).map(str),
    "partitioner": lambda s, kind: s.partition_custom(lambda key, n: fail(key), lambda text: text).map(str),
    "reduce": lambda s, kind: s.union(s).key_by(lambda text: 0).reduce(lambda a, b: fail(b)),
    "open": lambda s, kind: s.map(Opens(kind)),
    "close": lambda s, kind: s.map(Closes(kind)),
    "process": lambda s, kind: keyed(s).process(OnElement()),
    "process generator": lambda s, kind: s.process(Spreads()),
    "timer": lambda s, kind: keyed(stamped(s)).process(OnTimer()),
    "second input": lambda s, kind: keyed(s).connect(keyed(s)).process(Second()),
    "window": lambda s, kind: windows(s).process(InWindow()),
    "aggregate of windows": lambda s, kind: windows(s).aggregate(Adds()),
    "map of two": lambda s, kind: s.connect(s).map(Both()),
    "broadcast": lambda s, kind: s.connect(s.broadcast(RULES)).process(Rules()),
    "timestamps": lambda s, kind: stamped(s, Stamps()),
    "async, at once": asking("begin"),
    "async, later": asking("later"),
    "async, timeout": asking("timeout"),
    "sink, connect": lambda s, kind: s.sink_to(Writes(kind, "connect")),
    "sink, write": lambda s, kind: s.sink_to(Writes(kind, "write")),
    "sink, commit": lambda s, kind: s.sink_to(Writes(kind, "commit")),
    "sink in batches": lambda s, kind: s.sink_to(InBatches()),
    "scalar function": by_scalar,
    "table function": by_table_function,
    "aggregate function": by_aggregate,
}
SOURCES = ("source, end", "source, read")
#: On Spark, where each is a job of a second, those whose code runs in another place than on the local executor.
ON_SPARK = ("map", "close", "window", "async, later", "sink, commit", *SOURCES, "table function")


def build(env: StreamExecutionEnvironment, what: str, kind: str) -> None:
    if what.startswith("source"):
        source = Numbers(kind, what.partition(", ")[2])
        env.from_source(source, WatermarkStrategy.no_watermarks(), "doomed").print()
        return
    out = OPERATORS[what](env.from_collection([kind], Types.STRING()), kind)
    if isinstance(out, DataStream):
        out.name("doomed").map(str).name("behind").print()
    else:
        out.name("doomed")


def failure(env: StreamExecutionEnvironment, what: str, kind: str) -> FunctionError:
    build(env, what, kind)
    with pytest.raises(FunctionError) as failed:
        env.execute()
    return failed.value


@pytest.mark.long_on_spark
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_function_raises_is_its_error(run: Any, kind: str) -> None:
    tried: tuple[str, ...] = (*OPERATORS, *SOURCES)
    if run.executor == "spark":
        tried = ON_SPARK if kind == "GeneratorExit" else ("map",)
    for what in tried:
        error = failure(run.environment(1), what, kind)
        if "function" not in what:  # of a table: its operators have names of their own
            assert error.failure.operator in ("doomed", "Source: doomed"), what
        assert kind in str(error), what
        if what != "timestamps" or kind != "StopIteration":  # `map` takes that for its end
            assert error.failure.location == LINE, (what, str(error))


def with_methods(base: type, **methods: str) -> Any:
    """An object of a class whose methods raise exceptions of a kind."""
    return type("Odd", (base,), {name: lambda *_, kind=kind: fail(kind) for name, kind in methods.items()})()


class Returns:
    """Raises where it is unpickled."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __reduce__(self) -> Any:
        return fail, (self.kind,)


def fail_with(**methods: str) -> Any:
    raise with_methods(Exception, **methods)


def fail_at(record: Any) -> Any:
    raise ValueError("of a record")


#: What raises in a method of a record, key or exception, which nobody calls but the engine.
METHODS: dict[str, Callable[[DataStream, str], DataStream]] = {
    "text of the exception": lambda s, kind: s.map(lambda _: fail_with(__str__=kind)),
    "pickling of the exception": lambda s, kind: s.map(lambda _: fail_with(__reduce__=kind)),
    "repr of the record": lambda s, kind: s.map(lambda _: with_methods(object, __repr__=kind)).map(fail_at),
    "pickling of the record": lambda s, kind: (
        s.map(lambda _: with_methods(object, __reduce__=kind)).rebalance().map(str)
    ),
    "unpickling of the record": lambda s, kind: s.map(Returns).rebalance().map(str),
    "hash of the key": lambda s, kind: s.key_by(lambda _: with_methods(object, __hash__=kind)).map(str),
    "text of the record": lambda s, kind: s.map(lambda _: with_methods(object, __str__=kind)),
    "truth of a filter": lambda s, kind: s.filter(lambda _: with_methods(object, __bool__=kind)),
}


@pytest.mark.long_on_spark
@pytest.mark.parametrize("kind", ["ValueError", "GeneratorExit", "KeyboardInterrupt", "StopIteration"])
def test_what_methods_of_records_and_exceptions_raise_is_an_error_too(run: Any, kind: str) -> None:
    for what in METHODS if run.executor == "local" else ["text of the exception", "unpickling of the record"]:
        env = run.environment(2)
        METHODS[what](env.from_collection([kind] * 3, Types.STRING()), kind).print()
        with pytest.raises(FunctionError) as failed:
            env.execute()
        assert kind in str(failed.value) or "of a record" in str(failed.value), what
