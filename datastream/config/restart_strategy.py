"""How often, and after which time, a failed job is started again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from datastream.config.configuration import Configuration
from datastream.errors import ValidationError, cut

_PREFIX = "restart-strategy"
_TYPE = f"{_PREFIX}.type"
_UNLIMITED = 2**31 - 1


class RestartStrategyConfiguration:
    """Base of what `RestartStrategies` returns. They compare by value."""

    def get_description(self) -> str:
        """Return the strategy as text."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))


class RestartStrategies:
    """Where restart strategies are made, for `StreamExecutionEnvironment.set_restart_strategy`."""

    class NoRestartStrategyConfiguration(RestartStrategyConfiguration):
        """A failed job stays failed."""

        def get_description(self) -> str:
            return "Restart deactivated."

    class FallbackRestartStrategyConfiguration(RestartStrategyConfiguration):
        """The strategy of the cluster."""

        def get_description(self) -> str:
            return "Cluster level default restart strategy"

    class FixedDelayRestartStrategyConfiguration(RestartStrategyConfiguration):
        """This number of restarts, each after the same time.

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

    class ExponentialDelayRestartStrategyConfiguration(RestartStrategyConfiguration):
        """Restarts after times that grow from failure to failure. An addition to PyFlink's names.

        Args:
            initial_backoff: The time before the first restart: ms, or a timedelta.
            max_backoff: The longest time before a restart: ms, or a timedelta.
            backoff_multiplier: By how much it grows with each failure; above 1.
            reset_backoff_threshold: After so long without a failure it begins from `initial_backoff` again: ms, or a
                timedelta.
            jitter_factor: By which part it varies at random, from 0 to 1.
            attempts: How many restarts there are before it begins again; unlimited when left out.
        """

        def __init__(
            self,
            initial_backoff: int | timedelta = 1000,
            max_backoff: int | timedelta = 60_000,
            backoff_multiplier: float = 1.5,
            reset_backoff_threshold: int | timedelta = 3_600_000,
            jitter_factor: float = 0.1,
            attempts: int = _UNLIMITED,
        ) -> None:
            self._initial = _interval("initial_backoff", initial_backoff)
            self._max = _interval("max_backoff", max_backoff)
            self._reset = _interval("reset_backoff_threshold", reset_backoff_threshold)
            self._multiplier, self._jitter, self._attempts = backoff_multiplier, jitter_factor, attempts
            for name, value, fits, expected in (
                ("initial_backoff", initial_backoff, _ms(self._initial) >= 1, "at least 1 ms"),
                ("max_backoff", max_backoff, self._max >= self._initial, "at least initial_backoff"),
                ("backoff_multiplier", backoff_multiplier, backoff_multiplier > 1, "above 1"),
                ("reset_backoff_threshold", reset_backoff_threshold, _ms(self._reset) >= 1, "at least 1 ms"),
                ("jitter_factor", jitter_factor, 0 <= jitter_factor <= 1, "from 0 to 1"),
                ("attempts", attempts, attempts >= 1, "at least 1"),
            ):
                if not fits:
                    raise ValidationError(f"exponential-delay: {name} must be {expected}, got {cut(value)}")

        def get_initial_backoff(self) -> timedelta:
            """Return the time before the first restart."""
            return self._initial

        def get_max_backoff(self) -> timedelta:
            """Return the longest time before a restart."""
            return self._max

        def get_backoff_multiplier(self) -> float:
            """Return by how much the time grows with each failure."""
            return self._multiplier

        def get_reset_backoff_threshold(self) -> timedelta:
            """Return how long there must be no failure for the time to begin again."""
            return self._reset

        def get_jitter_factor(self) -> float:
            """Return by which part the time varies at random."""
            return self._jitter

        def get_restart_attempts(self) -> int:
            """Return how many restarts there are before the time begins again."""
            return self._attempts

        def get_description(self) -> str:
            return (
                f"Restart with exponential delay: starting at {_ms(self._initial)} ms, increasing by "
                f"{self._multiplier}, with maximum {_ms(self._max)} ms."
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
        """This number of restarts, each after the same time (ms, or a timedelta)."""
        return RestartStrategies.FixedDelayRestartStrategyConfiguration(restart_attempts, delay_between_attempts)

    @staticmethod
    def failure_rate_restart(
        failure_rate: int, failure_interval: int | timedelta, delay_interval: int | timedelta
    ) -> FailureRateRestartStrategyConfiguration:
        """Restarts as long as a span (ms, or a timedelta) has no more failures than `failure_rate`."""
        return RestartStrategies.FailureRateRestartStrategyConfiguration(failure_rate, failure_interval, delay_interval)

    @staticmethod
    def exponential_delay_restart(
        initial_backoff: int | timedelta = 1000,
        max_backoff: int | timedelta = 60_000,
        backoff_multiplier: float = 1.5,
        reset_backoff_threshold: int | timedelta = 3_600_000,
        jitter_factor: float = 0.1,
    ) -> ExponentialDelayRestartStrategyConfiguration:
        """Restarts after times that grow. An addition to PyFlink's names; defaults are Flink's."""
        return RestartStrategies.ExponentialDelayRestartStrategyConfiguration(
            initial_backoff, max_backoff, backoff_multiplier, reset_backoff_threshold, jitter_factor
        )


def read_restart_strategy(configuration: Configuration) -> RestartStrategyConfiguration | None:
    """Return the strategy that Flink's keys ``restart-strategy.*`` name; None: they name none.

    Raises:
        ValidationError: The type is unknown, or a value is wrong.
    """
    kind = configuration.get_string(_TYPE, configuration.get_string(_PREFIX, "")).strip().lower()
    number, duration = configuration.get_integer, configuration.get_duration_ms
    fixed, rate, growing = (f"{_PREFIX}.{name}." for name in ("fixed-delay", "failure-rate", "exponential-delay"))
    if not kind:
        return None
    if kind in ("none", "off", "disable"):
        return RestartStrategies.no_restart()
    if kind in ("fixeddelay", "fixed-delay"):
        return RestartStrategies.fixed_delay_restart(number(fixed + "attempts", 1), duration(fixed + "delay", 1000))
    if kind in ("failurerate", "failure-rate"):
        return RestartStrategies.failure_rate_restart(
            number(rate + "max-failures-per-interval", 1),
            duration(rate + "failure-rate-interval", 60_000),
            duration(rate + "delay", 1000),
        )
    if kind in ("exponentialdelay", "exponential-delay"):
        return RestartStrategies.ExponentialDelayRestartStrategyConfiguration(
            duration(growing + "initial-backoff", 1000),
            duration(growing + "max-backoff", 60_000),
            configuration.get_float(growing + "backoff-multiplier", 1.5),
            duration(growing + "reset-backoff-threshold", 3_600_000),
            configuration.get_float(growing + "jitter-factor", 0.1),
            number(growing + "attempts-before-reset-backoff", _UNLIMITED),
        )
    raise ValidationError(
        f"Config '{_TYPE}' is {cut(kind)}: expected none, off, disable, fixed-delay, failure-rate or exponential-delay."
    )


def write_restart_strategy(configuration: Configuration, strategy: RestartStrategyConfiguration) -> None:
    """Set the keys ``restart-strategy.*`` to a strategy.

    Raises:
        ValidationError: It is none of `RestartStrategies`.
    """
    kinds = RestartStrategies
    configuration.remove_config(_PREFIX)
    if isinstance(strategy, kinds.FallbackRestartStrategyConfiguration):
        configuration.remove_config(_TYPE)
    elif isinstance(strategy, kinds.NoRestartStrategyConfiguration):
        configuration.set_string(_TYPE, "none")
    elif isinstance(strategy, kinds.FixedDelayRestartStrategyConfiguration):
        configuration.set_string(_TYPE, "fixed-delay")
        _write(
            configuration,
            "fixed-delay",
            {
                "attempts": strategy.get_restart_attempts(),
                "delay": _ms(strategy.get_delay_between_attempts_interval()),
            },
        )
    elif isinstance(strategy, kinds.FailureRateRestartStrategyConfiguration):
        configuration.set_string(_TYPE, "failure-rate")
        _write(
            configuration,
            "failure-rate",
            {
                "max-failures-per-interval": strategy.get_max_failure_rate(),
                "failure-rate-interval": _ms(strategy.get_failure_interval()),
                "delay": _ms(strategy.get_delay_between_attempts_interval()),
            },
        )
    elif isinstance(strategy, kinds.ExponentialDelayRestartStrategyConfiguration):
        configuration.set_string(_TYPE, "exponential-delay")
        _write(
            configuration,
            "exponential-delay",
            {
                "initial-backoff": _ms(strategy.get_initial_backoff()),
                "max-backoff": _ms(strategy.get_max_backoff()),
                "backoff-multiplier": strategy.get_backoff_multiplier(),
                "reset-backoff-threshold": _ms(strategy.get_reset_backoff_threshold()),
                "jitter-factor": strategy.get_jitter_factor(),
                "attempts-before-reset-backoff": strategy.get_restart_attempts(),
            },
        )
    else:
        raise ValidationError(
            f"set_restart_strategy needs a strategy such as RestartStrategies.fixed_delay_restart(3, 1000), "
            f"got {cut(strategy)}"
        )


def _write(configuration: Configuration, kind: str, options: dict[str, float | None]) -> None:
    for name, value in options.items():
        if value is not None:
            configuration.set_string(f"{_PREFIX}.{kind}.{name}", str(value))


def _interval(name: str, given: Any) -> timedelta:
    if isinstance(given, timedelta):
        return given
    if isinstance(given, bool) or not isinstance(given, int):
        raise ValidationError(f"RestartStrategies: {name} must be a number of ms or a timedelta, got {cut(given)}")
    return timedelta(milliseconds=given)


def _ms(interval: timedelta) -> int:
    return interval // timedelta(milliseconds=1)
