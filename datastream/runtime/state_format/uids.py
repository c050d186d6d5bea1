"""The names under which entries of state lie, besides the uids of their operators."""

from __future__ import annotations


def function_states(uid: str) -> str:
    """Where the states of the function of a running aggregate lie.

    Args:
        uid: The operator's; the aggregates lie there.
    """
    return f"{uid}\0function"
