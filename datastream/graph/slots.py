"""Where the content of a key keeps what is an operator's own. Names of user states are texts: no other thing is one.

Each host of windows has a slot of its own, which also names what its form depends on, so that what another program has
stored is not taken for something else: such a slot is a tuple that begins with the number.
"""

from __future__ import annotations

from .state_forms import Slot

#: Timers; the values of `TimeDomain`.
EVENT_TIME = 0
PROCESSING_TIME = 1
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
#: OVER windows: rows that wait for their time, those that later ones may be over, accumulators.
ROWS_OF_OVER = 25
#: The first rows of each key, in order.
ROWS_OF_RANK = 26
#: Joins with the versions of a table: the rows that wait, and the versions by time.
VERSIONS = 27
#: Patterns of rows: rows that wait for their time, those that matches may need, and matches that are not complete.
ROWS_OF_MATCHES = 28

TIMERS = (
    Slot(EVENT_TIME, "(event-time timers)", timers=True),
    Slot(PROCESSING_TIME, "(processing-time timers)", timers=True),
)

OF_WINDOWS = (
    Slot(WINDOWS, "(windows)"),
    Slot(EVENT_TIMERS, "(event timers)"),
    Slot(PROCESSING_TIMERS, "(processing timers)"),
    Slot(WINDOW_STATES, "(window states)"),
    Slot(STARTS, "(starts)"),
    Slot(PANES, "(panes)"),
    Slot(SESSIONS, "(sessions)"),
    Slot(COUNTED, "(counted)"),
)
