"""A store in memory that counts, and keyed states over it with a clock of the test's own."""

from __future__ import annotations

from datastream.functions import AggregateFunction
from datastream.runtime.keyed_state import KeyedStates
from datastream.types import Types

ANY = Types.PICKLED_BYTE_ARRAY()


class MemoryStore:
    copies = None
    metered = True  # so that what is kept is weighed in all tests

    def __init__(self):
        self.entries = {}
        self.read = []
        self.written = []

    def get(self, keys):
        self.read += keys
        return [self.entries.get(k) for k in keys]

    def put(self, entries):
        self.written += [key for key, _ in entries]
        self.entries.update(entries)

    def delete(self, keys):
        for key in keys:
            self.entries.pop(key, None)


class Sum(AggregateFunction):
    """Keeps [sum], gives the sum as a text."""

    def create_accumulator(self):
        return [0]

    def add(self, value, accumulator):
        accumulator[0] += value
        return accumulator

    def get_result(self, accumulator):
        return str(accumulator[0])

    def merge(self, acc_a, acc_b):
        raise NotImplementedError


class Keyed:
    """Keyed states over a store; `at` puts a key in hand."""

    def __init__(self, store=None, groups=8, now=0):
        self.store = MemoryStore() if store is None else store
        self.groups, self.now = groups, now
        self.states = KeyedStates(lambda: self.now)
        self.timers = self.states.timers
        self.begin()

    def begin(self, groups=None):
        self.states.begin(self.store, "uid", self.groups, range(self.groups) if groups is None else groups)

    def at(self, key):
        self.states.load([key])
        self.states.cell.key, self.states.cell.content = key, self.states.values[key]

    def next_epoch(self, groups=None):
        self.states.flush()
        self.begin(groups)

    def fired(self, domain, time):
        return list(self.states.fire(domain, time))
