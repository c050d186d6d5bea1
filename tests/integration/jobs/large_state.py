"""One key keeps a map of a million entries, another a list of a million elements: filled, then read.

Prints a line for each record: what was done, what came of it, and the most memory the worker ever had, in MiB.
"""

import argparse
import resource

from datastream import KeyedProcessFunction, StreamExecutionEnvironment, Types
from datastream.io import Batch, Source, SourceReader, SplitEnumerator
from datastream.state import ListStateDescriptor, MapStateDescriptor

STEP = 100_000
SINGLE = 1000


class Steps(Source, SplitEnumerator, SourceReader):
    """(kind, number of the step), an epoch each."""

    def __init__(self, steps):
        self.steps = steps

    def create_enumerator(self, context):
        return self

    def create_reader(self, context):
        return self

    def initial_offset(self):
        return 0

    def latest_offset(self, start, budget):
        return min(start + 1, self.steps)

    def splits(self, start, end, parallelism):
        return [(kind, step) for step in range(start, end) for kind in ("map", "list")]

    def read(self, split):
        yield Batch([split])

    def finished(self, offset):
        return offset == self.steps


class Large(KeyedProcessFunction):
    """Step by step puts more into its key's map or list; two steps read it."""

    def __init__(self, count):
        self.count = count

    def open(self, runtime_context):
        self.map = runtime_context.get_map_state(MapStateDescriptor("map", Types.LONG(), Types.STRING()))
        self.list = runtime_context.get_list_state(ListStateDescriptor("list", Types.LONG()))

    def process_element(self, value, ctx):
        kind, step = value
        start = step * STEP
        phase = "fill" if start < self.count else "look" if start < self.count + STEP else "iterate"
        result = getattr(self, f"{phase}_{kind}")(start)
        yield kind, phase, result, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    def fill_map(self, start):
        self.map.put_all({n: f"value {n}" for n in range(start, start + STEP - SINGLE)})
        for n in range(start + STEP - SINGLE, start + STEP):
            self.map.put(n, f"value {n}")
        return start + STEP

    def look_map(self, start):
        some = range(0, self.count, self.count // SINGLE)
        return all(self.map.get(n) == f"value {n}" for n in some) and self.map.get(-1) is None

    def iterate_map(self, start):
        count = total = 0
        for n, value in self.map.items():
            assert value == f"value {n}"
            count += 1
            total += n
        return count, total

    def fill_list(self, start):
        self.list.add_all(range(start, start + STEP))
        return start + STEP

    def look_list(self, start):
        return next(iter(self.list.get())) == 0

    def iterate_list(self, start):
        count = 0
        for i, n in enumerate(self.list.get()):
            assert i == n
            count += 1
        return count, sum(self.list.get())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1_000_000)
    count = parser.parse_args().count
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    steps = env.add_source(Steps(count // STEP + 2))
    steps.key_by(lambda record: record[0]).process(Large(count)).uid("large").map(repr).print()
    env.execute("large state")
