"""Jobs from files to files: the same input for all, the output compared with that of an undisturbed run."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from tests.chaos.kinds import ANYWHERE, JOBS
from tests.chaos.supervisor import Supervisor
from tests.chaos.trial import Fault, Trial
from tests.support.processes import visible_lines

#: Scripts of `jobs`.
NAMES = ("keyed", "window", "join", "connect", "iterate", "large", "files")

_FILES = 3
_LINES = 11_000
_KEYS = 60
_EXAMPLES = 5

_STORE = "spark.sql.streaming.stateStore"

Output = dict[str, Counter[str]]


class FileJob:
    """One of these jobs.

    Args:
        name: Its script.
        folder: Of the series: input, and the output of the undisturbed run.
    """

    faults: tuple[Fault, ...] = ANYWHERE
    alone = None

    #: 100 bytes count as a record. A split is 64 KiB: each of two tasks has one.
    epoch_records = 1_000
    settings: Mapping[str, str] = {}

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._input = folder / "input"
        self._undisturbed = folder / f"undisturbed-{name}"
        self._has_run = False
        self._expected: Output | None = None
        self._lock = threading.Lock()

    def script(self, folder: Path) -> list[str]:
        if not self._input.exists():
            _write_input(self._input)
        return [str(JOBS / f"{self.name.replace('-', '_')}.py"), str(self._input), str(folder / "out")]

    def differences(self, folder: Path) -> list[str]:
        found, expected = self._output(folder), self._expected_output()
        return [
            f"{name}: {len(wrong)} lines {what}, such as {'; '.join(list(wrong)[:_EXAMPLES])}"
            for name in sorted(found.keys() | expected.keys())
            for what, wrong in (
                ("missing", expected.get(name, Counter()) - found.get(name, Counter())),
                ("too many", found.get(name, Counter()) - expected.get(name, Counter())),
            )
            if wrong
        ]

    def undisturbed(self) -> Path:
        """The folder of an undisturbed run, as it left it."""
        with self._lock:
            if not self._has_run:
                self._undisturbed.mkdir()
                Supervisor(Trial(self.name, (), 0), self, self._undisturbed).keep()
                self._has_run = True
        return self._undisturbed

    def _expected_output(self) -> Output:
        folder = self.undisturbed()
        if self._expected is None:
            self._expected = self._output(folder)
        return self._expected

    def _output(self, folder: Path) -> Output:
        """What each sink has written."""
        return {sink.name: self._written(sink) for sink in (folder / "out").iterdir()}

    def _written(self, sink: Path) -> Counter[str]:
        """The lines of a sink: in any order, since tasks run side by side."""
        return Counter(visible_lines(sink))


class ManyKeys(FileJob):
    """State that is some ten times as large as the memory that RocksDB has, and read from its files again and again.

    Args:
        folder: Of the series.
    """

    name = "many-keys"

    #: What RocksDB may have, in MB, for all that it keeps in memory.
    memory_mb = 4

    # An epoch of these lines changes an eighth of the keys.
    epoch_records = 1_600
    # A few epochs after its changes, state is in a snapshot, and what came before is gone.
    settings = {
        "spark.driver.memory": "512m",
        f"{_STORE}.rocksdb.boundedMemoryUsage": "true",
        f"{_STORE}.rocksdb.maxMemoryUsageMB": str(memory_mb),
        f"{_STORE}.rocksdb.writeBufferSizeMB": "1",
        f"{_STORE}.rocksdb.blockCacheSizeMB": "1",
        f"{_STORE}.maintenanceInterval": "500ms",
        f"{_STORE}.minDeltasForSnapshot": "3",
        "spark.sql.streaming.minBatchesToRetain": "3",
    }

    def __init__(self, folder: Path) -> None:
        super().__init__(self.name, folder)


class SqlJoin(FileJob):
    """Joins of SQL whose results change, into files of changes.

    Which changes there are hangs on what comes first. So what counts is the rows that are left after all of them, and
    that each of them has come once, and gone after it has come.

    Args:
        folder: Of the series.
    """

    name = "sql-join"
    faults = tuple(fault for fault in ANYWHERE if fault != "sink")
    epoch_records = 1_600

    def __init__(self, folder: Path) -> None:
        super().__init__(self.name, folder)

    def _written(self, sink: Path) -> Counter[str]:
        rows: Counter[str] = Counter()
        wrong: Counter[str] = Counter()
        # All changes of a row are those of one task, in the order of the numbers of its files.
        files = sorted(sink.glob("part-*"), key=lambda file: int(file.name.rpartition("-")[2]))
        for line in chain.from_iterable(file.read_text().splitlines() for file in files):
            change = json.loads(line)
            came = change["op"] == "c"
            row = json.dumps(change["after" if came else "before"])
            rows[row] += 1 if came else -1
            if rows[row] not in (0, 1):
                wrong[f"{row} {'comes again' if came else 'goes, but is not there'}"] += 1
        return +rows + wrong


def _write_input(folder: Path) -> None:
    """Lines of about 80 bytes, ``number,time,key,value,padding``, out of order by less than half a second."""
    chance = random.Random(1)
    folder.mkdir()
    number = 0
    for file in range(_FILES):
        with (folder / f"part-{file}.csv").open("w") as out:
            for _ in range(_LINES):
                time, key, value = number * 10 + chance.randrange(400), chance.randrange(_KEYS), chance.randrange(1000)
                out.write(f"{number},{time},k{key},{value},{'x' * 60}\n")
                number += 1
