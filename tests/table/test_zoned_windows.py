"""Windows over TIMESTAMP_LTZ, whose starts and ends are of the session's clock, and windows of processing time."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from datastream import StreamExecutionEnvironment, Types
from datastream.config.settings import settings
from datastream.errors import UnsupportedOperation
from datastream.table import EnvironmentSettings, Schema, StreamTableEnvironment, TableEnvironment
from datastream.time.zones import ZoneClock

BERLIN = ZoneInfo("Europe/Berlin")
SPRING = datetime(2024, 3, 30, 20, tzinfo=UTC)
AUTUMN = datetime(2024, 10, 26, 20, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def tables(zone: str, moments: list[datetime], batch: bool = False) -> StreamTableEnvironment:
    """An environment with a table ``t`` of points in time."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    chosen = EnvironmentSettings.in_batch_mode() if batch else EnvironmentSettings.in_streaming_mode()
    t_env = StreamTableEnvironment.create(env, chosen)
    t_env.get_config().set("table.local-time-zone", zone)
    rows = [(int(moment.timestamp() * 1000),) for moment in moments]
    stream = env.from_collection(rows, Types.TUPLE([Types.LONG()])).set_parallelism(1)
    schema = (
        Schema.new_builder()
        .column_by_expression("ts", "TO_TIMESTAMP_LTZ(f0, 3)")
        .watermark("ts", "ts - INTERVAL '1' SECOND")
        .build()
    )
    t_env.create_temporary_view("t", t_env.from_data_stream(stream, schema))
    return t_env


def results(zone: str, moments: list[datetime], window: str, batch: bool = False) -> Counter[Any]:
    """Start, end, count of each window."""
    query = f"SELECT window_start, window_end, COUNT(*) FROM TABLE({window}) GROUP BY window_start, window_end"
    with tables(zone, moments, batch).execute_sql(query).collect() as found:
        return Counter(tuple(row) for row in found)


def shown(moment: datetime) -> datetime:
    """What the clock of Berlin shows."""
    return moment.astimezone(BERLIN).replace(tzinfo=None)


def floor(local: datetime, size: timedelta) -> datetime:
    """The start of a window."""
    return local - (local - datetime(1970, 1, 1)) % size


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("begin", [SPRING, AUTUMN])
@pytest.mark.parametrize("minutes", [30, 60, 24 * 60])
def test_tumbling_windows_are_of_the_sessions_clock(begin: datetime, minutes: int, batch: bool) -> None:
    moments = [begin + timedelta(minutes=7 * i) for i in range(140)]
    size = timedelta(minutes=minutes)
    starts = Counter(floor(shown(moment), size) for moment in moments)
    window = f"TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '{minutes}' MINUTE)"
    expected = Counter((start, start + size, count) for start, count in starts.items())
    assert results("Europe/Berlin", moments, window, batch) == expected


@pytest.mark.parametrize("begin", [SPRING, AUTUMN])
def test_hopping_and_growing_windows_are_of_the_sessions_clock(begin: datetime) -> None:
    moments = [begin + timedelta(minutes=7 * i) for i in range(140)]
    size, step = 2 * HOUR, timedelta(minutes=30)
    hops: Counter[Any] = Counter()
    grown: Counter[Any] = Counter()
    for local in map(shown, moments):
        start = floor(local, step)
        while start > local - size:
            hops[start, start + size] += 1
            start -= step
        start = floor(local, size)
        end = floor(local, step) + step
        while end <= start + size:
            grown[start, end] += 1
            end += step
    found = results("Europe/Berlin", moments, "HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '30' MINUTE, INTERVAL '2' HOUR)")
    assert found == Counter((*window, count) for window, count in hops.items())
    window = "CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '30' MINUTE, INTERVAL '2' HOUR)"
    assert results("Europe/Berlin", moments, window) == Counter((*window, count) for window, count in grown.items())


def test_sessions_show_the_sessions_clock() -> None:
    moments = [SPRING + i * HOUR for i in (0, 1, 5)]
    found = results("Europe/Berlin", moments, "SESSION(TABLE t, DESCRIPTOR(ts), INTERVAL '90' MINUTE)")
    ends = [moments[1] + 1.5 * HOUR, moments[2] + 1.5 * HOUR]
    assert found == Counter([(shown(moments[0]), shown(ends[0]), 2), (shown(moments[2]), shown(ends[1]), 1)])


def test_rows_with_their_windows() -> None:
    moment = datetime(2024, 1, 1, 18, 40, tzinfo=UTC)
    t_env = tables("Asia/Kolkata", [moment])
    query = "SELECT window_start, window_time FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' DAY))"
    with t_env.execute_sql(query).collect() as found:
        ((start, last),) = map(tuple, found)
    assert start == datetime(2024, 1, 2)
    assert last.to_epoch_milli() == datetime(2024, 1, 2, 18, 29, 59, 999_000, tzinfo=UTC).timestamp() * 1000


