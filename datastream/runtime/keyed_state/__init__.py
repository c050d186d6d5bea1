"""Keyed state and timers of one operator: what `RuntimeContext` and `TimerService` give to functions.

What a key keeps is one dict, its **content**, which lives in a page (`datastream.runtime.pages`): the stored form of
each state by the state's name, and under 0 and 1 the sorted timers of event and processing time. A `Cell` points at
the content of the key in hand, so that one handle of a state serves all keys.
"""

from .isolation import all_fixed, apart, detached
from .states import KeyedStates

__all__ = ["KeyedStates", "all_fixed", "apart", "detached"]
