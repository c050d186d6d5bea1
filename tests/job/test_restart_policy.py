"""Which failures restart a job, how often and after which time. Numbers are those of Flink 2.3."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest

from datastream import Configuration, RestartStrategies, StreamExecutionEnvironment
from datastream.config.restart_strategy import read_restart_strategy
from datastream.errors import (
    CheckpointInUse,
    Failure,
    FunctionError,
    JavaError,
    ValidationError,
    WorkerError,
    is_transient,
)
from datastream.job.restart_policy import ExponentialDelay, FailureRate, RestartPolicy, RestartSettings

PASSES = WorkerError("a worker died", transient=True)
STAYS = ValueError("wrong")


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def read(**keys):
    return read_restart_strategy(
        Configuration.from_dict(
            {f"restart-strategy.{k.replace('__', '.').replace('_', '-')}": v for k, v in keys.items()}
        )
    )


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        *((name, RestartStrategies.no_restart()) for name in ("none", "off", "disable", "NONE")),
        *((name, RestartStrategies.fixed_delay_restart(1, 1000)) for name in ("fixed-delay", "fixeddelay")),
        *((name, RestartStrategies.failure_rate_restart(1, 60_000, 1000)) for name in ("failure-rate", "failurerate")),
        *(
            (name, RestartStrategies.exponential_delay_restart(1000, 60_000, 1.5, 3_600_000, 0.1))
            for name in ("exponential-delay", "exponentialdelay")
        ),
    ],
)
def test_keys_of_the_configuration_have_flinks_defaults(kind, expected):
    assert read(type=kind) == expected


def test_options_of_the_configuration():
    assert read() is None
    assert (
        read_restart_strategy(Configuration.from_dict({"restart-strategy": "none"})) == RestartStrategies.no_restart()
    )
    assert read(type="fixed-delay", fixed_delay__attempts="3", fixed_delay__delay="2 s") == (
        RestartStrategies.fixed_delay_restart(3, 2000)
    )
    with pytest.raises(ValidationError, match="'bogus': expected none, off, disable, fixed-delay"):
        read(type="bogus")
    with pytest.raises(ValidationError, match="backoff_multiplier must be above 1, got 0.5"):
        read(type="exponential-delay", exponential_delay__backoff_multiplier="0.5")


@pytest.mark.parametrize(
    "strategy",
    [
        RestartStrategies.no_restart(),
        RestartStrategies.fixed_delay_restart(3, 20),
        RestartStrategies.failure_rate_restart(2, 1000, 30),
        RestartStrategies.exponential_delay_restart(10, timedelta(seconds=1), 2.0, 5000, 0.0),
    ],
    ids=lambda strategy: type(strategy).__name__,
)
def test_a_strategy_that_is_set_is_that_of_the_keys(strategy):
    env = StreamExecutionEnvironment.get_execution_environment()
    assert env.get_restart_strategy() == RestartStrategies.fall_back_restart()
    env.set_restart_strategy(strategy)
    assert env.get_restart_strategy() == strategy
    env.set_restart_strategy(RestartStrategies.fall_back_restart())
    assert env.get_restart_strategy() == RestartStrategies.fall_back_restart()
    with pytest.raises(ValidationError, match=r"set_restart_strategy needs a strategy .* got 3"):
        env.set_restart_strategy(3)


def test_without_checkpointing_there_is_no_restart():
    policy = RestartPolicy(RestartSettings())
    assert not policy.judge(PASSES).restart
    assert (
        "checkpointing is off; a checkpoint directory or a restart strategy turns restarts on"
        in policy.judge(PASSES).why
    )


def test_the_default_restarts_after_what_can_pass_for_ever():
    policy = RestartPolicy(RestartSettings(checkpointing=True))
    assert not policy.judge(STAYS).restart
    delays = [policy.judge(PASSES).delay_s for _ in range(30)]
    assert 1.0 <= delays[0] <= 1.1
    assert 1.35 <= delays[1] <= 1.65
    assert delays[-1] >= 54
    assert max(delays) <= 60


def test_attempts_run_out():
    policy = RestartPolicy(RestartSettings(RestartStrategies.fixed_delay_restart(2, 20)))
    assert [policy.judge(error).restart for error in (STAYS, PASSES, STAYS)] == [True, True, False]
    assert policy.judge(STAYS).why == (
        "its restarts are used up. Recovery is suppressed by FixedDelayRestartBackoffTimeStrategy("
        "maxNumberRestartAttempts=2, backoffTimeMS=20)"
    )


def test_exponential_delays_grow_and_begin_again():
    clock = Clock()
    second = timedelta(seconds=1)
    delays = ExponentialDelay(second, 5 * second, 2.0, 60 * second, 0.0, 100, clock, lambda low, high: 0.0)
    found = []
    for pause in (0, 1, 2, 4, 5, 64, 70):
        clock.now += pause
        delays.notify_failure()
        found.append(delays.delay_s())
    assert found == [1, 2, 4, 5, 5, 5, 1]


def test_a_rate_of_failures():
    clock = Clock()
    rate = FailureRate(2, timedelta(seconds=10), timedelta(seconds=1), clock)
    found = []
    for pause in (0, 1, 10, 1, 1):
        clock.now += pause
        rate.notify_failure()
        found.append(rate.can_restart())
    assert found == [True, True, True, True, False]


def test_tolerable_failures_in_a_row():
    policy = RestartPolicy(RestartSettings(RestartStrategies.no_restart(), tolerable_failures=2))
    assert [policy.judge(PASSES).counted for _ in range(2)] == [False, False]
    policy.epoch_committed()
    assert [policy.judge(PASSES).restart for _ in range(3)] == [True, True, False]
    assert not policy.judge(STAYS).restart


HOUR = 3600.0


def in_vain(settings, hours_apart, times):
    """Whether each of some failures is followed by a restart."""
    clock = Clock()
    policy = RestartPolicy(settings, clock)
    found = []
    for _ in range(times):
        found.append(policy.judge(PASSES).restart)
        clock.now += hours_apart * HOUR
    return found


@pytest.mark.parametrize(
    ("settings", "hours_apart", "restarts"),
    [
        (RestartSettings(None, checkpointing=True), 0.5, [True] * 4 + [False]),
        (RestartSettings(None, checkpointing=True, give_up_after_ms=0), 10, [True] * 9),
        (RestartSettings(None, checkpointing=True, give_up_after_ms=1000), 0.5, [True, False]),
        (RestartSettings(RestartStrategies.fixed_delay_restart(7, 1)), 10, [True] * 7 + [False]),
        (RestartSettings(RestartStrategies.exponential_delay_restart()), 10, [True] * 9),
        (
            RestartSettings(RestartStrategies.fixed_delay_restart(7, 1), give_up_after_ms=3_600_000),
            0.6,
            [True] * 2 + [False],
        ),
    ],
)
def test_restarts_in_vain_come_to_an_end(settings, hours_apart, restarts):
    """By the time that they have taken; a strategy that the user chose keeps its own limit, unless both are set."""
    assert in_vain(settings, hours_apart, len(restarts)) == restarts


@pytest.mark.parametrize("progress", [RestartPolicy.epoch_committed, RestartPolicy.nothing_waits])
def test_a_restart_after_which_the_job_runs_is_not_in_vain(progress):
    clock = Clock()
    policy = RestartPolicy(RestartSettings(None, checkpointing=True), clock)
    for _ in range(9):
        assert policy.judge(PASSES).restart
        assert policy.in_vain == 1
        clock.now += HOUR
        progress(policy)
        assert policy.in_vain == 0


def test_why_a_job_that_restarts_in_vain_ends():
    clock = Clock()
    policy = RestartPolicy(RestartSettings(None, checkpointing=True), clock)
    policy.judge(PASSES)
    policy.judge(PASSES)
    clock.now += 3 * HOUR
    assert policy.judge(PASSES).why == (
        "it has failed for 10800 s, and 2 restarts have brought no commit; a new process may do better "
        "(datastream.restart.give-up-after is 7200 s)"
    )


class Wrapped(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (ConnectionRefusedError(), True),
        (TimeoutError(), True),
        (OSError(28, "No space left on device"), True),
        (io.UnsupportedOperation("not readable"), False),
        (ValueError(), False),
        (ValidationError("x"), False),
        (CheckpointInUse("x"), False),
        (JavaError("it did not start"), True),
        (WorkerError("x"), False),
        (PASSES, True),
    ],
)
def test_what_can_pass(error, passes):
    assert is_transient(error) is passes
    if not isinstance(error, (WorkerError, JavaError, CheckpointInUse)):
        assert FunctionError(Failure.of(error, "Map", "f", "job.py:1")).transient is passes


def test_errors_of_clients_pass_with_their_cause():
    error = Wrapped("no answer")
    error.__cause__ = ConnectionResetError()
    assert is_transient(error)
    error.__cause__ = FileNotFoundError()
    assert not is_transient(error)
