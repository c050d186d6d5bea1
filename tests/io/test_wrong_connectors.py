"""What a wrong connector is told: the class, the method, and what was expected."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from datastream import DataStreamError, StreamExecutionEnvironment, Types
from datastream.functions import ProcessFunction
from datastream.io import (
    Batch,
    NumberedSource,
    Produced,
    QueueConnection,
    QueueSource,
    Sink,
    SinkWriter,
    Source,
    SourceReader,
    SplitEnumerator,
)
from datastream.testing import Runner
from datastream.time import NO_TIMESTAMP, WatermarkStrategy


@dataclass
class Numbers(SplitEnumerator, SourceReader):
    """Both parts of a source of ten numbers; what a test gives in their place is wrong."""

    instead: dict[str, Any]

    def initial_offset(self) -> Any:
        return self.instead.get("initial_offset", 0)

    def latest_offset(self, start: Any, budget: int) -> Any:
        return self.instead.get("latest_offset", 10)

    def splits(self, start: Any, end: Any, parallelism: int) -> Any:
        found = self.instead.get("splits", [(start, end)])
        return [Unpicklable()] if found == "unpicklable" else found

    def finished(self, offset: Any) -> bool:
        return bool(offset == 10)

    def read(self, split: Any) -> Any:
        return self.instead.get("read", [Batch(list(range(*split)))])


@dataclass(frozen=True)
class Wrong(Source):
    instead: dict[str, Any] = field(default_factory=dict)
    gives: Produced = Produced()

    @property
    def produced(self) -> Produced:
        return self.gives

    def create_enumerator(self, context: Any) -> Any:
        return self.instead.get("create_enumerator", Numbers(self.instead))

    def create_reader(self, context: Any) -> Any:
        return self.instead.get("create_reader", Numbers(self.instead))


class Unpicklable:
    def __reduce__(self) -> Any:
        return threading.Lock().__reduce_ex__(2)


def failure(run: Runner, source: Source) -> str:
    stream = run.environment().from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    with pytest.raises(DataStreamError) as caught:
        run.collect(stream)
    return str(caught.value)


@pytest.mark.long_on_spark
@pytest.mark.parametrize(
    ("instead", "says"),
    [
        ({"read": [[1, 2]]}, ["Numbers.read", "read must yield Batch(records), got a list"]),
        ({"read": [Batch([1]), None, Batch([2])]}, ["Numbers.read", "got a NoneType"]),
        ({"read": [1]}, ["Numbers.read", "read must yield Batch(records), got a int"]),
        ({"read": [Batch("abc")]}, ["Numbers.read", "a Batch holds a list of records, got a str"]),
        ({"read": [Batch([1, 2], [1])]}, ["Numbers.read", "as many timestamps as records, got 1 and 2"]),
        ({"splits": None}, ["Numbers.splits", "splits must return a list of splits"]),
        ({"splits": "unpicklable"}, ["Wrong: splits", "a split must be a value that pickle takes"]),
        ({"initial_offset": datetime.now(UTC)}, ["Numbers.initial_offset", "an offset must be a JSON value"]),
        ({"latest_offset": b"1"}, ["Numbers.latest_offset", "an offset must be a JSON value"]),
        ({"latest_offset": -1}, ["Numbers.latest_offset", "an offset never falls"]),
        ({"create_reader": 0}, ["Wrong.create_reader", "create_reader must return a SourceReader, got 0"]),
        ({"create_enumerator": 0}, ["Wrong.create_enumerator", "must return a SplitEnumerator, got 0"]),
    ],
)
def test_a_wrong_source(run: Runner, instead: dict[str, Any], says: list[str]) -> None:
    message = failure(run, Wrong(instead))
    for part in says:
        assert part in message
    assert "datastream-failure" not in message


def test_splits_of_lanes_have_a_lane(run: Runner) -> None:
    assert "each split needs an attribute 'lane'" in failure(run, Wrong(gives=Produced(lanes=True)))


def test_records_that_do_not_fit_the_produced_type(run: Runner) -> None:
    assert "expected String, found int 0" in failure(run, Wrong(gives=Produced(Types.STRING())))


@pytest.mark.parametrize("produced", [None, Types.STRING()])
def test_produced_is_a_produced(produced: Any) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    with pytest.raises(DataStreamError, match="Wrong.produced must be a Produced"):
        env.from_source(Wrong(gives=produced), WatermarkStrategy.no_watermarks(), "numbers")


class Times(ProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Any:
        yield value, ctx.timestamp()


def test_no_record_is_lost_where_batches_have_no_timestamps(run: Runner) -> None:
    source = Wrong(gives=Produced(timestamps=True))
    strategy = WatermarkStrategy.for_monotonous_timestamps()
    stream = run.environment(parallelism=1).from_source(source, strategy, "numbers")
    first, second = run.collect(stream.process(Times()), stream.process(Times()))
    assert first == second == [(number, NO_TIMESTAMP) for number in range(10)]


class Falling(NumberedSource):
    def end(self) -> Any:
        return "10"

    def read(self, start: int, end: int) -> Any:
        yield list(range(start, end))


def test_parts_of_base_classes_are_named_by_the_users_class(run: Runner) -> None:
    assert "Falling.latest_offset" in failure(run, Falling())


class Preparing(SinkWriter):
    def write(self, batch: Batch) -> None:
        pass

    def prepare_commit(self) -> Any:
        return "something"


class Forgetful(Sink):
    def create_writer(self, context: Any) -> SinkWriter:
        return Preparing()


def test_prepared_commits_need_a_committer(run: Runner) -> None:
    env = run.environment()
    env.from_collection([1, 2, 3]).sink_to(Forgetful())
    with pytest.raises(DataStreamError, match="Forgetful.create_committer") as caught:
        env.execute("forgetful")
    assert "it is never committed" in str(caught.value)


class Refusing(SinkWriter):
    def write(self, batch: Batch) -> None:
        raise ValueError("no room")


class Full(Sink):
    def create_writer(self, context: Any) -> SinkWriter:
        return Refusing()


def test_a_writer_that_raises(run: Runner) -> None:
    env = run.environment()
    env.from_collection([1, 2, 3]).sink_to(Full())
    with pytest.raises(DataStreamError, match="no room") as caught:
        env.execute("full")
    assert "Refusing.write" in str(caught.value) and "test_wrong_connectors.py" in str(caught.value)


class Growing(NumberedSource):
    """Ends at 5, and has grown to 8 by the time that it is asked again."""

    def end(self) -> int:
        asked = self.__dict__["asked"] = self.__dict__.get("asked", 0) + 1
        return 5 if asked <= 2 else 8

    def read(self, start: int, end: int) -> Any:
        yield list(range(start, end))


def test_a_source_that_has_ended_stays_so(run: Runner) -> None:
    env = run.environment()
    strategy = WatermarkStrategy.no_watermarks()
    longer = env.from_sequence(100, 100 + 250_000).filter(lambda n: n < 103)
    assert sorted(run.collect(env.from_source(Growing(), strategy, "growing").union(longer))) == [
        *range(5),
        100,
        101,
        102,
    ]


class Queue(QueueSource):
    """A queue that gives what a test says."""

    def __init__(self, gives: list[Any], bounded: bool = False) -> None:
        self.gives, self.bounded = gives, bounded

    def connect(self) -> QueueConnection:
        return Given(self.gives)


@dataclass
class Given(QueueConnection):
    gives: list[Any]

    def pull(self, most: int) -> list[Any]:
        return self.gives

    def acknowledge(self, messages: list[Any]) -> None:
        raise AssertionError(messages)

    def close(self) -> None:
        pass


@pytest.mark.parametrize("given", [("1", "body"), b"body"])
def test_a_queue_that_gives_no_messages(run: Runner, given: Any) -> None:
    message = failure(run, Queue([given]))
    assert "Given.pull of Queue gave " in message
    assert "body" in message
    assert "expected Message(id, body, receipt) of datastream.io" in message


def test_a_queue_that_says_it_ends(run: Runner) -> None:
    assert "Queue is a QueueSource, which has no end: leave out `bounded`, or" in failure(run, Queue([], bounded=True))
