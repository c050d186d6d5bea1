"""Jobs on Spark that read and write tables of Delta Lake, and are killed (-9)."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from datastream.connectors.delta.data_files import DataFile
from datastream.connectors.delta.location import DeltaLocation
from datastream.connectors.delta.staging import EpochNotes
from tests.support.processes import ROOT
from tests.support.waiting import wait_until

FILE = DataFile("part-0.parquet", 10, (("day", "1"), ("hour", None)), 1, "{}", ("name",))


def start(folder: Path, point: str, kind: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "datastream.cli", "run", "--no-progress", "-D", "datastream.epoch.max-records=20"]
    command += ["--checkpoint-dir", f"{folder}/checkpoint", "tests/connectors/delta/killed_job.py", str(folder)]
    return subprocess.Popen(
        [*command, point, kind], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def run(folder: Path, point: str, kind: str) -> tuple[int, str]:
    process = start(folder, point, kind)
    output, _ = process.communicate(timeout=200)
    return process.returncode, output


@pytest.mark.long
@pytest.mark.parametrize("point", ["files", "before", "after"])
def test_a_job_that_was_killed_goes_on_with_exact_rows(tmp_path: Path, point: str) -> None:
    for start in range(0, 100, 10):
        write_deltalake(tmp_path / "in", pa.table({"id": list(range(start, start + 10))}), mode="append")
    first = run(tmp_path, point, "append")
    assert first[0] == -signal.SIGKILL, first[1]
    assert (tmp_path / "died").exists()
    again = run(tmp_path, point, "append")
    assert again[0] == 0, again[1]
    table = DeltaTable(tmp_path / "out")
    assert sorted(table.to_pyarrow_table()["id"].to_pylist()) == list(range(100))
    assert table.version() >= 4


@pytest.mark.long
@pytest.mark.parametrize("point", ["files", "before", "after"])
def test_a_job_that_follows_and_merges_goes_on_after_a_kill(tmp_path: Path, point: str) -> None:
    def add(version: int) -> None:
        numbers = range(version * 10, version * 10 + 10)
        rows = pa.table({"key": [n % 7 for n in numbers], "n": list(numbers)})
        write_deltalake(tmp_path / "in", rows, mode="append")

    def found() -> dict[int, int]:
        table = DeltaTable(tmp_path / "out").to_pyarrow_table()
        pairs = list(zip(table["key"].to_pylist(), table["n"].to_pylist(), strict=True))
        assert len(dict(pairs)) == len(pairs), "a key is there twice"
        return dict(pairs)

    for version in range(8):
        add(version)
    first = run(tmp_path, point, "merge")
    assert first[0] == -signal.SIGKILL, first[1]
    again = start(tmp_path, point, "merge")
    try:
        add(8)
        expected = {n % 7: n for n in range(90)}
        wait_until(lambda: again.poll() is not None or found() == expected, "merged rows", every_s=0.2)
        assert found() == expected
        again.terminate()
        again.communicate(timeout=60)
    finally:
        again.kill()


#: Notes an epoch, and is killed with half of the note written.
_CUT_OFF = """
import os, signal, sys
from datastream.connectors.delta.location import DeltaLocation
from datastream.connectors.delta.staging import EpochNotes
from tests.connectors.delta.test_delta_kills import FILE

class Dying(DeltaLocation):
    def files(self):
        return self
    def open_output_stream(self, path):
        self.opened.append(super().files().open_output_stream(path))
        return self
    opened = []
    def write(self, data):
        self.opened[0].write(data[:len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

EpochNotes(Dying(sys.argv[1]), "notes/").keep(0, [FILE])
"""


def test_a_note_that_was_cut_off_is_none(tmp_path: Path) -> None:
    died = subprocess.run([sys.executable, "-c", _CUT_OFF, str(tmp_path)], cwd=ROOT, check=False)
    assert died.returncode == -signal.SIGKILL
    assert list((tmp_path / "notes").iterdir()), "nothing was written"
    notes = EpochNotes(DeltaLocation.of(tmp_path), "notes/")
    assert notes.files_of(0) is None
    notes.keep(0, [FILE])
    assert notes.files_of(0) == [FILE]
