"""All mistakes, by topic."""

from __future__ import annotations

from tests.mistakes import event_time, functions, running, state, types_and_keys

TOPICS = (running, functions, types_and_keys, event_time, state)

MISTAKES = tuple(mistake for topic in TOPICS for mistake in topic.MISTAKES)
