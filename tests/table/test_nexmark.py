"""Nexmark's queries: what is left of the changes in streaming mode are the rows of batch mode."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bench.nexmark.events import events as events_of
from bench.nexmark.events import write
from bench.nexmark.queries import BY_THE_CLOCK, QUERIES, bids_too_many, tables
from bench.nexmark.side_input import in_sqlite
from datastream.config.settings import settings
from datastream.errors import UnsupportedOperation
from datastream.table import DataTypes, EnvironmentSettings, TableEnvironment
from datastream.table.udf import udf

#: Some queries are of one window of ten seconds, others of an auction's end.
COUNT = 12_000


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nexmark") / "events.json"
    write(path, COUNT)
    in_sqlite(path.parent)
    return path


@pytest.mark.parametrize("query", [query for query in QUERIES if query != BY_THE_CLOCK])
def test_streaming_and_batch_mode_agree(query: str, events: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    streaming = left(query, events, EnvironmentSettings.in_streaming_mode())
    assert streaming
    assert streaming == left(query, events, EnvironmentSettings.in_batch_mode())


def test_counts_by_the_clock_are_of_bids(events: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows that have not ended with the input are dropped."""
    monkeypatch.setattr(settings(), "executor", "local")
    bids = Counter(event["bid"]["bidder"] for event in events_of(COUNT) if "bid" in event)
    assert not bids_too_many(left(BY_THE_CLOCK, events, EnvironmentSettings.in_streaming_mode()), bids)
    with pytest.raises(UnsupportedOperation, match="windows of processing time"):
        left(BY_THE_CLOCK, events, EnvironmentSettings.in_batch_mode())


def side_input(events: Path) -> str:
    """The URL of the database of q13."""
    return f"jdbc:sqlite:{events.parent / 'side_input.db'}"


def left(query: str, events: Path, mode: EnvironmentSettings) -> Counter[str]:
    env = TableEnvironment.create(mode)
    env.get_config().set("table.local-time-zone", "UTC")
    count_char = udf(lambda text, char: text.count(char), result_type=DataTypes.BIGINT())
    env.create_temporary_function("count_char", count_char)
    for statement in tables(str(events), side_input(events)):
        env.execute_sql(statement)
    found: Counter[str] = Counter()
    with env.execute_sql(QUERIES[query]).collect() as rows:
        for row in rows:
            found[repr(list(row))] += 1 if str(row.get_row_kind()) in ("+I", "+U") else -1
    assert min(found.values(), default=0) >= 0
    return +found
