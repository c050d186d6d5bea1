"""What a commit leaves for the planner."""

from __future__ import annotations

from types import SimpleNamespace

from datastream.spark.stages.reporting import last_records, next_timer, report_to_planner


def test_the_planner_learns_of_the_last_epoch(tmp_path):
    spec = SimpleNamespace(report=(str(tmp_path / "reports"), b""))
    assert (last_records(spec), next_timer(spec)) == (None, 0), "a run that has committed nothing looks for timers"
    report_to_planner(spec, 12, 1700)
    assert (last_records(spec), next_timer(spec)) == (12, 1700)
    report_to_planner(spec, 0, None)
    assert (last_records(spec), next_timer(spec)) == (0, None)


def test_without_a_driver_nothing_is_left():
    spec = SimpleNamespace(report=None)
    report_to_planner(spec, 12, 1700)
    assert (last_records(spec), next_timer(spec)) == (None, None)
