"""Rates, lags, back-pressure and bottlenecks, from two looks at a driver."""

from __future__ import annotations

from typing import Any

from datastream.services.gateway.figures import Window, bottleneck, is_backpressured, operators_now, sample

PLAN = {
    "nodes": [
        {"id": 1, "uid": "source", "name": "Source", "predecessors": []},
        {"id": 2, "uid": "work", "name": "Work", "predecessors": [{"id": 1}]},
        {"id": 3, "uid": "sink", "name": "Sink", "predecessors": [{"id": 2}]},
    ]
}


def operator(records: int, busy: list[float], **more: Any) -> dict[str, Any]:
    subtasks = [
        {"subtask": n, "records_in": records, "records_out": records, "busy_s": spent, "watermark": None}
        for n, spent in enumerate(busy)
    ]
    return {
        "records_in": records, "records_out": records, "busy_s": sum(busy), "watermark": None, "keys": None,
        "state_bytes": None, "timers": None, "late": 0, "commits": 0, "commit_s": 0.0, "subtasks": subtasks,
        "pending": {}, "watermarks": {}, "hot_key_groups": [], "hot_key": None, **more,
    }  # fmt: skip


def snapshot(uptime_s: float, records: int, run_s: float, operators: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "job_id": "a" * 32, "started_ms": 0, "now_ms": int(uptime_s * 1000), "uptime_s": uptime_s, "status": "RUNNING",
        "epochs": int(run_s), "run_s": run_s, "records_in": records, "records_out": records // 2,
        "operators": operators, **more,
    }  # fmt: skip


def window(*snapshots: dict[str, Any]) -> Window:
    found = Window()
    for each in snapshots:
        found.add(each)
    return found


def test_a_point_has_rates_of_the_time_between_two_looks() -> None:
    before = snapshot(10, 1000, 4, {"source": operator(1000, [1.0])})
    watermarks = {"t-0": 11_000, "t-1": 13_500}
    now = snapshot(
        14, 3000, 6, {"source": operator(3000, [2.0], pending={"t-0": 500, "t-1": 0}, watermarks=watermarks)}
    )
    point = sample(window(before, now), 7, 1 << 20)
    assert point is not None
    assert (point["seq"], point["records_in_s"], point["records_out_s"]) == (7, 500.0, 250.0)
    assert (point["epochs_s"], point["epoch_ms"], point["busy"]) == (0.5, 1000.0, 0.5)
    assert point["backlog"] == 500 and point["latency_ms"] == 2000.0  # a second for what waits, and an epoch
    assert point["watermark_lag_ms"] == 3000
    assert point["partitions"] == {"source/t-0": 3000, "source/t-1": 500}


def test_there_is_no_point_before_the_second_look() -> None:
    assert sample(Window(), 1, None) is None
    assert sample(window(snapshot(1, 1, 1, {})), 1, None) is None


def test_a_clock_that_jumps_changes_no_rate() -> None:
    before = snapshot(10, 1000, 4, {}, now_ms=9_000_000)
    now = snapshot(12, 3000, 5, {}, now_ms=1_000)
    point = sample(window(before, now), 1, None)
    assert point is not None and point["records_in_s"] == 1000.0 and point["time_ms"] == 1_000


def test_another_driver_begins_anew() -> None:
    old = snapshot(100, 9000, 50, {})
    assert sample(window(old, snapshot(1, 10, 1, {}, started_ms=5)), 1, None) is None
    assert sample(window(old, snapshot(101, 10, 1, {}, job_id="b" * 32)), 1, None) is None


def test_old_looks_are_dropped() -> None:
    found = window(*(snapshot(second, second * 100, second, {}) for second in range(60)))
    assert found.before is not None and found.before["uptime_s"] == 48


def test_long_epochs_are_counted_over_a_longer_time() -> None:
    """One in 14 s: rates do not fall to 0 between two of them."""
    found = window(*(snapshot(second, second // 14 * 1000, second // 14, {}) for second in range(100)))
    point = sample(found, 1, None)
    assert point is not None and point["records_in_s"] > 50 and point["epoch_ms"] == 1000.0
    found = window(*(snapshot(second, 0, 0, {}) for second in range(400)))
    assert found.before is not None and found.before["uptime_s"] == 278


def test_the_bottleneck_and_what_is_behind_it() -> None:
    before = snapshot(0, 0, 0, {"source": operator(0, [0, 0]), "work": operator(0, [0, 0]), "sink": operator(0, [0])})
    busy = {
        "source": operator(1000, [1.0, 1.0]),
        "work": operator(1000, [2.0, 9.0], hot_key_groups=[[17, 900]], hot_key=["'x'", 0.9], keys=5),
        "sink": operator(1000, [0.5]),
    }
    now = snapshot(10, 1000, 9.5, busy)
    both = window(before, now)
    operators = operators_now(both, PLAN)
    assert is_backpressured(both)
    work = operators["work"]
    assert (work["busy"], work["busy_max"], work["busiest"], work["records_in_s"]) == (0.55, 0.9, 1, 100.0)
    assert [operators[uid]["backpressure"] for uid in ("source", "work", "sink")] == [0.9, 0.05, 0.0]
    assert bottleneck(operators, PLAN) == {
        "operator": "work", "name": "Work", "busy": 0.9, "subtask": 1, "key_group": 17, "key": "'x'",
    }  # fmt: skip


def test_a_job_with_time_to_spare_has_no_back_pressure() -> None:
    before = snapshot(0, 0, 0, {"source": operator(0, [0.0]), "work": operator(0, [0.0])})
    now = snapshot(10, 1000, 3, {"source": operator(1000, [0.1]), "work": operator(1000, [0.2])})
    both = window(before, now)
    operators = operators_now(both, PLAN)
    assert not is_backpressured(both)
    assert {each["backpressure"] for each in operators.values()} == {0.0}
    assert bottleneck(operators, PLAN) is None


def test_a_backlog_that_grows_is_back_pressure() -> None:
    before = snapshot(0, 0, 0, {"source": operator(0, [0.0], pending={"0": 10})})
    now = snapshot(10, 1000, 5, {"source": operator(1000, [5.0], pending={"0": 5000})})
    assert is_backpressured(window(before, now))


def test_the_partition_that_holds_time_back_is_named() -> None:
    marks = {"t-0": 9000, "t-1": 2000}
    found = operators_now(window(snapshot(10, 0, 0, {"source": operator(0, [0.0], watermarks=marks)})), None)["source"]
    assert found["holds_back"] == "t-1"
    assert found["partitions"]["t-1"] == {"watermark": 2000, "lag_ms": 8000, "backlog": None}
    assert found["records_in_s"] is None
