"""What a killed run leaves is swept up by the next one; what a living one holds is not."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from datastream.spark.process.run_folder import RunFolder, sweep

HOLD = "from datastream.spark.process.run_folder import RunFolder; f = RunFolder(); print(f.path, flush=True); input()"


def test_only_folders_of_the_dead_are_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/tmp")
    mine = RunFolder()
    other = subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    theirs = Path(other.stdout.readline().strip())
    sweep(theirs.parent)
    assert theirs.is_dir()
    assert Path(mine.path).is_dir()
    other.kill()
    other.communicate()
    sweep(theirs.parent)
    assert not theirs.exists()
    assert Path(mine.path).is_dir()
    mine.remove()
    assert not Path(mine.path).exists()


def test_a_long_temporary_folder_is_avoided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / ("x" * 80)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    folder = RunFolder()
    assert len(folder.path) < 60
    folder.remove()
