"""The names under which entries of state lie, besides the uids of their operators."""

from __future__ import annotations


def function_states(uid: str) -> str:
    """Where the states of the function of a running aggregate lie.

    Args:
        uid: The operator's; the aggregates lie there.
    """
    return f"{uid}\0function"


def logs_of(uid: str) -> tuple[str, ...]:
    """Where logs of an operator may lie."""
    return windows_of(uid), side_of(uid, 0), side_of(uid, 1)


def windows_of(uid: str) -> str:
    """Where the logs of an operator's windows lie, a bucket for each end."""
    return f"{uid}\0windows"


def side_of(uid: str, side: int) -> str:
    """Where the logs of the rows of a join's side lie."""
    return f"{uid}\0{('left', 'right')[side]}"
