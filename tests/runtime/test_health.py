"""When a running job is warned about, and when it is not."""

from __future__ import annotations

from typing import Any

import pytest

from datastream import StreamExecutionEnvironment, Time, WatermarkStrategy
from datastream.api.environment import graph_of
from datastream.config.job_warnings import WarningSettings
from datastream.graph import Plan
from datastream.runtime.health import HealthMonitor, Intake, Observation
from datastream.runtime.health.intake import STRIDE
from datastream.runtime.health.observation import Awaited
from datastream.time import MIN_WATERMARK
from datastream.windows import TumblingEventTimeWindows
from tests.support.timelines import Second

_DEFAULT = WarningSettings()
TIMESTAMPS, WINDOW = 1, 2  # operator ids; the source is 0


class Job:
    """A windowed job whose epochs' reports are made up; an epoch takes 5 s."""

    def __init__(self, parallelism: int = 4, seconds: int = 10, settings: Any = _DEFAULT) -> None:
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_parallelism(parallelism)
        strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
        stream = env.from_collection([("a", 1)]).assign_timestamps_and_watermarks(strategy)
        windows = stream.key_by(lambda r: r[0]).window(TumblingEventTimeWindows.of(Time.seconds(seconds)))
        windows.reduce(lambda a, b: a).print()
        self.now = 0.0
        self._monitor = HealthMonitor(Plan.of(graph_of(env, "job")), settings, lambda: self.now)

    def epoch(self, *tasks: dict[int, Observation], final: bool = False, length: float = 5) -> list[str]:
        """Run an epoch; the kinds of the warnings."""
        self.now += length
        return [warning.kind for warning in self._monitor.take(tasks, final)]

    def epochs(self, number: int, *tasks: dict[int, Observation]) -> list[str]:
        return [kind for _ in range(number) for kind in self.epoch(*tasks)]


def made(watermark: int, records: int = 500, subtask: int = 0) -> dict[int, Observation]:
    return {TIMESTAMPS: Observation(records, {str(subtask): watermark})}


def window(watermark: int, records: int = 500, **seen: Any) -> dict[int, Observation]:
    return {WINDOW: Observation(records, {"": watermark}, **seen)}


# -- watermarks --------------------------------------------------------------------------------------


def test_a_watermark_that_stands_still_is_reported_once() -> None:
    job = Job()
    assert job.epoch(made(60_000)) == []
    assert job.epochs(5, made(60_000)) == []  # 25 s
    assert job.epoch(made(60_000)) == ["watermark-stalled"]
    assert job.epochs(20, made(60_000)) == []


