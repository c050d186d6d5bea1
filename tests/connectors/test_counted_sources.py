"""The sources that count their records: collections, number sequences, generators."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.connectors import CollectionSource, DataGeneratorSource, NumberSequenceSource
from datastream.connectors import datagen as datagen_module
from datastream.errors import ValidationError
from tests.support.drive import drive, driven, epochs, read


@given(st.integers(0, 300), st.integers(1, 100), st.integers(1, 5), st.integers(1, 5))
def test_collection_is_read_whole_and_in_order(count, budget, splits, parallelism):
    records = [("r", i) for i in range(count)]
    assert drive(CollectionSource(records, splits), budget, parallelism) == records


def test_collection_honours_budget_and_splits():
    source = CollectionSource(range(10), splits=3)
    assert epochs(source, budget=4) == [0, 4, 8, 10]
    assert len(driven(source).splits(0, 10, 8)) == 3
    assert len(driven(source).splits(0, 10, 2)) == 2


def test_collection_takes_an_iterator_once():
    source = CollectionSource(iter("abc"))
    assert drive(source) == drive(source) == ["a", "b", "c"]


def test_collection_refuses_no_splits():
    with pytest.raises(ValidationError, match="splits"):
        CollectionSource([], splits=0)


@given(st.integers(-50, 50), st.integers(0, 300), st.integers(1, 100), st.integers(1, 5))
def test_sequence_includes_both_ends(start, length, budget, parallelism):
    expected = list(range(start, start + length + 1))
    assert drive(NumberSequenceSource(start, start + length), budget, parallelism) == expected


def test_sequence_comes_in_blocks_of_4096():
    source = driven(NumberSequenceSource(1, 10_000))
    (split,) = source.splits(1, 10_001, 1)
    assert [len(block) for block in source.read(split)] == [4096, 4096, 1808]


def test_sequence_refuses_an_end_before_its_start():
    with pytest.raises(ValidationError, match="start=2, end=1"):
        NumberSequenceSource(2, 1)


def square(n):
    return n * n


@given(st.integers(0, 300), st.integers(1, 100))
def test_generator_makes_count_records(count, budget):
    assert drive(DataGeneratorSource(square, count), budget) == [n * n for n in range(count)]


def test_generator_without_count_is_unbounded():
    source = DataGeneratorSource(square)
    assert not source.bounded
    source = driven(source)
    offset = source.latest_offset(source.initial_offset(), 5)
    assert offset["n"] == 5
    assert not source.finished(offset)


class Clock:
    """The machine's time, in s: how much of it has passed, and what the clock says that it is."""

    def __init__(self, monkeypatch):
        self.passed = self.set = 0.0
        monkeypatch.setattr(datagen_module, "time", self)

    def monotonic(self):
        return self.passed

    def time(self):
        return 1_000_000.0 + self.passed + self.set


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def test_generator_keeps_its_rate(clock):
    source = driven(DataGeneratorSource(square, rate_per_second=3))
    start = offset = source.initial_offset()
    assert source.latest_offset(start, 1_000) == start
    for _ in range(40):  # 10 s in steps that are no multiple of a record's time
        clock.passed += 0.25
        offset = source.latest_offset(offset, 1_000)
    assert offset["n"] in (29, 30)
    assert read(source, start, offset) == [n * n for n in range(offset["n"])]


def test_generator_catches_up_within_its_budget_but_not_over_downtime(clock):
    source = driven(DataGeneratorSource(square, rate_per_second=10))
    start = source.initial_offset()
    clock.passed += 10
    offset = source.latest_offset(start, 60)
    assert offset["n"] == 60
    assert source.latest_offset(offset, 60)["n"] == 100
    clock.passed += 3600
    restarted = driven(DataGeneratorSource(square, rate_per_second=10))
    assert restarted.latest_offset(offset, 1_000) == offset
    clock.passed += 1
    assert restarted.latest_offset(offset, 1_000)["n"] == 70


@pytest.mark.parametrize("hours", [-1, 1])
def test_generator_keeps_its_rate_when_the_clock_is_set(clock, hours):
    source = driven(DataGeneratorSource(square, rate_per_second=10))
    offset = source.initial_offset()
    clock.passed += 2
    offset = source.latest_offset(offset, 1_000)
    clock.set += hours * 3600
    clock.passed += 3
    assert source.latest_offset(offset, 1_000)["n"] == 50


@pytest.mark.parametrize("records", [0, 20])
@pytest.mark.parametrize("hours", [-1, 1])
def test_generator_starts_again_after_the_clock_was_set(clock, hours, records):
    """Its offset names a time that is still to come, or one long ago."""
    source = driven(DataGeneratorSource(square, rate_per_second=10))
    offset = source.initial_offset()
    clock.passed += records / 10
    if records:
        offset = source.latest_offset(offset, 1_000)
    clock.set += hours * 3600
    restarted = driven(DataGeneratorSource(square, rate_per_second=10))
    offset = restarted.latest_offset(offset, 10_000_000)
    began = 36_000 if hours > 0 and not records else records
    assert offset["n"] == began
    clock.passed += 3
    assert restarted.latest_offset(offset, 10_000_000)["n"] == began + 30


@pytest.mark.parametrize("arguments", [{"count": -1}, {"rate_per_second": 0}])
def test_generator_refuses_nonsense(arguments):
    with pytest.raises(ValidationError):
        DataGeneratorSource(square, **arguments)
