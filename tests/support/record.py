"""A record of each run: what each test took, how it ended, and the memory of its process.

The run's summary shows the groups and the slowest tests. A file in ``.cache/tests`` has each test as a JSON object.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter

from tests.support.load import Load

#: Runs of fewer tests are looked at one by one, and leave no file, if this variable names none.
LEAST_TESTS = 100
FILE = "DATASTREAM_TEST_RECORD"
SLOWEST = 50
_FOLDER = Path(".cache") / "tests"
#: What a test is expected to take that is in no record.
_USUAL_S = 0.3
#: A test that takes longer, in seconds of a machine that does nothing else, belongs to the long ones, and is named.
BUDGET_S = 10.0
#: One that takes so long is refused, if nobody else took processors meanwhile.
REFUSED_S = 30.0
#: Files that are kept; the oldest go.
KEPT = 30
_MEMORY, _LONG = "memory_mib", "long"
_PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / 1048576


@dataclass
class Entry:
    """A test.

    Attributes:
        seconds: Of setup, which has what several tests share, call and teardown.
        outcome: How it ended.
        memory_mib: Of its process, behind it.
        worker: Which process ran it.
        long: It is marked so.
        slowness: By how much the machine was too busy during the call.
        alone: Nobody else took much of the processors meanwhile.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    outcome: str = "passed"
    memory_mib: int = 0
    worker: str = "main"
    long: bool = False
    slowness: float = 1.0
    alone: bool = False

    @property
    def total(self) -> float:
        return sum(self.seconds.values())

    @property
    def own_s(self) -> float:
        """What the call would take on a machine that does nothing else."""
        return self.seconds.get("call", 0.0) / self.slowness

    @property
    def refused(self) -> bool:
        return not self.long and self.alone and self.own_s > REFUSED_S


