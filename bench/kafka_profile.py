"""``python -m bench.kafka_profile [records] [guarantee] [map|count]``: the CPU time of a Kafka job's parts.

The tasks of the job run in this process (the local executor) under Python's profiler, with the CPU time of the thread
as the clock, so that other work on the machine does not count. The clients' own threads are told from /proc. The bare
loop runs in the same way before, for comparison.
"""

from __future__ import annotations

import cProfile
import os
import pstats
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.kafka_broker import broker, topic
from bench.kafka_engine import flow, sink_to, source_of
from datastream import StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.local.executor import LocalJob
from datastream.time import WatermarkStrategy

#: Calls a function that takes nothing.
Call = Callable[[Callable[[], Any]], Any]

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_LINES = 28


class _Threads(threading.Thread):
    """Looks at the CPU time of this process's threads, by name."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._seen: dict[tuple[str, str], float] = {}
        self._before = dict(self._look())
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(0.05):
            self._seen.update(self._look())

    def stop(self) -> dict[str, float]:
        self._ended.set()
        self.join()
        self._seen.update(self._look())
        spent: dict[str, float] = defaultdict(float)
        for (name, id), seconds in self._seen.items():
            spent[name] += seconds - self._before.get((name, id), 0.0)
        return dict(sorted(spent.items(), key=lambda one: -one[1]))

    def _look(self) -> dict[tuple[str, str], float]:
        found = {}
        python = {str(thread.native_id) for thread in threading.enumerate()}
        for task in Path("/proc/self/task").iterdir():
            with suppress(OSError):  # it has ended
                name, _, rest = (task / "stat").read_text().partition("(")[2].rpartition(")")
                fields = rest.split()
                name = "Python's" if task.name in python else f"client's, {name}"
                found[name, task.name] = (int(fields[11]) + int(fields[12])) * _TICK_S
        return found


def main(records: int = 200_000, guarantee: str = "EXACTLY_ONCE", what: str = "map") -> None:
    """Profile a job and the bare loop, and print the tables."""
    from bench import kafka_plain

    with broker(records) as given:
        transactions = guarantee == "EXACTLY_ONCE"
        loop = kafka_plain.mapped if what == "map" else kafka_plain.by_key

        def bare(call: Call) -> None:
            call(lambda: loop(**given, transactions=transactions))

        def job(call: Call) -> None:
            _job(given["bootstrap"], given["source"], guarantee, what, call)

        for name, run in (("bare loop", bare), ("job", job)):
            _profile(name, run, records)


def _job(bootstrap: str, source: str, guarantee: str, what: str, call: Call) -> None:
    thread = LocalJob._run  # noqa: SLF001 - the thread of the job, which the profiler is to run in
    LocalJob._run = lambda self: call(lambda: thread(self))  # type: ignore[method-assign]  # noqa: SLF001
    settings().executor = "local"
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    with topic(bootstrap) as target:
        lines = env.from_source(source_of(bootstrap, source, True), WatermarkStrategy.no_watermarks(), "source")
        flow(lines, what == "count").sink_to(sink_to(bootstrap, target, guarantee)).uid("sink")
        env.execute("profile")
    LocalJob._run = thread  # type: ignore[method-assign]  # noqa: SLF001


def _profile(name: str, run: Callable[[Call], None], records: int) -> None:
    """Run twice: once as it is, for the time of the threads; once under the profiler, which slows Python's calls."""
    threads = _Threads()
    threads.start()
    began = time.monotonic()
    run(lambda work: work())
    wall = time.monotonic() - began
    spent = threads.stop()
    print(f"== {name}: {records:,} records in {wall:.1f} s; CPU time of threads, microseconds a record:")
    for thread, seconds in spent.items():
        if seconds > 0.02:
            print(f"   {thread:<30}{1e6 * seconds / records:8.2f}")
    profile = cProfile.Profile(time.thread_time)
    run(profile.runcall)
    pstats.Stats(profile, stream=sys.stdout).strip_dirs().sort_stats("tottime").print_stats(_LINES)


if __name__ == "__main__":
    main(*(int(word) if word.isdigit() else word for word in sys.argv[1:]))  # type: ignore[arg-type]
