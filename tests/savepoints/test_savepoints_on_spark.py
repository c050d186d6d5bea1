"""Savepoints of checkpoint directories, and jobs that go on from them in new ones."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from datastream import Encoder
from datastream.cli.savepoint import command
from datastream.connectors.files import FileSink
from datastream.errors import CheckpointError, CheckpointMismatch
from datastream.runtime.savepoints.manifest import Manifest, read_manifest
from datastream.spark.checkpoints.job_file import content_of
from datastream.spark.savepoint import take_savepoint
from datastream.spark.state_view import open_reader
from tests.support.kept_jobs import counted, kept, large
from tests.support.savepoints import END, EPOCH, Part

#: Epochs so far apart that a job can be stopped between two of them.
APART = {"datastream.trigger.interval-ms": "15000"}


def lines(folder: Path) -> Counter[str]:
    """What a file sink has made visible, or will."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in ("state.json", "lock")]
    return Counter(line for path in files for line in path.read_text().splitlines())


@pytest.mark.long
def test_a_job_goes_on_in_a_new_folder(tmp_path: Path) -> None:
    """Another parallelism, and every record in the files exactly once."""

    def filed(env: Any, numbers: Any) -> Any:
        sink = FileSink.for_row_format(str(tmp_path / "out"), Encoder.simple_string_encoder()).build()
        numbers.map(str).sink_to(sink).uid("files")
        return kept(env, numbers)

    running: list[Manifest] = []

    def while_it_runs() -> None:
        running.append(take_savepoint(tmp_path / "first", tmp_path / "running"))

    first = Part(
        filed, epochs=2, executor="spark", checkpoint=tmp_path / "first", more=APART, before_stop=while_it_runs
    )
    stopped = take_savepoint(tmp_path / "first", tmp_path / "stopped")
    assert not stopped.interrupted
    assert stopped.epoch == running[0].epoch == 1
    assert [(f.name, f.entries, f.keys) for f in stopped.files] == [
        (f.name, f.entries, f.keys) for f in running[0].files
    ]
    assert stopped.sources["numbers"]["offset"] == 2 * EPOCH + 1

    new = tmp_path / "new"
    rest = Part(filed, executor="spark", checkpoint=new, savepoint=tmp_path / "stopped", parallelism=3)
    assert counted(first.results + rest.results) == counted(Part(kept).results)
    assert rest.epochs[:2] == [1, 2]
    assert lines(tmp_path / "out") == Counter(map(str, range(1, END + 1)))
    assert json.loads((new / "job.json").read_text())["id"] != stopped.job_id

    # A folder that belongs to another job, or to none from this savepoint.
    with pytest.raises(
        CheckpointMismatch, match="a job that was not restored from a savepoint.*\n.*new --checkpoint-dir"
    ):
        Part(filed, executor="spark", checkpoint=tmp_path / "first", savepoint=tmp_path / "stopped")
    with pytest.raises(CheckpointMismatch, match="one restored from .*stopped"):
        Part(filed, executor="spark", checkpoint=new, savepoint=tmp_path / "running", parallelism=3)


@pytest.mark.long
def test_a_supervisor_starts_the_same_command_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first = Part(large, epochs=1)
    first.handle.savepoint(tmp_path / "savepoint")
    again = {"executor": "spark", "savepoint": tmp_path / "savepoint", "checkpoint": tmp_path / "new", "parallelism": 3}
    second = Part(large, epochs=1, more=APART, **again)  # type: ignore[arg-type]
    with caplog.at_level("INFO", "datastream"):
        third = Part(large, **again)  # type: ignore[arg-type]
    assert "has epochs since its job was restored from" in caplog.text
    assert counted(first.results + second.results + third.results) == counted(Part(large).results)
    assert second.epochs[:2] == [0, 1]
    assert third.epochs[0] == 2

    # Died in the epoch that takes the state over: started again, also without the option, it does so again.
    died = tmp_path / "died"
    shutil.copytree(tmp_path / "new", died)
    for gone in ("commits", "state"):
        shutil.rmtree(died / gone)
    for path in (died / "offsets").iterdir():
        if path.name not in ("0", ".0.crc"):
            path.unlink()
    fourth = Part(large, executor="spark", checkpoint=died, parallelism=3)
    assert counted(fourth.results) == counted(second.results + third.results)
    assert fourth.epochs[:2] == [0, 1]

    done = CliRunner().invoke(command, [str(tmp_path / "new"), str(tmp_path / "last"), "--format", "json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout.splitlines()[-1])
    manifest = read_manifest(tmp_path / "last")
    assert (said["keys"], said["epoch"], said["bytes"]) == (3, third.epochs[-1], manifest.bytes)
    rows = {row.key: row for row in open_reader(tmp_path / "last").rows("large", "numbers", limit=None)}
    assert sorted(n for row in rows.values() for n in row.value) == list(range(10, (END + 1) * 10))


def test_what_cannot_be_taken(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="is not a checkpoint of a job"):
        take_savepoint(tmp_path, tmp_path / "s")
    (tmp_path / "job.json").write_text(json.dumps(content_of("a", {"state": {}, "sources": {}})))
    with pytest.raises(CheckpointError, match="holds no state yet"):
        take_savepoint(tmp_path, tmp_path / "s")
    with pytest.raises(CheckpointError, match="that this machine reaches by a path"):
        take_savepoint("s3://bucket/checkpoint", tmp_path / "s")
    assert not (tmp_path / "s").exists()


@pytest.mark.long
def test_a_full_disk(tmp_path: Path) -> None:
    """The error says so, nothing is left, and the checkpoint is as it was."""
    Part(large, epochs=1, executor="spark", checkpoint=tmp_path / "checkpoint")
    full = tmp_path / "full"
    full.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(full)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this user may not mount")
    try:
        with pytest.raises(CheckpointError, match="cannot be written: .*No space left on device") as caught:
            take_savepoint(tmp_path / "checkpoint", full / "savepoint")
        assert "cannot be read" not in str(caught.value)
        assert not list(full.iterdir())
    finally:
        subprocess.run(["umount", str(full)], check=True)
    assert take_savepoint(tmp_path / "checkpoint", tmp_path / "savepoint").keys == 3
