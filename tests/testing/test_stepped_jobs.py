"""Jobs that tests feed, and move on epoch by epoch: `TestStream` and `SteppedJob`."""

from __future__ import annotations

import pytest

from datastream import Types
from datastream.api.job_client import handle_of
from datastream.config.settings import settings
from datastream.errors import DataStreamError, ValidationError
from datastream.functions import KeyedProcessFunction
from datastream.state import ValueStateDescriptor
from datastream.testing import TestStream
from datastream.time import Time
from datastream.windows import TumblingEventTimeWindows


class Reminder(KeyedProcessFunction):
    """Tells who has ordered and not paid within a minute of processing time; and what was paid, with the late."""

    def open(self, runtime_context):
        self.open_orders = runtime_context.get_state(ValueStateDescriptor("open", Types.INT()))

    def process_element(self, value, ctx):
        name, what = value
        before = self.open_orders.value() or 0
        self.open_orders.update(before + (1 if what == "order" else -1))
        ctx.timer_service().register_processing_time_timer(ctx.timer_service().current_processing_time() + 60_000)
        if ctx.timestamp() <= ctx.timer_service().current_watermark():
            yield f"{name}: {what} is late"

    def on_timer(self, timestamp, ctx):
        if self.open_orders.value():
            yield f"{ctx.get_current_key()}: {self.open_orders.value()} open at {timestamp}"


def reminders(orders):
    return orders.key_by(lambda order: order[0]).process(Reminder()).uid("reminders")


def test_a_timer_a_late_record_and_a_restart(run):
    orders = TestStream(Types.TUPLE([Types.STRING(), Types.STRING()]))
    job = run.start(reminders, orders)
    orders.add_elements([("ann", "order"), ("bob", "order")], timestamp=1_000)
    assert job.run_epoch() == []
    orders.advance_watermark_to(5_000).add_elements([("bob", "paid")], timestamp=4_000)
    assert job.run_epoch() == ["bob: paid is late"]
    assert job.state("reminders", "ann") == {"open": 1, "(processing-time timers)": [60_000]}
    job.restart(parallelism=3)
    job.advance_processing_time(59_999)
    assert job.run_epoch() == []
    job.advance_processing_time(1)
    assert job.run_epoch() == ["ann: 1 open at 60000"]


@pytest.mark.long_on_spark
def test_a_job_is_started_again_and_again(run):
    orders = TestStream()
    job = run.start(reminders, orders)
    for number in range(1, 4):
        orders.add_elements([("ann", "order")], timestamp=1_000)
        job.run_epoch()
        job.restart()
        assert job.state("reminders", "ann")["open"] == number


@pytest.mark.long_on_spark
def test_watermarks_close_windows(run):
    numbers, others = TestStream(), TestStream(uid="others")

    def build(numbers, others):
        both = numbers.union(others).key_by(lambda n: n % 2)
        return both.window(TumblingEventTimeWindows.of(Time.seconds(10))).reduce(lambda a, b: a + b), others

    job = run.start(build, numbers, others, parallelism=1)
    numbers.add_elements([1, 2, 3], timestamp=2_000).advance_watermark_to(20_000)
    others.add_elements([5], timestamp=9_999)
    assert job.run_epoch() == ([], [5])
    others.advance_watermark_to(9_999)
    windows, _ = job.run_epoch()
    assert sorted(windows) == [2, 9]


@pytest.mark.long_on_spark
def test_a_failure_is_the_tests(run):
    numbers = TestStream()
    job = run.start(lambda stream: stream.map(lambda n: 1 // n), numbers)
    numbers.add_elements([0])
    with pytest.raises(DataStreamError, match="ZeroDivisionError"):
        job.run_epoch()


@pytest.mark.long_on_spark
def test_an_epoch_of_production_is_replayed(run, tmp_path, monkeypatch):
    production = run.environment()
    orders = production.from_collection([("ann", "order"), ("ann", "order"), ("bob", "order")])
    orders.key_by(lambda order: order[0]).process(Reminder()).uid("reminders").print()
    with monkeypatch.context() as patch:
        if run.executor == "spark":
            patch.setattr(settings(), "checkpoint_dir", str(tmp_path / "checkpoint"))
        client = production.execute_async("production")
    client.get_job_execution_result().result()
    savepoint = str(tmp_path / "taken")
    handle_of(client).savepoint(savepoint)

    orders = TestStream(uid="replayed")
    job = run.start(reminders, orders, from_savepoint=savepoint)
    orders.add_elements([("ann", "paid")], timestamp=1_000)
    job.run_epoch()
    assert job.state("reminders", "ann")["open"] == 1
    assert job.state("reminders", "bob")["open"] == 1
    job.restart()
    orders.add_elements([("bob", "paid")], timestamp=2_000)
    job.run_epoch()
    assert job.state("reminders", "bob")["open"] == 0
    assert job.state("reminders", "ann")["open"] == 1
    with pytest.raises(ValidationError, match=r"it has \['reminders'\], and the job \['others'\]"):
        run.start(
            lambda s: s.key_by(lambda o: o[0]).process(Reminder()).uid("others"), orders, from_savepoint=savepoint
        )


def test_what_cannot_be_stepped(run):
    with pytest.raises(ValidationError, match="needs a TestStream"):
        run.start(lambda: None)
    with pytest.raises(ValidationError, match="a uid of its own"):
        run.start(lambda a, b: a, TestStream(), TestStream())
    with pytest.raises(ValueError, match="the watermark is at 5 already"):
        TestStream().advance_watermark_to(5).advance_watermark_to(5)
