"""DataFrames of Spark."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.chaos.systems.system import Following, Local, parsed

#: Java, too: it runs the query of the DataFrame, and the driver starts another one.
_VICTIMS = ("driver", "worker", "java", "committer")
#: Rows of a file.
_ROWS = 5_000


class SparkSource(Following, Local):
    """A DataFrame that follows a folder of CSV files, one in each of its batches, into files."""

    name = "spark-source"
    victims = _VICTIMS

    def _make(self, folder: Path, numbers: range) -> dict[str, Any]:
        self._in = folder / "in"
        self._in.mkdir()
        for start in range(0, len(numbers), _ROWS):
            self._append(numbers[start : start + _ROWS])
        return {"in": str(self._in)}

    def _append(self, numbers: range) -> None:
        aside = self._in.with_name("aside")
        aside.write_text("".join(f"{n},n{n}\n" for n in numbers))
        os.replace(aside, self._in / f"{numbers[0]:08}.csv")


class SparkSink(Local):
    """A function that writes each epoch as a DataFrame into a folder of the epoch, which it overwrites."""

    name = "spark-sink"
    victims = _VICTIMS

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        self._out = folder / "out"
        return {"out": str(self._out), "count": count}

    def results(self) -> list[tuple[int, str]]:
        files = self._out.glob("epoch=*/part-*.csv")
        return list(parsed(line for file in files for line in file.read_text().splitlines()))

    def written(self) -> int:
        with suppress(FileNotFoundError):  # a folder is being overwritten
            return len(self.results())
        return 0
