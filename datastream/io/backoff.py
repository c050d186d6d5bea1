"""How long to wait before something is tried again."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from logging import Logger
from typing import Any, TypeVar

from datastream.errors import ValidationError

T = TypeVar("T")


@dataclass(frozen=True)
class Backoff:
    """Pauses that grow from one try to the next.

    Attributes:
        retries: How often it is tried again; 0: never.
        initial_ms: The first pause.
        factor: How much longer each pause is than the one before; 1: all are the same.
        max_ms: No pause is longer.
        jitter: By what part of itself a pause may be shorter, so that not all subtasks come back at once.

    Raises:
        ValidationError: A negative number, a factor below 1, a jitter above 1.
    """

    retries: int = 8
    initial_ms: float = 100
    factor: float = 2.0
    max_ms: float = 5_000
    jitter: float = 0.2

    def __post_init__(self) -> None:
        if self.retries < 0 or self.initial_ms < 0 or self.max_ms < 0 or self.factor < 1 or not 0 <= self.jitter <= 1:
            raise ValidationError(
                f"{self!r}: retries and pauses must be at least 0, the factor at least 1, the jitter between 0 and 1"
            )

    def pauses_s(self) -> Iterator[float]:
        """The pauses in seconds, one for each retry."""
        pause = self.initial_ms
        for _ in range(self.retries):
            yield min(pause, self.max_ms) * (1 - random.random() * self.jitter) / 1000
            pause = min(pause * self.factor, self.max_ms)


def again(
    call: Callable[[], T],
    close: Callable[[], None],
    backoff: Backoff,
    logger: Logger,
    what: str,
    retried: Callable[[], Any] = lambda: None,
) -> T:
    """The result of a call that is made again when the system is away or has no room.

    Args:
        call: The call.
        close: Ends the connection; called after each failure.
        backoff: Tries, and the pauses between them.
        logger: Gets a warning before each pause.
        what: Begins the warning, such as ``the log is tried again``.
        retried: Called before each pause.

    Raises:
        ConnectionError, TimeoutError: It failed as often as it may.
    """
    pauses = backoff.pauses_s()
    while True:
        try:
            return call()
        except (ConnectionError, TimeoutError) as error:
            close()
            pause = next(pauses, None)
            if pause is None:
                raise
            retried()
            logger.warning("%s in %.1f s: %s", what, pause, error)
            time.sleep(pause)
