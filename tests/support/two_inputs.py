"""Drives a host of two inputs through epochs that are cut wherever the test says."""

from __future__ import annotations

import cloudpickle

from datastream.functions import OutputTag
from datastream.graph.operators import CoProcess, KeyedCoProcess
from datastream.runtime.hosts import Setting
from datastream.time import MAX_WATERMARK, MIN_WATERMARK
from tests.support.keyed_harness import MemoryStore


class Clock:
    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now


class Driver:
    """Runs a program: a list of steps, cut into epochs.

    A step is ``(side, record, key, time)``, ``("watermark", time)``, ``("clock", time)`` or ``"cut"``; "cut" ends the
    epoch, and lets a new host, with new functions, go on with what is in the store.

    Attributes:
        out: (record, timestamp) of the main output, in order.
        sides: The same by the id of a side output.
    """

    def __init__(self, host, function, kind=KeyedCoProcess, instance=None, groups=4, batch=False, **fields):
        self.make, self.groups = host, groups
        if issubclass(kind, CoProcess):
            fields["instance"] = instance or function
        op = kind(0, "op", function, **fields)
        self.op = cloudpickle.dumps(op)
        self.clock = Clock()
        self.setting = Setting(groups, True, batch, self.clock)
        self.store = MemoryStore()
        self.watermark = MIN_WATERMARK
        self.out, self.sides = [], {}
        self.next_timer = None
        self.late_dropped = 0
        self._begin()

    def _begin(self):
        op = cloudpickle.loads(self.op)
        self.host = self.make(op, self.setting)
        self.function = op.rich_function
        if hasattr(op.rich_function, "open"):
            op.rich_function.open(self.host.states)
        self.host.begin(self.store, range(self.groups), self.watermark)
        self._take(self.host.tick(self.clock.now))

    def run(self, steps, end=False):
        for step in steps:
            if step == "cut":
                self.cut()
            elif step[0] == "watermark":
                self.advance(step[1])
            elif step[0] == "clock":
                self.clock.now = step[1]
                self._take(self.host.tick(step[1]))
            else:
                self.records(step[0], [step[1:]])
        if end:
            self.advance(MAX_WATERMARK)
            self._take(self.host.end())
            self.cut()
        return self.out

    def records(self, side, triples):
        """(record, key, time) of one block."""
        records, keys, times = map(list, zip(*triples, strict=True))
        self._take([self.host.process(side, records, keys, None if times.count(None) == len(times) else times)])

    def advance(self, watermark):
        if watermark > self.watermark:
            self.watermark = watermark
            self._take(self.host.advance(watermark))

    def cut(self):
        self._take(self.host.tick(self.clock.now))
        self.late_dropped += getattr(self.host, "late_dropped", 0)
        self.next_timer = self.host.flush()
        self._begin()

    def _take(self, outs):
        for records, times in outs:
            assert len(records) == len(times)
            for record, time in zip(records, times, strict=True):
                if type(record) is tuple and len(record) == 2 and type(record[0]) is OutputTag:
                    self.sides.setdefault(record[0].tag_id, []).append((record[1], time))
                else:
                    self.out.append((record, time))


def cut_at(steps, places):
    """The steps with cuts before those at the given places."""
    return [part for i, step in enumerate(steps) for part in (["cut", step] if i in places else [step])]
