"""Jobs that fail and restart in their process: results are exact, and shown once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from datastream import JobStatus, RestartStrategies, StreamExecutionEnvironment
from datastream.api.job_client import handle_of
from datastream.config.settings import settings
from datastream.errors import FunctionError, ValidationError
from datastream.functions import KeyedProcessFunction, MapFunction
from datastream.state import ValueStateDescriptor
from datastream.types import Types
from tests.support.waiting import wait_until


class Heard:
    def __init__(self):
        self.restarts, self.epochs, self.ends = [], [], []

    def on_start(self, graph):
        pass

    def on_epoch(self, summary):
        self.epochs.append(summary.epoch)

    def on_restart(self, restart):
        self.restarts.append(restart)

    def on_end(self, status, error):
        self.ends.append(status)


@pytest.fixture
def heard(monkeypatch):
    listener = Heard()
    monkeypatch.setattr(settings(), "listeners", [listener])
    return listener


@pytest.fixture(params=["local", "spark"])
def env(request, monkeypatch):
    monkeypatch.setattr(settings(), "executor", request.param)
    monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "10"})
    made = StreamExecutionEnvironment.get_execution_environment()
    made.set_parallelism(1)
    return made


class Failing(MapFunction):
    """Fails so many times at a number; what was tried is noted in a folder."""

    def __init__(self, folder: Path, at: int, times: int, error: type[Exception]) -> None:
        self.folder, self.at, self.times, self.error = folder, at, times, error

    def map(self, value):
        if value == self.at:
            tries = len(list(self.folder.iterdir()))
            if tries < self.times:
                (self.folder / str(tries)).touch()
                raise self.error("not now")
        return value


class RunningSum(KeyedProcessFunction):
    def open(self, runtime_context):
        self.sum = runtime_context.get_state(ValueStateDescriptor("sum", Types.LONG()))
        self.attempt = runtime_context.get_attempt_number()

    def process_element(self, value, ctx):
        total = (self.sum.value() or 0) + value
        self.sum.update(total)
        yield total, self.attempt


def sums(env, folder, times, error):
    numbers = env.from_collection(list(range(1, 51))).map(Failing(folder, 35, times, error))
    return numbers.key_by(lambda n: 0).process(RunningSum())


@pytest.mark.long_on_spark
def test_a_restart_continues_and_gives_every_record_once(env, heard, tmp_path, caplog):
    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(3, 20))
    with sums(env, tmp_path, 2, ValueError).execute_and_collect() as found:
        got = list(found)
    assert [total for total, _ in got] == [n * (n + 1) // 2 for n in range(1, 51)]
    assert {attempt for _, attempt in got} == {0, 2}
    assert [restart.number for restart in heard.restarts] == [1, 2]
    assert all(isinstance(restart.error, FunctionError) for restart in heard.restarts)
    assert heard.epochs == sorted(set(heard.epochs))
    assert heard.ends == ["FINISHED"]
    assert "restart 2 in 0.0 s, from the last committed epoch" in caplog.text
    assert "not now" in caplog.text


def test_attempts_run_out_and_the_last_error_is_raised(env, heard, tmp_path, caplog):
    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(1, 0))
    sums(env, tmp_path, 9, ValueError).print()
    with pytest.raises(FunctionError, match="ValueError: not now"):
        env.execute()
    assert len(list(tmp_path.iterdir())) == 2
    assert "Recovery is suppressed by FixedDelayRestartBackoffTimeStrategy(maxNumberRestartAttempts=1" in caplog.text
    assert heard.ends == ["FAILED"]


@pytest.mark.long_on_spark
def test_the_default_restarts_after_what_can_pass_alone(env, heard, tmp_path):
    env.enable_checkpointing(10)
    (tmp_path / "passes").mkdir()
    with sums(env, tmp_path / "passes", 1, ConnectionError).execute_and_collect() as found:
        assert [total for total, _ in found] == [n * (n + 1) // 2 for n in range(1, 51)]
    assert len(heard.restarts) == 1
    (tmp_path / "stays").mkdir()
    sums(env, tmp_path / "stays", 1, ValueError).print()
    with pytest.raises(FunctionError, match="ValueError: not now"):
        env.execute()
    assert len(heard.restarts) == 1


def test_without_checkpointing_nothing_restarts(env, heard, tmp_path):
    sums(env, tmp_path, 1, ConnectionError).print()
    with pytest.raises(FunctionError, match="ConnectionError: not now"):
        env.execute()
    assert heard.restarts == []


@pytest.mark.long_on_spark
def test_tolerable_failures_are_no_restarts(env, heard, tmp_path):
    env.get_checkpoint_config().set_tolerable_checkpoint_failure_number(2)
    sums(env, tmp_path, 2, TimeoutError).print()
    client = env.execute_async()
    client.get_job_execution_result().result(60)
    assert [restart.counted for restart in heard.restarts] == [False, False]
    assert handle_of(client).restarts == 0


def test_cancelled_while_it_waits_for_its_restart(env, heard, tmp_path):
    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(3, 600_000))
    sums(env, tmp_path, 9, ValueError).print()
    client = env.execute_async()
    wait_until(lambda: client.get_job_status().result() is JobStatus.RESTARTING, "restart")
    client.cancel()
    assert client.get_job_status().result() is JobStatus.CANCELED
    assert heard.ends == ["CANCELED"]


@pytest.mark.long_on_spark
def test_printed_lines_come_once(env, heard, tmp_path, capsys):
    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(3, 0))
    env.from_collection(list(range(50))).map(Failing(tmp_path, 35, 2, ValueError)).print()
    env.execute()
    assert capsys.readouterr().out.split() == [str(n) for n in range(50)]


def test_the_least_pause_between_epochs(env, heard):
    env.get_checkpoint_config().set_min_pause_between_checkpoints(150)
    env.from_collection(list(range(40))).print()
    began = time.monotonic()
    env.execute()
    assert time.monotonic() - began >= 0.15 * (len(heard.epochs) - 1)


@pytest.mark.parametrize("limit", ["1 ms", "-1 s", "soon"])
def test_restarts_that_bring_no_commit_come_to_an_end(monkeypatch, tmp_path, heard, limit):
    """The process ends with the failure, so that whoever watches it can start another one."""
    monkeypatch.setattr(settings(), "executor", "local")
    set_to = {"datastream.restart.give-up-after": limit, "execution.checkpointing.interval": "1 s"}
    monkeypatch.setattr(settings(), "properties", set_to)
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([1]).map(Failing(tmp_path, 1, 1000, ConnectionError)).print()
    if limit != "1 ms":
        with pytest.raises(ValidationError, match=r"datastream\.restart\.give-up-after"):
            env.execute()
        return
    with pytest.raises(FunctionError, match="ConnectionError") as failed:
        env.execute()
    (note,) = failed.value.__notes__
    assert "1 restarts have brought no commit" in note
    assert len(heard.restarts) == 1
