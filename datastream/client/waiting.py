"""When to look at something that takes its time."""

from __future__ import annotations

import time
from collections.abc import Iterator

_FIRST_WAIT_S = 0.1
#: The longest time between two looks, in seconds.
LONGEST_WAIT_S = 1.0


def looks(timeout_s: float | None = None) -> Iterator[None]:
    """Yields at each moment at which to look: often at first. Ends when the time is over.

    Args:
        timeout_s: After this time, a last look; None means without an end.
    """
    wait_s, until = _FIRST_WAIT_S, None if timeout_s is None else time.monotonic() + timeout_s
    while True:
        yield
        left_s = wait_s if until is None else until - time.monotonic()
        if left_s <= 0:
            return
        time.sleep(min(wait_s, left_s))
        wait_s = min(wait_s * 1.3, LONGEST_WAIT_S)
