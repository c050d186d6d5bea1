"""How long brokers may be away."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from .errors import BrokersAway, KafkaFailure, explain, is_passing
from .log import LOGGER
from .properties import whole_number

#: Java's clients give up after 60 s; restarting a cluster's brokers often takes longer.
DEFAULT_MS = 120_000

_QUIET_S = 5.0
_LOOK_S = 1.0


class AnswerDeadline:
    """Goes on when brokers are away, with a warning, until ``default.api.timeout.ms`` have passed.

    Args:
        properties: The client's. Default of ``default.api.timeout.ms``: 120,000.
        at_most_ms: A lower limit, whatever the properties say.

    Raises:
        ValidationError: the timeout is no whole number.
    """

    def __init__(self, properties: Mapping[str, Any], at_most_ms: int | None = None) -> None:
        self._properties = properties
        limit_ms = whole_number(properties, "default.api.timeout.ms", DEFAULT_MS)
        self._limit_s = (limit_ms if at_most_ms is None else min(limit_ms, at_most_ms)) / 1000
        self._at_start = at_most_ms is not None
        self._since: float | None = None
        self._looked_at = 0.0
        self._warned = False
        self._reason: Any = None

    @property
    def brokers(self) -> Any:
        """The addresses, for texts."""
        return self._properties.get("bootstrap.servers")

    def failed(self, doing: str, error: Any = None) -> None:
        """Note that a try failed.

        Args:
            doing: What was tried.
            error: The KafkaError; None: there was no answer.

        Raises:
            KafkaFailure: it will not pass.
            BrokersAway: it has lasted too long.
        """
        self._reason = self._reason if error is None else error
        if error is not None and not is_passing(error):
            raise KafkaFailure(explain(error, doing, self._properties))
        now = time.monotonic()
        self._since = self._since or now
        away = now - self._since
        if away >= self._limit_s:
            why = f"Kafka: cannot {doing}: no answer from {self.brokers}"
            if self._reason is not None:
                why = explain(self._reason, doing, self._properties)
            text = f"{why}. Tried for {away:.0f} s"
            if not self._at_start:
                text += (
                    ", as default.api.timeout.ms says. Nothing is lost: a job with a checkpoint goes on where it was"
                )
            raise BrokersAway(text)
        if not self._warned and (away >= _QUIET_S or error is not None):
            self._warned = True
            why = "no answer" if self._reason is None else self._reason.name()
            LOGGER.warning(
                "cannot %s at %s: %s; trying again for %.0f s", doing, self.brokers, why, self._limit_s - away
            )

    def is_silent(self) -> bool:
        """Whether it is time to find out why there is no answer: after a second, then every few."""
        now = time.monotonic()
        if self._since is None or now - self._since < _LOOK_S or now - self._looked_at < _QUIET_S:
            return False
        self._looked_at = now
        return True

    def worked(self) -> None:
        """Note that a try succeeded."""
        if self._since is not None:
            if self._warned:
                LOGGER.warning("%s answers again after %.1f s", self.brokers, time.monotonic() - self._since)
            self._since, self._warned, self._reason = None, False, None
