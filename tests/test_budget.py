"""Tests that take too long are refused, where it is the tests' fault."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from tests.support.load import Load, Sample
from tests.support.record import BUDGET_S, REFUSED_S, Entry, Record
from tests.support.waiting import wait_until


def sampled(*seconds: tuple[int, int, int]) -> Load:
    """Of one second each: processes that run, what all processors did and what this run did, in ticks."""
    load = Load()
    busy = ours = 0
    for at, (running, more, mine) in enumerate(seconds):
        busy, ours = busy + more, ours + mine
        load.samples.append(Sample(float(at), running, busy, ours))
    return load


def test_slowness_is_how_many_run_for_each_processor(monkeypatch):
    monkeypatch.setattr("tests.support.load._CORES", 2)
    assert sampled((2, 0, 0), (2, 0, 0)).slowness(0, 1) == 1
    assert sampled((6, 0, 0), (4, 0, 0), (8, 0, 0)).slowness(0, 2) == 3
    assert sampled((6, 0, 0)).slowness(100, 200) == 1  # nothing is known


def test_who_shares_the_machine_with_others_is_not_alone(monkeypatch):
    monkeypatch.setattr("tests.support.load._CORES", 2)
    monkeypatch.setattr("tests.support.load._TICKS", 100)
    own = [(4, 200, 190)] * 5
    assert sampled(*own).is_idle(0, 4)
    assert not sampled(*own[:3], (4, 200, 100), *own[:3]).is_idle(0, 6)  # for a moment
    assert sampled(*own[:3], (4, 200, 100), *own[:3]).is_idle(5, 6)
    assert not sampled(*own[:2]).is_idle(0, 1)  # too little is known


def test_work_of_this_process_and_its_children_is_its_own():
    load = Load()
    load.start()
    began = time.process_time()

    def works() -> bool:
        deadline = time.process_time() + 0.05
        while time.process_time() < deadline:
            pass
        return time.process_time() - began > 1 and len(load.samples) > 2

    wait_until(works, "work", every_s=0)
    assert load.samples[-1].ours > load.samples[0].ours
    assert all(sample.busy > 0 for sample in load.samples)
    assert [thread for thread in threading.enumerate() if thread is load] == [load]


@pytest.mark.parametrize(
    ("entry", "refused"),
    [
        (Entry({"call": REFUSED_S + 1}, alone=True), True),
        (Entry({"call": REFUSED_S + 1}, alone=False), False),
        (Entry({"call": REFUSED_S + 1}, alone=True, long=True), False),
        (Entry({"call": REFUSED_S + 1}, alone=True, slowness=2.0), False),
        (Entry({"setup": REFUSED_S + 1, "call": 0.1}, alone=True), False),  # what tests share
        (Entry({"call": BUDGET_S + 1}, alone=True), False),
    ],
)
def test_who_is_refused(tmp_path: Path, entry: Entry, refused: bool) -> None:
    record = Record(tmp_path)
    record.entries["tests/test_a.py::test_a"] = entry
    assert entry.refused is refused
    assert any(line.startswith("refused: tests/test_a.py::test_a takes") for line in record.table()) is refused
