"""`LookupFunction`: rows of a table for each record, with a cache."""

from __future__ import annotations

import asyncio
import re
from types import SimpleNamespace

import pytest

from datastream import Configuration, JobError
from datastream.api.async_data_stream import AsyncDataStream
from datastream.config.settings import settings
from datastream.connectors.lookup import LookupCache, LookupFunction
from datastream.errors import ValidationError
from datastream.testing import Runner
from datastream.time import Time

ROWS = {"a": ["A1", "A2"], "b": ["B"]}


class Table(LookupFunction):
    """Writes each key that it is asked for to a file."""

    def __init__(self, asked, **kwargs):
        super().__init__(lambda record: record[0], **kwargs)
        self._file = asked

    async def fetch(self, key):
        await asyncio.sleep(0.005)
        with open(self._file, "a") as file:
            file.write(f"{key}\n")
        if key == "wrong":
            raise ConnectionError("the table is away")
        return ROWS.get(key, [])


RECORDS = [("a", 1), ("b", 2), ("a", 3), ("c", 4), (None, 5), ("c", 6)]


def joined(run, function, records=RECORDS, capacity=100):
    env = run.environment(parallelism=1)
    stream = AsyncDataStream.ordered_wait(env.from_collection(records), function, Time.seconds(10), capacity)
    return run.collect(stream)


def test_each_key_is_asked_for_once(run, tmp_path):
    asked = tmp_path / "asked"
    found = joined(run, Table(str(asked)))
    assert found == [(("a", 1), "A1"), (("a", 1), "A2"), (("b", 2), "B"), (("a", 3), "A1"), (("a", 3), "A2")]
    assert sorted(asked.read_text().split()) == ["a", "b", "c"]


@pytest.fixture
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")
    return Runner("local", {})


def test_left_and_join(local, tmp_path):
    assert joined(local, Table(str(tmp_path / "1"), left=True))[-3:] == [
        (("c", 4), None),
        ((None, 5), None),
        (("c", 6), None),
    ]
    count = Table(str(tmp_path / "2"), join=lambda record, rows: [(record[1], len(rows))])
    assert joined(local, count) == [(1, 2), (2, 1), (3, 2), (4, 0), (5, 0), (6, 0)]


def times_asked(local, tmp_path, cache, capacity=1):
    asked = tmp_path / "asked"
    joined(local, Table(str(asked), cache=cache), capacity=capacity)
    return asked.read_text().split()


def test_a_cache_that_is_too_small_forgets_what_was_used_longest_ago(local, tmp_path):
    assert times_asked(local, tmp_path, LookupCache(max_rows=1)) == ["a", "b", "a", "c"]


def test_no_cache_still_shares_a_request(local, tmp_path):
    asked = tmp_path / "asked"
    joined(local, Table(str(asked), cache=LookupCache(max_rows=0)), [("a", n) for n in range(50)])
    assert asked.read_text().split() == ["a"]


def test_missing_keys_may_be_left_out_of_the_cache(local, tmp_path):
    assert times_asked(local, tmp_path, LookupCache(cache_missing_key=False)) == ["a", "b", "c", "c"]


class Aging(Table):
    """Its rows are a second old when they come: one by one, the clock goes on with each request alone."""

    clock = SimpleNamespace(monotonic=lambda: Aging.now)
    now = 0.0

    async def fetch(self, key):
        rows = await super().fetch(key)
        Aging.now += 1.0
        return rows


def test_what_is_old_is_asked_for_again(local, tmp_path, monkeypatch):
    monkeypatch.setattr("datastream.connectors.lookup.time", Aging.clock)
    asked = tmp_path / "asked"
    joined(local, Aging(str(asked), cache=LookupCache(expire_after_write_ms=500)), capacity=1)
    assert asked.read_text().split() == ["a", "b", "a", "c"]


def test_an_error_of_the_table_fails_the_job(local, tmp_path):
    with pytest.raises(JobError, match="the table is away"):
        joined(local, Table(str(tmp_path / "asked")), [("wrong", 1), ("wrong", 2)])


def test_wrong_arguments(tmp_path):
    with pytest.raises(ValidationError, match="at least 0"):
        LookupCache(max_rows=-1)
    with pytest.raises(ValidationError, match="join must be a function, got 3"):
        Table("f", join=3)


def test_what_the_cache_has_waits_for_what_is_asked_for_before_it(local, tmp_path):
    records = [(key, i) for i, key in enumerate("aabacaba" * 50)]
    table = Table(str(tmp_path / "asked"), join=lambda record, rows: ((record, rows),))
    found = joined(local, table, records, capacity=3)
    assert found == [(record, ROWS.get(record[0], [])) for record in records]


def test_records_have_rows_of_their_own(local, tmp_path):
    class Lists(Table):
        async def fetch(self, key):
            return [[key]]

    def changed(record, rows):
        rows[0].append(record[1])
        return rows

    found = joined(local, Lists(str(tmp_path / "asked"), join=changed), [("a", 1), ("a", 2), ("a", 3)])
    assert found == [["a", 1], ["a", 2], ["a", 3]]


