"""Where the content of a key keeps what belongs to its windows. Names of user states are texts: no other thing is one.

Each host has a slot of its own, which also names what its form depends on, so that what another program has stored is
not taken for something else.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from datastream.errors import ValidationError
from datastream.graph import Operator

#: `WindowHost`: by window, what is in it and its trigger's state.
WINDOWS = 2
#: `WindowHost`: the windows of each timer of event time, and of processing time.
EVENT_TIMERS = 3
PROCESSING_TIMERS = 4
#: All hosts: by window, the states of `ProcessWindowFunction.Context.window_state`.
WINDOW_STATES = 5
#: `TimeWindowHost`: by start of a window, what is in it.
STARTS = 6
#: `PaneWindowHost`: panes and windows.
PANES = 7
#: `SessionWindowHost`: sessions in order of time.
SESSIONS = 8
#: `CountWindowHost`: the number of records so far, and what is in the window that is not full.
COUNTED = 9
#: Aggregates of tables by sliding, growing, session and given windows: by window, what is in it.
OPEN_WINDOWS = 20
#: Joins of tables within windows: by window, the rows of both sides.
ROWS_OF_WINDOWS = 21
#: Interval joins of tables: the rows of both sides in order of time.
ROWS_BY_TIME = 22
#: Sinks whose key is not the query's: the rows that have a key, in order, and the one that is shown.
ROWS_OF_SINK = 23
SHOWN_BY_SINK = 24


def user_states(content: dict[Any, Any]) -> dict[Any, Any]:
    """What the user's functions keep of a key, other than by window."""
    return {slot: stored for slot, stored in content.items() if type(slot) is str}


def refuse_others(op: Operator, content: dict[Any, Any], own: frozenset[Hashable]) -> None:
    """Refuse what a window operator of another kind has stored.

    Args:
        op: The operator, for the message.
        content: Of a key.
        own: The slots that the host knows.

    Raises:
        ValidationError: There is such a thing.
    """
    for slot in content:
        if type(slot) is not str and slot not in own:
            raise ValidationError(
                f"the state of '{op.name}' was written for other windows, or for another way to fire them; it cannot "
                "be taken over: give the operator a new uid, and it starts without state"
            )
