"""Whether a failed job is started again, and after which time: the rules of Flink's restart strategies."""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from datastream.config.restart_strategy import RestartStrategies, RestartStrategyConfiguration
from datastream.errors import CheckpointError, is_transient

Clock = Callable[[], float]

#: For so long restarts that bring no commit go on.
GIVE_UP_AFTER_MS = 2 * 3600 * 1000
#: The setting of it.
GIVE_UP_AFTER = "datastream.restart.give-up-after"

_OFF = "the failure can pass, but checkpointing is off; a checkpoint directory or a restart strategy turns restarts on"


class RestartStrategy(Protocol):
    """Counts failures. One a job."""

    def notify_failure(self) -> None:
        """Count a failure."""

    def can_restart(self) -> bool:
        """Whether the job restarts after the failure that was counted last."""

    def delay_s(self) -> float:
        """The time before that restart, in s."""


class NoRestart:
    """A failed job stays failed."""

    def notify_failure(self) -> None: ...

    def can_restart(self) -> bool:
        return False

    def delay_s(self) -> float:
        return 0.0

    def __str__(self) -> str:
        return "NoRestartBackoffTimeStrategy"


class FixedDelay:
    """This number of restarts, each after the same time."""

    def __init__(self, attempts: int, delay: timedelta) -> None:
        self._attempts, self._delay, self._failures = attempts, delay, 0

    def notify_failure(self) -> None:
        self._failures += 1

    def can_restart(self) -> bool:
        return self._failures <= self._attempts

    def delay_s(self) -> float:
        return self._delay.total_seconds()

    def __str__(self) -> str:
        return (
            f"FixedDelayRestartBackoffTimeStrategy(maxNumberRestartAttempts={self._attempts}, "
            f"backoffTimeMS={_ms(self._delay)})"
        )


class FailureRate:
    """Restarts as long as a span of time has no more failures than a number."""

    def __init__(self, max_failures: int, span: timedelta, delay: timedelta, clock: Clock = time.monotonic) -> None:
        self._max_failures, self._span, self._delay, self._clock = max_failures, span, delay, clock
        self._failures: deque[float] = deque(maxlen=max_failures + 1)

    def notify_failure(self) -> None:
        self._failures.append(self._clock())

    def can_restart(self) -> bool:
        many = len(self._failures) > self._max_failures
        return not many or self._clock() - self._failures[0] > self._span.total_seconds()

    def delay_s(self) -> float:
        return self._delay.total_seconds()

    def __str__(self) -> str:
        return (
            f"FailureRateRestartBackoffTimeStrategy(failuresIntervalMS={_ms(self._span)},"
            f"backoffTimeMS={_ms(self._delay)},maxFailuresPerInterval={self._max_failures})"
        )


