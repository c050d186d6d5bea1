"""Drives a window host as a task does, in epochs cut anywhere, so that all of its state goes through the store."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from datastream.functions import AggregateFunction, OutputTag, WindowFunction
from datastream.graph.operators import Window
from datastream.runtime.hosts.host import Setting
from datastream.runtime.hosts.windows import window_host
from datastream.runtime.hosts.windows.general import WindowHost
from datastream.runtime.state_format import decode
from datastream.runtime.state_format.records import CONTENTS_HEAD
from datastream.time import MAX_WATERMARK, MIN_WATERMARK
from datastream.windows.operation import WindowOperation
from tests.support.windows.reference import Clock, Record, ReferenceWindowOperator, Watermark

LATE = OutputTag("late")
GROUPS = range(4)
END = Watermark(MAX_WATERMARK)
CUT = "cut"  # an event: here one epoch ends and another begins


class Memory:
    """A store in a dict."""

    metered = False
    copies = None

    def __init__(self) -> None:
        self.entries: dict[bytes, bytes] = {}

    def get(self, keys):
        return [self.entries.get(key) for key in keys]

    def put(self, entries):
        self.entries.update(entries)

    def delete(self, keys):
        for key in keys:
            self.entries.pop(key, None)


class Driven:
    """One subtask of a window operator.

    Args:
        operation: What it does.
        general: By the host that runs anything, not by the one that is chosen.
        batch: In batch mode.
    """

    def __init__(self, operation: WindowOperation, general: bool = False, batch: bool = False) -> None:
        self.now = MIN_WATERMARK
        self.operation = operation
        self.general = general
        self.setting = Setting(len(GROUPS), clock=lambda: self.now, batch=batch)
        self.store = Memory()
        self.watermark = MIN_WATERMARK
        self.next_timer: int | None = None
        self.start()

    def start(self) -> None:
        """As after a restart: from what is in the store."""
        operation = pickle.loads(pickle.dumps(self.operation)) if self.picklable() else replace(self.operation)
        op = Window(0, "Window", operation)
        self.host: Any = (WindowHost if self.general else window_host)(op, self.setting)
        self.host.begin(self.store, GROUPS, self.watermark)

    def picklable(self) -> bool:
        try:
            pickle.dumps(self.operation)
        except (pickle.PicklingError, AttributeError):
            return False
        return True

    def cut(self, restart: bool = False) -> None:
        self.next_timer = self.host.flush()
        if restart:
            self.start()
        else:
            self.host.begin(self.store, GROUPS, self.watermark)

    def restore(self) -> None:
        """As a job that starts from a savepoint: with the state, without a watermark."""
        self.host.flush()
        self.watermark = MIN_WATERMARK
        self.start()

    def feed(self, events: Iterable[Any]) -> list[tuple[Any, int | None]]:
        """What comes out, with its timestamps."""
        out: list[tuple[Any, int | None]] = []
        block: list[Record] = []
        for event in [*events, None]:
            if isinstance(event, Record):
                block.append(event)
                continue
            if block:
                out += self.process(block)
                block = []
            if event == CUT:
                self.cut(restart=len(out) % 2 == 0)
            elif isinstance(event, Watermark) and event.time > self.watermark:
                self.watermark = event.time
                out += _flat(self.host.advance(event.time))
            elif isinstance(event, Clock) and event.time > self.now:
                self.now = event.time
                out += _flat(self.host.tick(event.time))
        return out

    def process(self, block: list[Record]) -> list[tuple[Any, int | None]]:
        keys, records, times = zip(*((r.key, r.value, r.timestamp) for r in block), strict=True)
        given = None if all(time is None for time in times) else list(times)
        return _flat([self.host.process(0, list(records), list(keys), given)])

    def end(self) -> list[tuple[Any, int | None]]:
        out = self.feed([END])
        out += _flat(self.host.end())
        self.next_timer = self.host.flush()
        return out


def _flat(chunks: Iterable[Any]) -> list[tuple[Any, int | None]]:
    return [pair for records, times in chunks for pair in zip(records, times, strict=True)]


# -- functions whose results show which records were in a window, in which order ------------------------------


class Show(WindowFunction):
    """(key, window, elements)."""

    def apply(self, key, window, inputs):
        yield key, window, tuple(inputs)


class Whole(AggregateFunction):
    """Keeps a list, in place; the result is a tuple of the records."""

    def create_accumulator(self):
        return []

    def add(self, value, accumulator):
        accumulator += value
        return accumulator

    def get_result(self, accumulator):
        return tuple(accumulator)

    def merge(self, acc_a, acc_b):
        acc_a += acc_b
        return acc_a


class WholeWithoutMerge(Whole):
    """`merge` as people write it who never use sessions."""

    def merge(self, acc_a, acc_b):
        raise NotImplementedError("not needed")


def concatenate(one, other):
    return one + other


def run(operation: WindowOperation, events: Iterable[Any], general: bool = False) -> list[tuple[Any, int | None]]:
    """The results of a sequence of events."""
    return Driven(operation, general).feed(events)


def assert_like_the_reference(operation: WindowOperation, events: list[Any], general: bool = False) -> None:
    """Each event gives what it gives in the reference, in an order that differs between windows at most.

    Values of the records are tuples of one element; the operation's incremental function joins tuples, if it has one.
    """
    folded = operation.incremental is not None
    operation = replace(operation, late_tag=LATE, function=Show())

    def show(key, window, values):
        return [(key, window, (sum(values, ()),) if folded and values else tuple(values))]

    model = ReferenceWindowOperator(
        operation.assigner, operation.trigger, operation.evictor, operation.allowed_lateness, show
    )
    driven = Driven(operation, general)
    block: list[Record] = []
    for event in [*events, None]:
        if isinstance(event, Record):
            block.append(event)
            continue
        seen = (len(model.outcome.results), len(model.outcome.late))
        for record in block:
            model.feed(record)
        if event is not None and event != CUT:
            model.feed(event)
        expected: list[Any] = [(r.value, r.timestamp) for r in model.outcome.results[seen[0] :]]
        expected += [((LATE, r.value), r.timestamp) for r in model.outcome.late[seen[1] :]]
        given = driven.feed([*block, event])
        block = []
        assert Counter(given) == Counter(expected), event
        assert by_window(given) == by_window(expected)
    assert not model.contents or driven.store is not None
    driven.cut()
    if not model.contents and not model.trigger_state and not model.timers and not model.key_state:
        assert not any(model.sessions.values())
        assert driven.store.entries.keys() <= _empty_entries(driven)


def by_window(results: list[Any]) -> dict[Any, list[Any]]:
    """The results of each window of a key, in order."""
    found: dict[Any, list[Any]] = {}
    for result in results:
        found.setdefault(result[0][:2], []).append(result)
    return found


def _empty_entries(driven: Driven) -> set[bytes]:
    """The entries that hold no key."""
    empty = set()
    for key, data in driven.store.entries.items():
        summary, head = key[8:12] == b"\xff\xff\xff\xff", key[12:] == bytes(4)
        if summary or (head and not decode(CONTENTS_HEAD, data)[1]):
            empty.add(key)
    return empty