def test_a_subclass_that_asks_by_itself_is_asked_for_every_record(local, tmp_path):
    class Counted(Table):
        async def async_invoke(self, value):
            return [("asked", *await super().async_invoke(value))]

    found = joined(local, Counted(str(tmp_path / "asked")), [("b", 1), ("b", 2), ("b", 3)])
    assert found == [("asked", (("b", i), "B")) for i in (1, 2, 3)]


@pytest.mark.parametrize("place", ["key", "join"])
def test_an_error_of_a_function_names_the_record_though_its_rows_are_at_hand(local, tmp_path, place):
    function = Table(str(tmp_path / "asked"), join=lambda record, rows: [10 // record[1]])
    if place == "key":
        function = Table(str(tmp_path / "asked"))
        function._key = lambda record: "a" if 10 // record[1] else "b"
    with pytest.raises(JobError, match=r"(?s)ZeroDivisionError.*\('a', 0\)|(?s:.*)\('a', 0\).*ZeroDivisionError"):
        joined(local, function, [("a", 1), ("a", 2), ("a", 0)])


def test_copies_of_a_function_share_their_cache(local, tmp_path):
    asked = tmp_path / "asked"
    env = local.environment(parallelism=2)
    stream = AsyncDataStream.ordered_wait(
        env.from_collection([("a", 1), ("a", 2)] * 4).rebalance(), Table(str(asked)), Time.seconds(10), 100
    )
    assert len(local.collect(stream)) == 16
    assert asked.read_text().split() == ["a"]


class Together(Table):
    """Is asked for two keys at a time."""

    most_keys = 2

    async def fetch_many(self, keys):
        if "wrong" in keys:
            raise ValueError("one of these")
        with open(self._file, "a") as file:
            file.write("+".join(keys) + "\n")
        return [ROWS.get(key, []) for key in keys]


def test_several_keys_at_once(local, tmp_path):
    asked = tmp_path / "asked"
    assert joined(local, Together(str(asked))) == joined(local, Table(str(tmp_path / "others")))
    assert asked.read_text().split() == ["a+b", "c"]


def test_keys_that_fail_together_are_asked_for_alone(local, tmp_path):
    asked = tmp_path / "asked"
    with pytest.raises(JobError, match="the table is away"):
        joined(local, Together(str(asked)), [("a", 1), ("wrong", 2)])
    assert asked.read_text().split() == ["a", "wrong"]


class Listed(Together):
    """Returns what it was made with as the rows of several keys."""

    answer = None

    async def fetch_many(self, keys):
        return type(self).answer


@pytest.mark.parametrize("answer", [None, [], [["A1"]], {"a": ["A1"], "b": ["B"]}, [["A1"], ["B"], ["C"]]])
def test_rows_of_other_keys_than_those_that_were_asked_for(local, tmp_path, monkeypatch, answer):
    """It is an error of the function, which is not hidden by asking for each key."""
    monkeypatch.setattr(Listed, "answer", answer)
    message = r"Listed.fetch_many must return a list of the rows of each of 2 keys: got "
    with pytest.raises(JobError, match=message + re.escape(repr(answer))):
        joined(local, Listed(str(tmp_path / "asked")), [("a", 1), ("b", 2)])
    assert not (tmp_path / "asked").exists()


def test_most_keys_without_fetch_many(local, tmp_path):
    class Forgotten(Table):
        most_keys = 2

    with pytest.raises(JobError, match="Forgotten has most_keys = 2, but no fetch_many"):
        joined(local, Forgotten(str(tmp_path / "asked")), [("a", 1), ("b", 2)])


class OfItsOwn(Table):
    """Says by itself what travels to the tasks, as classes did before the cache was shared."""

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "_rows"}


def test_a_subclass_that_pickles_itself(local, tmp_path):
    asked = tmp_path / "asked"
    assert len(joined(local, OfItsOwn(str(asked)))) == 5
    assert sorted(asked.read_text().split()) == ["a", "b", "c"]


class Asking:
    """Not a lookup function by itself."""

    async def async_invoke(self, value):
        return [("asked", *await super().async_invoke(value))]


class Mixed(Asking, Table):
    """Takes its calls from another class."""


def test_calls_that_come_from_another_base_class_are_made_for_every_record(local, tmp_path):
    records = [("b", i) for i in range(3000)]  # of several blocks: the cache has the rows for all but the first
    found = joined(local, Mixed(str(tmp_path / "asked")), records)
    assert found == [("asked", (record, "B")) for record in records]


def test_an_attempt_after_a_failure_begins_with_an_empty_cache(local, tmp_path):
    """In Flink too: what was wrong in the table may have been the cause."""
    asked, failed = tmp_path / "asked", tmp_path / "failed"

    def fail_once(record):
        if record[0][1] == 4 and not failed.exists():
            failed.touch()
            raise ConnectionError("it may pass")
        return record

    env = local.environment(parallelism=2)
    env.configure(
        Configuration.from_dict({"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.delay": "1 ms"})
    )
    records = env.from_collection([("a", n) for n in range(6)]).rebalance()
    calls = AsyncDataStream.ordered_wait(records, Table(str(asked)), Time.seconds(10), 100)
    assert len(local.collect(calls.map(fail_once))) == 12
    assert failed.exists()
    assert asked.read_text().split() == ["a", "a"], "once in each attempt, for both subtasks"