def test_a_watermark_that_moves_now_and_then_is_not_reported() -> None:
    job = Job()
    assert [kind for t in range(40) for kind in job.epoch(made(t // 4 * 1000))] == []


@pytest.mark.parametrize("records", [0, 50])
def test_few_records_are_no_reason(records: int) -> None:
    assert Job().epochs(15, made(60_000, records)) == []


def test_time_or_epochs_alone_are_no_reason() -> None:
    job = Job()
    assert [kind for _ in range(100) for kind in job.epoch(made(60_000, 10_000), length=0.1)] == []
    job = Job()
    assert job.epoch(made(60_000)) + job.epoch(made(60_000, 10_000), length=1000) == []


def test_one_part_that_goes_on_is_enough() -> None:
    job = Job()
    assert [kind for t in range(40) for kind in job.epoch(made(90_000), made(t * 1000, subtask=1))] == []


def test_an_operator_that_waits_for_an_idle_part_is_reported() -> None:
    job = Job()
    idle = (Awaited(TIMESTAMPS, "subtask 3"),)
    said = []
    for t in range(20):
        job.now += 5
        said += job._monitor.take([made(t * 1000) | window(MIN_WATERMARK, awaited=idle)], False)
    (warning,) = said
    assert warning.kind == "watermark-stalled" and warning.operator == "window-2"
    assert "it waits for subtask 3 of 'Timestamps/Watermarks'" in warning.message
    assert "with_idleness" in warning.message


def test_one_cause_is_one_warning() -> None:
    job = Job()
    both = made(60_000) | window(60_000, awaited=(Awaited(TIMESTAMPS, "subtask 0"),))
    assert job.epochs(20, both) == ["watermark-stalled"]


@pytest.mark.parametrize(
    ("watermark", "unit"),
    [(1_700_000_000, "seconds"), (1_700_000_000_000_000, "microseconds"), (1_700_000_000_000_000_000, "nanoseconds")],
)
def test_timestamps_of_a_wrong_unit_are_reported_at_once(watermark: int, unit: str) -> None:
    job = Job()
    (warning,) = job._monitor.take([made(watermark, 1)], False)
    assert warning.kind == "timestamp-unit" and f"look like {unit}" in warning.message


@pytest.mark.parametrize("watermark", [MIN_WATERMARK, -5, 0, 86_400_000, 1_000_000_000_000, 4_000_000_000_000])
def test_timestamps_in_ms_are_not(watermark: int) -> None:
    assert Job().epoch(made(watermark)) == []


# -- keys ----------------------------------------------------------------------------------------------


def sampled(count: int, of: int = 100) -> dict[int, Observation]:
    return {WINDOW: Observation(6_000, sampled=of, hottest=("'a'", count), fired=True)}


@pytest.mark.parametrize(
    ("count", "parallelism", "hot"), [(60, 4, True), (45, 4, False), (55, 2, False), (80, 2, True)]
)
def test_a_key_with_half_of_the_records(count: int, parallelism: int, hot: bool) -> None:
    assert Job(parallelism).epochs(40, sampled(count)) == ["hot-key"] * hot


def test_the_share_is_that_of_all_subtasks() -> None:
    job = Job()
    other = {WINDOW: Observation(6_000, sampled=100, hottest=("'b'", 10), fired=True)}
    assert job.epochs(20, sampled(90), other, other) == []


def test_a_few_samples_prove_nothing() -> None:
    assert Job().epochs(15, sampled(5, 5)) == []


def test_keys_are_sampled_in_proportion() -> None:
    intake = Intake(samples=True)
    keys = ["hot" if n % 4 else n for n in range(4_000)]
    for _ in range(100):
        intake.take(keys, keys)
    assert intake.records == 400_000
    assert 0.9 < len(intake.keys) / (400_000 / STRIDE) < 1.1
    text, count = intake.hottest() or ("", 0)
    assert text == "'hot'" and 0.6 < count / len(intake.keys) < 0.9


def test_a_long_key_is_shortened() -> None:
    intake = Intake(samples=True)
    for _ in range(50):
        intake.take([1] * STRIDE, ["x" * 10_000] * STRIDE)
    text, _ = intake.hottest() or ("", 0)
    assert len(text) <= 80


# -- windows ---------------------------------------------------------------------------------------------


def test_a_window_that_never_fires() -> None:
    job = Job()
    assert [kind for t in range(30) for kind in job.epoch(window(t))] == ["window-never-fires"]


def test_a_long_window_is_waited_for() -> None:
    job = Job(seconds=3600)
    assert [kind for t in range(1000) for kind in job.epoch(window(t))] == []


def test_a_window_that_fired_once_is_none() -> None:
    job = Job()
    job.epoch(window(0, fired=True))
    assert [kind for t in range(30) for kind in job.epoch(window(t))] == []


def test_at_the_end_of_the_input_a_single_record_is_enough() -> None:
    assert Job().epoch(window(0, 1), final=True) == ["window-never-fires"]
    assert Job().epoch(window(0, 1, fired=True), final=True) == []


def test_late_records_are_counted() -> None:
    job = Job()
    said = []
    for t in range(8):
        job.now += 5
        said += job._monitor.take([window(t, fired=True, late=400, late_by=7_200_000)], False)
    (warning,) = said
    assert warning.kind == "late-records"
    assert "of 3,500 records as late, up to 2.0 h behind the watermark" in warning.message


def test_a_few_late_records_are_not_reported() -> None:
    job = Job()
    assert [kind for t in range(30) for kind in job.epoch(window(t, fired=True, late=100))] == []
    assert job.epoch(window(31, fired=True), final=True) == []


def test_without_settings_nothing_is_reported() -> None:
    assert Job(settings=None).epochs(30, made(60_000)) == []
