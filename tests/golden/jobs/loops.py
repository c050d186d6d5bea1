"""A loop with an exchange: records are being fed back where the first run ends."""

from __future__ import annotations

from datastream.functions import KeyedProcessFunction
from datastream.state import ValueStateDescriptor
from datastream.types import Types

from .halted import COUNT, Until

#: How often each number goes round.
ROUNDS = 4


class Visits(KeyedProcessFunction):
    """Numbers the visits of each key."""

    def open(self, runtime_context):
        self.visits = runtime_context.get_state(ValueStateDescriptor("visits", Types.LONG()))

    def process_element(self, value, ctx):
        visit = (self.visits.value() or 0) + 1
        self.visits.update(visit)
        yield value[0], value[1] + 1, visit


class Begun:
    """(number, rounds so far)."""

    def __call__(self, number):
        return number, 0


class Again:
    """Those that go round once more."""

    def __call__(self, visited):
        return visited[1] < ROUNDS


class Pair:
    """Without the number of visits."""

    def __call__(self, visited):
        return visited[:2]


def first(pair):
    """The number."""
    return pair[0]


def build(env, limit=None):
    """The stream of all results.

    Args:
        env: The environment.
        limit: The number at which the job fails.
    """
    env.set_parallelism(2)
    numbers = env.from_sequence(0, COUNT - 1).uid("numbers").map(Until(limit))
    loop = numbers.map(Begun()).iterate().uid("loop")
    visited = loop.key_by(first).process(Visits()).uid("visits")
    loop.close_with(visited.filter(Again()).map(Pair()))
    return visited