class Record:
    """Collects the reports of all workers."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.entries: dict[str, Entry] = defaultdict(Entry)
        self.began = time.time()
        self.earlier = self._last()
        self.chosen: list[str] = []
        self.whole_s, self.seconds_done, self.tenths = 0.0, 0.0, 0
        self.from_s = time.monotonic()
        self.terminal: Any = None
        self.load = Load()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if session.items:
            self.begin(session.config, [item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        if not self.chosen:
            self.begin(node.config, ids)

    def begin(self, config: pytest.Config, tests: list[str]) -> None:
        self.chosen, self.from_s = tests, time.monotonic()
        self.whole_s = sum(map(self._expected, tests))
        self.terminal = config.pluginmanager.get_plugin("terminalreporter")
        if len(tests) >= LEAST_TESTS:
            self.load.start()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Say how far it is, at each tenth of the expected time."""
        self.seconds_done += self._expected(nodeid)
        if len(self.chosen) < LEAST_TESTS or self.terminal is None:
            return
        done: float = min(0.99, self.seconds_done / self.whole_s)
        if done * 10 >= self.tenths + 1:
            self.tenths = int(done * 10)
            left = (time.monotonic() - self.from_s) * (1 - done) / done / 60
            self.terminal.ensure_newline()
            self.terminal.write_line(
                f"{len(self.entries):,} of {len(self.chosen):,} tests have run; about {left:.0f} min are left"
            )

    def _expected(self, test: str) -> float:
        return self.earlier.get(test, _USUAL_S)

    def _last(self) -> dict[str, float]:
        """What each test took in the last runs that are recorded."""
        took: dict[str, float] = {}
        for path in sorted((self.root / _FOLDER).glob("*.jsonl"))[-3:]:
            with contextlib.suppress(OSError, ValueError, KeyError):
                for line in path.read_text().splitlines():
                    entry = json.loads(line)
                    took[entry["test"]] = sum(entry["seconds"].values())
        return took

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        entry = self.entries[report.nodeid]
        entry.seconds[report.when or "call"] = report.duration
        if report.when == "call" and report.duration > BUDGET_S:
            entry.slowness = self.load.slowness(report.start, report.stop)
            entry.alone = self.load.is_idle(report.start, report.stop)
        entry.worker = getattr(report, "worker_id", entry.worker)
        properties: dict[str, Any] = dict(report.user_properties)
        entry.memory_mib = properties.get(_MEMORY, entry.memory_mib)
        entry.long = properties.get(_LONG, entry.long)
        if report.outcome != "passed":
            entry.outcome = report.outcome

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Refuse a run whose tests take too long."""
        if session.exitstatus == 0 and any(entry.refused for entry in self.entries.values()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        if FILE in os.environ:
            self.write(Path(os.environ[FILE]))
            return
        if len(self.entries) < LEAST_TESTS:
            return
        for line in self.table():
            terminalreporter.write_line(line)
        try:
            terminalreporter.write_line(f"record of this run: {self.keep().relative_to(self.root)}")
        except OSError as error:
            terminalreporter.write_line(f"no record of this run was written: {error}")

    def table(self) -> Iterator[str]:
        """The groups by time, the slowest tests, and those beyond the budget."""
        groups: dict[str, list[Entry]] = defaultdict(list)
        for name, entry in self.entries.items():
            groups[group(name)].append(entry)
        whole = sum(entry.total for entry in self.entries.values()) or 1.0
        yield f"{'seconds':>9}  {'share':>5}  {'tests':>5}  group"
        for name, entries in sorted(groups.items(), key=lambda item: -sum(entry.total for entry in item[1])):
            seconds = sum(entry.total for entry in entries)
            yield f"{seconds:9.1f}  {seconds / whole:5.1%}  {len(entries):5}  {name}"
        slowest = sorted(self.entries.items(), key=lambda item: -item[1].total)[:SLOWEST]
        yield f"the slowest {len(slowest)}; ! takes over {BUDGET_S:g} s by itself and is not marked long"
        for name, entry in slowest:
            beyond = entry.own_s > BUDGET_S and not entry.long
            yield f"{entry.total:9.1f} {'!' if beyond else ' '} {name}"
        for name, entry in self.entries.items():
            if entry.refused:
                yield f"refused: {name} takes {entry.own_s:.0f} s on a machine that does nothing else: mark it long"

    def keep(self) -> Path:
        """Write it into the folder of records."""
        folder = self.root / _FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        began = time.strftime("%Y%m%d-%H%M%S", time.localtime(self.began))
        path = folder / f"{began}-{commit(self.root)}-{os.getpid()}.jsonl"
        self.write(path)
        for old in sorted(folder.glob("*.jsonl"))[:-KEPT]:
            old.unlink(missing_ok=True)
        return path

    def write(self, path: Path) -> None:
        with path.open("w") as file:
            for name, entry in self.entries.items():
                line = {
                    "test": name,
                    "outcome": entry.outcome,
                    "seconds": {phase: round(seconds, 3) for phase, seconds in entry.seconds.items()},
                    _MEMORY: entry.memory_mib,
                    "worker": entry.worker,
                    _LONG: entry.long,
                    "slowness": round(entry.slowness, 2),
                }
                file.write(json.dumps(line) + "\n")


def group(test: str) -> str:
    """The folder of a test's file below ``tests``, one level deep; a file at the top is a group of its own."""
    parts = test.partition("::")[0].split("/")[1:]
    return parts[0] if parts else test


def commit(root: Path) -> str:
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the controller, or the only process
        config.pluginmanager.register(Record(config.rootpath), "record of the run")


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    resident = int(Path("/proc/self/statm").read_text().split()[1]) if os.path.exists("/proc/self/statm") else 0
    # Not of the report's keywords: "long" may be the name of a case there.
    item.user_properties += [
        (_MEMORY, round(resident * _PAGE_MIB)),
        (_LONG, item.get_closest_marker("long") is not None),
    ]
