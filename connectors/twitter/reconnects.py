"""How long a source waits before it connects again, by X's rules for clients."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.errors import ValidationError

_MOST_DOUBLINGS = 4


@dataclass(frozen=True)
class Reconnects:
    """Pauses before a stream is connected again. The defaults are what X asks for.

    Attributes:
        network_step_ms: After a broken connection it is tried at once, then each pause is so much longer.
        network_most_ms: And never longer than this.
        server_first_ms: The first pause after a status of 500 or more; each is twice the one before.
        server_most_ms: And never longer than this.
        limit_first_ms: The first pause after a status of 429 that does not say when to come back; each is twice the one
            before, up to 16 times the first.
        stall_ms: A connection that brings nothing for so long is broken: X sends at least an empty line every 20 s.
        patience_ms: The job fails if no connection came about for so long.
        first_patience_ms: The same before the first connection of a run.

    Raises:
        ValidationError: A pause is negative.
    """

    network_step_ms: float = 250
    network_most_ms: float = 16_000
    server_first_ms: float = 5_000
    server_most_ms: float = 320_000
    limit_first_ms: float = 60_000
    stall_ms: float = 25_000
    patience_ms: float = 300_000
    first_patience_ms: float = 30_000

    def __post_init__(self) -> None:
        if min(vars(self).values()) < 0 or self.stall_ms <= 0:
            raise ValidationError(f"{self!r}: pauses must be at least 0, and stall_ms more")


class Pauses:
    """The pauses of one source; they begin anew when a connection brings something.

    Args:
        rules: What they are.
    """

    def __init__(self, rules: Reconnects) -> None:
        self._rules = rules
        self.begin_anew()

    def begin_anew(self) -> None:
        """A connection works."""
        self._network = self._server = self._limit = 0

    def after_broken_connection_s(self) -> float:
        """0, then longer by a step each time."""
        pause = min(self._network * self._rules.network_step_ms, self._rules.network_most_ms)
        self._network += 1
        return pause / 1000

    def after_server_error_s(self) -> float:
        """Twice as long each time."""
        pause = min(self._rules.server_first_ms * float(2**self._server), self._rules.server_most_ms)
        self._server += 1
        return pause / 1000

    def after_limit_s(self) -> float:
        """Twice as long each time."""
        pause = self._rules.limit_first_ms * float(2 ** min(self._limit, _MOST_DOUBLINGS))
        self._limit += 1
        return pause / 1000
