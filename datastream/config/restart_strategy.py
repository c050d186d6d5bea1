"""How often a failed job would be started again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.without_effect import class_without_effect

_NO_RESTARTS = (
    "a failed job ends, after Spark's own retries of its tasks (spark.task.maxFailures). Start it again with the same "
    "--checkpoint-dir: it continues from its last committed epoch"
)


class RestartStrategyConfiguration:
    """Base of what `RestartStrategies` gives. They compare by value."""

    def get_description(self) -> str:
        """Return the strategy as text."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))


class RestartStrategies:
    """Where restart strategies are made. Kept as data, without effect."""

    @class_without_effect(_NO_RESTARTS)
    class NoRestartStrategyConfiguration(RestartStrategyConfiguration):
        """A failed job stays failed."""

        def get_description(self) -> str:
            return "Restart deactivated."

    @class_without_effect(_NO_RESTARTS)
    class FallbackRestartStrategyConfiguration(RestartStrategyConfiguration):
        """The strategy of the cluster."""

        def get_description(self) -> str:
            return "Cluster level default restart strategy"

    @class_without_effect(_NO_RESTARTS)
    class FixedDelayRestartStrategyConfiguration(RestartStrategyConfiguration):
        """So many restarts, each after the same time.

        Args:
            restart_attempts: How many.
            delay_between_attempts_interval: ms, or a timedelta.
        """

        def __init__(
            self, restart_attempts: int | None = None, delay_between_attempts_interval: int | timedelta | None = None
        ) -> None:
            self._attempts = restart_attempts
            self._delay = _interval("delay_between_attempts_interval", delay_between_attempts_interval)

        def get_restart_attempts(self) -> int | None:
            """Return how many restarts there are."""
            return self._attempts

        def get_delay_between_attempts_interval(self) -> timedelta:
            """Return the time before a restart."""
            return self._delay

        def get_description(self) -> str:
            return f"Restart with fixed delay ({_ms(self._delay)} ms). #{self._attempts} restart attempts."

    @class_without_effect(_NO_RESTARTS)
    class FailureRateRestartStrategyConfiguration(RestartStrategyConfiguration):
        """Restarts as long as there are not too many failures in a span of time.

        Args:
            max_failure_rate: How many failures a span may have.
            failure_interval: The span: ms, or a timedelta.
            delay_between_attempts_interval: ms, or a timedelta.
        """

        def __init__(
            self,
            max_failure_rate: int | None = None,
            failure_interval: int | timedelta | None = None,
            delay_between_attempts_interval: int | timedelta | None = None,
        ) -> None:
            self._rate = max_failure_rate
            self._span = _interval("failure_interval", failure_interval)
            self._delay = _interval("delay_between_attempts_interval", delay_between_attempts_interval)

        def get_max_failure_rate(self) -> int | None:
            """Return how many failures a span may have."""
            return self._rate

        def get_failure_interval(self) -> timedelta:
            """Return the span."""
            return self._span

        def get_delay_between_attempts_interval(self) -> timedelta:
            """Return the time before a restart."""
            return self._delay

        def get_description(self) -> str:
            return (
                f"Failure rate restart with maximum of {self._rate} failures within interval {_ms(self._span)} ms "
                f"and fixed delay {_ms(self._delay)} ms."
            )

    @staticmethod
    def no_restart() -> NoRestartStrategyConfiguration:
        """A failed job stays failed."""
        return RestartStrategies.NoRestartStrategyConfiguration()

    @staticmethod
    def fall_back_restart() -> FallbackRestartStrategyConfiguration:
        """The strategy of the cluster."""
        return RestartStrategies.FallbackRestartStrategyConfiguration()

    @staticmethod
    def fixed_delay_restart(
        restart_attempts: int, delay_between_attempts: int | timedelta
    ) -> FixedDelayRestartStrategyConfiguration:
        """So many restarts, each after the same time (ms, or a timedelta)."""
        return RestartStrategies.FixedDelayRestartStrategyConfiguration(restart_attempts, delay_between_attempts)

    @staticmethod
    def failure_rate_restart(
        failure_rate: int, failure_interval: int | timedelta, delay_interval: int | timedelta
    ) -> FailureRateRestartStrategyConfiguration:
        """Restarts as long as a span (ms, or a timedelta) has no more failures than `failure_rate`."""
        return RestartStrategies.FailureRateRestartStrategyConfiguration(failure_rate, failure_interval, delay_interval)


def _interval(name: str, given: Any) -> timedelta:
    if isinstance(given, timedelta):
        return given
    if isinstance(given, bool) or not isinstance(given, int):
        raise ValidationError(f"RestartStrategies: {name} must be a number of ms or a timedelta, got {cut(given)}")
    return timedelta(milliseconds=given)


def _ms(interval: timedelta) -> int:
    return interval // timedelta(milliseconds=1)
