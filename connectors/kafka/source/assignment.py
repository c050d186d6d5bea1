"""How the records of an epoch are shared out among partitions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def divide_budget(backlog: Mapping[K, int], budget: int) -> dict[K, int]:
    """How many records of each partition the next epoch should read, in proportion to its backlog.

    So all partitions catch up at the same time. Each with a backlog gets at least one record, so with more partitions
    than `budget` the sum is their number.

    Args:
        backlog: Records that wait, by partition. Partitions with none get none.
        budget: About how many records in all.
    """
    waiting = {key: count for key, count in backlog.items() if count > 0}
    total = sum(waiting.values())
    if total <= budget:
        return waiting
    budget = max(budget, len(waiting))
    given = {key: max(count * budget // total, 1) for key, count in waiting.items()}
    # Rounding down leaves a few over, and the ones that had to be rounded up may have taken too many.
    left = budget - sum(given.values())
    for key in sorted(waiting, key=lambda key: waiting[key], reverse=True):
        change = min(max(left, 1 - given[key]), waiting[key] - given[key])
        given[key] += change
        left -= change
    return given