class ExponentialDelay:
    """Restarts after times that grow from failure to failure, and begin again after a long time without one."""

    def __init__(
        self,
        initial: timedelta,
        longest: timedelta,
        multiplier: float,
        reset: timedelta,
        jitter: float,
        attempts: int,
        clock: Clock = time.monotonic,
        chance: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._initial, self._longest = initial.total_seconds(), longest.total_seconds()
        self._multiplier, self._reset, self._jitter, self._attempts = multiplier, reset, jitter, attempts
        self._clock, self._chance = clock, chance
        self._failures = 0
        self._delay = 0.0
        self._next = float("-inf")

    def notify_failure(self) -> None:
        now = self._clock()
        if now - self._next >= self._reset.total_seconds():
            self._failures = 0
        delay = self._initial
        for _ in range(self._failures):
            delay = min(delay * self._multiplier, self._longest)
            if delay >= self._longest:
                break
        jitter = self._jitter * delay
        self._delay = min(max(delay + self._chance(-jitter, jitter), self._initial), self._longest)
        self._next = now + self._delay
        self._failures += 1

    def can_restart(self) -> bool:
        return self._failures <= self._attempts

    def delay_s(self) -> float:
        return self._delay

    def __str__(self) -> str:
        return (
            f"ExponentialDelayRestartBackoffTimeStrategy(initialBackoffMS={round(self._initial * 1000)}, "
            f"maxBackoffMS={round(self._longest * 1000)}, backoffMultiplier={self._multiplier}, "
            f"resetBackoffThresholdMS={_ms(self._reset)}, jitterFactor={self._jitter}, "
            f"attemptsBeforeResetBackoff={self._attempts}, currentRestartAttempt={self._failures})"
        )


def strategy_of(configuration: RestartStrategyConfiguration) -> RestartStrategy:
    """The strategy that settings describe."""
    kinds = RestartStrategies
    if isinstance(configuration, kinds.FixedDelayRestartStrategyConfiguration):
        return FixedDelay(
            configuration.get_restart_attempts() or 0, configuration.get_delay_between_attempts_interval()
        )
    if isinstance(configuration, kinds.FailureRateRestartStrategyConfiguration):
        return FailureRate(
            configuration.get_max_failure_rate() or 0,
            configuration.get_failure_interval(),
            configuration.get_delay_between_attempts_interval(),
        )
    if isinstance(configuration, kinds.ExponentialDelayRestartStrategyConfiguration):
        return ExponentialDelay(
            configuration.get_initial_backoff(),
            configuration.get_max_backoff(),
            configuration.get_backoff_multiplier(),
            configuration.get_reset_backoff_threshold(),
            configuration.get_jitter_factor(),
            configuration.get_restart_attempts(),
        )
    return NoRestart()


@dataclass(frozen=True)
class RestartSettings:
    """When a job is started again.

    Attributes:
        strategy: What the user chose; None: the default, which is `NoRestart` without checkpointing and Flink's
            exponential delay with it, and then only after failures that can pass.
        checkpointing: Whether checkpointing is on: an interval is set, or a folder given.
        tolerable_failures: How many epochs in a row may fail, in a way that can pass, and run again at once.
        give_up_after_ms: For so long restarts may bring no commit; 0: for ever; None: `GIVE_UP_AFTER_MS`, and for ever
            where the user chose a strategy, which has a limit of its own.
    """

    strategy: RestartStrategyConfiguration | None = None
    checkpointing: bool = False
    tolerable_failures: int = 0
    give_up_after_ms: int | None = None


@dataclass(frozen=True)
class Verdict:
    """What becomes of a job that has failed.

    Attributes:
        restart: Whether it is started again.
        delay_s: The number of seconds to wait.
        counted: Whether it counts as a restart; a tolerated failure of an epoch does not.
        why: Why, for the log: a clause.
        gave_up: It is not, as its restarts were in vain for too long; a new process may do better.
    """

    restart: bool
    delay_s: float = 0.0
    counted: bool = True
    why: str = ""
    gave_up: bool = False


class RestartPolicy:
    """Judges the failures of one job."""

    def __init__(self, settings: RestartSettings, clock: Clock = time.monotonic) -> None:
        self._settings, self._clock = settings, clock
        chosen = settings.strategy
        if chosen is None:
            default = RestartStrategies.exponential_delay_restart() if settings.checkpointing else None
            chosen = default or RestartStrategies.no_restart()
        self.strategy = strategy_of(chosen)
        self._in_a_row = 0
        limit = settings.give_up_after_ms
        if limit is None:
            limit = GIVE_UP_AFTER_MS if settings.strategy is None else 0
        self._vain_s = limit / 1000
        self._failing_since: float | None = None
        #: Restarts, and epochs that ran again, since the job last did what it should.
        self.in_vain = 0

    def epoch_committed(self) -> None:
        """An epoch was committed: failures before it are no longer in a row."""
        self._in_a_row = 0
        self.nothing_waits()

    def nothing_waits(self) -> None:
        """The job runs, and has nothing to do: the restarts before were not in vain."""
        self._failing_since, self.in_vain = None, 0

    def judge(self, error: BaseException) -> Verdict:
        """What becomes of the job after a failure."""
        if self._failing_since is None:
            self._failing_since = self._clock()
        verdict = self._judge(error)
        if verdict.restart and verdict.counted and self._vain_s and self.in_vain:
            failing_s = self._clock() - self._failing_since
            if failing_s >= self._vain_s:
                return Verdict(
                    False,
                    why=f"it has failed for {failing_s:.0f} s, and {self.in_vain} restarts have brought no commit; a "
                    f"new process may do better ({GIVE_UP_AFTER} is {self._vain_s:g} s)",
                    gave_up=True,
                )
        self.in_vain += verdict.restart
        return verdict

    def _judge(self, error: BaseException) -> Verdict:
        if isinstance(error, CheckpointError):
            return Verdict(False)  # the folder belongs to another job
        transient = is_transient(error)
        if transient and self._in_a_row < self._settings.tolerable_failures:
            self._in_a_row += 1
            return Verdict(
                True,
                counted=False,
                why=f"failure {self._in_a_row} in a row of {self._settings.tolerable_failures} tolerable ones",
            )
        if not transient and self._settings.strategy is None:
            return Verdict(False, why="a restart would not help" if self._settings.checkpointing else "")
        if transient and self._settings.strategy is None and not self._settings.checkpointing:
            return Verdict(False, why=_OFF)
        self._in_a_row = 0
        self.strategy.notify_failure()
        if not self.strategy.can_restart():
            why = f"its restarts are used up. Recovery is suppressed by {self.strategy}"
            return Verdict(False, why="" if isinstance(self.strategy, NoRestart) else why)
        return Verdict(True, self.strategy.delay_s(), why="the failure can pass" if transient else "as was set")


def _ms(interval: timedelta) -> int:
    return interval // timedelta(milliseconds=1)