@pytest.mark.parametrize("seed", range(20))
def test_what_a_clock_has_passed(seed: int) -> None:
    draw = random.Random(seed)
    clock = ZoneClock(draw.choice(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]))
    for _ in range(200):
        instant = draw.randrange(1_700_000_000, 1_760_000_000) * 1_000_000
        passed = clock.passed(instant)
        assert clock.deadline(passed) <= instant
        assert passed <= clock.local(instant)
        first, last = clock.passing(instant)
        assert first <= last == clock.local(instant)
        assert clock.deadline(passed + 1) > instant


@pytest.mark.parametrize("moment", [datetime(2200, 1, 1, 5, tzinfo=UTC), datetime(1700, 1, 1, 5, tzinfo=UTC)])
def test_windows_far_away(moment: datetime) -> None:
    (row,) = results("Europe/Paris", [moment], "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' DAY)")
    local = moment.astimezone(ZoneInfo("Europe/Paris")).replace(tzinfo=None)
    start = floor(local, timedelta(days=1))
    assert row == (start, start + timedelta(days=1), 1)


def test_a_clock_that_is_changed_a_minute_past_the_hour() -> None:
    zone = ZoneInfo("America/St_Johns")
    moments = [datetime(2010, 11, 7, 1, 20, tzinfo=UTC) + timedelta(seconds=20 * i) for i in range(600)]
    minute = timedelta(minutes=1)
    starts = Counter(floor(moment.astimezone(zone).replace(tzinfo=None), minute) for moment in moments)
    found = results("America/St_Johns", moments, "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)")
    assert found == Counter((start, start + minute, count) for start, count in starts.items())


def test_the_time_of_a_window_that_ends_where_the_clock_is_put_back_to() -> None:
    moments = [AUTUMN + timedelta(minutes=10 * i) for i in range(60)]
    t_env = tables("Europe/Berlin", moments)
    hours = (
        "SELECT window_start AS started, window_time FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) "
        "GROUP BY window_start, window_end, window_time"
    )
    t_env.create_temporary_view("hours", t_env.sql_query(hours))
    again = "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE hours, DESCRIPTOR(window_time), INTERVAL '1' HOUR))"
    with t_env.execute_sql(f"{again} GROUP BY window_start, window_end").collect() as found:
        assert {tuple(row) for row in found} == {(floor(shown(m), HOUR), 1) for m in moments}


# -- processing time ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "window",
    [
        "TUMBLE(TABLE t, DESCRIPTOR(p), INTERVAL '0.2' SECOND)",
        "HOP(TABLE t, DESCRIPTOR(p), INTERVAL '0.2' SECOND, INTERVAL '0.4' SECOND)",
        "CUMULATE(TABLE t, DESCRIPTOR(p), INTERVAL '0.1' SECOND, INTERVAL '0.2' SECOND)",
    ],
)
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
def test_windows_of_processing_time(window: str, zone: str) -> None:
    t_env = generated(zone, 200)
    query = f"SELECT k, window_start, window_end, COUNT(*) FROM TABLE({window}) GROUP BY k, window_start, window_end"
    began = datetime.now(ZoneInfo(zone)).replace(tzinfo=None)
    with t_env.execute_sql(query).collect() as found:
        rows = [tuple(next(found)) for _ in range(6)]
    assert len({row[1:3] for row in rows}) == 6
    assert all(row[3] > 0 for row in rows)
    assert began - timedelta(seconds=1) < rows[0][1] < began + timedelta(seconds=120)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
def test_sessions_of_processing_time(zone: str) -> None:
    t_env = generated(zone, 4)
    query = (
        "SELECT SESSION_START(p, INTERVAL '0.05' SECOND), SESSION_END(p, INTERVAL '0.05' SECOND), COUNT(*) FROM t "
        "GROUP BY SESSION(p, INTERVAL '0.05' SECOND)"
    )
    began = datetime.now(ZoneInfo(zone)).replace(tzinfo=None)
    with t_env.execute_sql(query).collect() as found:
        start, end, count = next(found)
    assert began - timedelta(seconds=1) < start < began + timedelta(seconds=120)
    assert end - start >= timedelta(seconds=0.05)
    assert count > 0


def generated(zone: str, rate: int) -> StreamTableEnvironment:
    """An environment with an endless table ``t``, of so many rows a second."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    t_env = StreamTableEnvironment.create(env)
    t_env.get_config().set("table.local-time-zone", zone)
    t_env.execute_sql(
        "CREATE TEMPORARY TABLE t (n INT, k AS 1, p AS PROCTIME()) WITH ('connector' = 'datagen', "
        f"'rows-per-second' = '{rate}')"
    )
    return t_env


def test_windows_of_processing_time_are_not_there_in_batch_mode() -> None:
    env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    env.execute_sql(
        "CREATE TEMPORARY TABLE t (n INT, p AS PROCTIME()) WITH ('connector' = 'datagen', 'number-of-rows' = '5')"
    )
    window = "TUMBLE(TABLE t, DESCRIPTOR(p), INTERVAL '1' SECOND)"
    with pytest.raises(UnsupportedOperation, match="streaming mode only"):
        env.execute_sql(f"SELECT window_start, COUNT(*) FROM TABLE({window}) GROUP BY window_start, window_end")
