"""Classes and functions without a file: what a notebook or a prompt defines."""

from __future__ import annotations

import sys

import pytest

from tests.support.processes import Runs

SESSION = """
from dataclasses import dataclass
from datastream import StreamExecutionEnvironment

@dataclass
class Point:
    x: int

def run(make, show):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    points = env.from_sequence(1, 100).map(make).rebalance().map(lambda p: p)
    return sorted(show(p) for p in points.collect() if type(p) is Point)

print(run(Point, lambda p: p.x)[-1])

@dataclass
class Point:  # the cell is run again, changed
    x: int
    def double(self):
        return 2 * self.x

print(run(lambda x: Point(x), lambda p: p.double())[-1])
"""


@pytest.mark.long
def test_a_class_that_is_defined_again(runs: Runs) -> None:
    out = runs.start(sys.executable, "-c", SESSION).succeed()
    assert out.split() == ["100", "200"]
