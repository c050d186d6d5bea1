"""Errors of each kind of operator, with hostile records as messages: who failed is named, and nothing is run.

In this process, so that 10,000 records each fail a job of their own. `test_hostile_records.py` does it on Spark, with
fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from datastream import (
    DataStream,
    MapStateDescriptor,
    StreamExecutionEnvironment,
    Types,
    WatermarkStrategy,
)
from datastream.config.settings import settings
from datastream.driver.failures import FAILED, exit_code, failure_text
from datastream.errors import Failure, FunctionError, WorkerFailure
from datastream.functions import (
    BroadcastProcessFunction,
    CoMapFunction,
    KeyedProcessFunction,
    ProcessWindowFunction,
)
from datastream.plain_text import escaped, plain
from datastream.spark.failure_seal import Seal
from datastream.time import Time, TimestampAssigner
from datastream.windows import TumblingEventTimeWindows
from tests.support.hostile_texts import drawn
from tests.test_hostile_records import STEERS


def fail(text: Any) -> Any:
    raise ValueError(text)


class Stamps(TimestampAssigner):
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return fail(value)


class OnElement(KeyedProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        return fail(value)


class OnTimer(KeyedProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        ctx.timer_service().register_event_time_timer(1)
        return ()

    def on_timer(self, timestamp: int, ctx: Any) -> Any:
        return fail(ctx.get_current_key())


class InWindow(ProcessWindowFunction):
    def process(self, key: Any, context: Any, elements: Any) -> Any:
        return fail(next(iter(elements)))


class Both(CoMapFunction):
    def map1(self, value: Any) -> Any:
        return value

    def map2(self, value: Any) -> Any:
        return fail(value)


class Rules(BroadcastProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        return ()

    def process_broadcast_element(self, value: Any, ctx: Any) -> Any:
        return fail(value)


def spread(text: str) -> Iterator[str]:
    yield text
    fail(text)


class Zero(TimestampAssigner):
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return 0


def timed(stream: DataStream) -> DataStream:
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Zero())
    return stream.assign_timestamps_and_watermarks(strategy)


def keyed(stream: DataStream) -> Any:
    return stream.key_by(lambda text: text)


def windows(stream: DataStream) -> Any:
    return keyed(timed(stream)).window(TumblingEventTimeWindows.of(Time.seconds(1)))


RULES = MapStateDescriptor("rules", Types.STRING(), Types.STRING())
#: What fails -> the stream that comes out of its operator, of a stream of records.
OPERATORS: dict[str, Callable[[DataStream], DataStream]] = {
    "map": lambda stream: stream.map(fail),
    "filter": lambda stream: stream.filter(fail),
    "flat map": lambda stream: stream.flat_map(spread),
    "key": lambda stream: stream.key_by(fail).map(str),
    "reduce": lambda stream: stream.union(stream).key_by(lambda text: 0).reduce(lambda a, b: fail(b)),
    "process": lambda stream: keyed(stream).process(OnElement()),
    "timer": lambda stream: keyed(timed(stream)).process(OnTimer()),
    "window": lambda stream: windows(stream).process(InWindow()),
    "both": lambda stream: stream.connect(stream).map(Both()),
    "rules": lambda stream: stream.connect(stream.broadcast(RULES)).process(Rules()),
    "times": lambda stream: stream.assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Stamps())
    ),
    "partition": lambda stream: stream.partition_custom(lambda key, n: fail(key), lambda text: text).map(str),
}


def failure(kind: str, text: str) -> FunctionError:
    """How a job fails by a record."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    stream = env.from_collection([text]).map(lambda text: text).name("before")
    OPERATORS[kind](stream).name("doomed").map(lambda value: value).name("behind").print()
    with pytest.raises(FunctionError) as failed:
        env.execute()
    return failed.value


@pytest.mark.parametrize("count", [240, pytest.param(10_000, marks=[pytest.mark.long, pytest.mark.timeout(1800)])])
def test_the_operator_that_failed_is_named(count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    seal, trace = Seal(), tmp_path / "trace"
    for number, text in enumerate(drawn(count, trace)):
        kind = list(OPERATORS)[number % len(OPERATORS)]
        error = failure(kind, text)
        # What a worker of Spark says of it, in the midst of words of the record.
        found = seal.find(f"{text}\n{seal.text(WorkerFailure(error.failure))}\n{text}")
        assert isinstance(found, Failure)
        for told in (error, FunctionError(found).chained()):
            assert isinstance(told, FunctionError)
            assert told.failure.operator == "doomed", (kind, text)
            assert told.failure.error == escaped(f"ValueError: {text}"), kind
            assert Path(__file__).name in told.failure.location, kind
            assert not told.transient and exit_code(told) == FAILED
            for verbose in (False, True):
                shown = plain(failure_text(told, verbose))
                assert not STEERS.search(shown), (kind, text)
                shown.encode()
    assert not trace.exists(), "a record was run"
