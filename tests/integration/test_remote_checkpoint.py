"""A checkpoint on another Hadoop file system: viewfs, which Spark has, mounted on a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from datastream.runtime.state_format import FIRST_FORMAT, FORMAT
from datastream.spark.checkpoints.job_file import _checksum
from tests.support.processes import JOBS, Run, Runs, visible_lines

pytestmark = pytest.mark.long  # many processes of their own

COUNT = 20_000
FOLDER = "viewfs://cluster/checkpoints/job"


def start(
    runs: Runs, folder: Path, *args: object, job: str = "running_sums.py", options: tuple[object, ...] = ()
) -> Run:
    (folder / "store").mkdir(exist_ok=True)
    link = f"spark.hadoop.fs.viewfs.mounttable.cluster.link./checkpoints=file://{folder / 'store'}"
    out = (folder / "out",) if job == "running_sums.py" else ()
    return runs.job("--log-format", "json", "--checkpoint-dir", FOLDER, "-D", link, *options, JOBS / job, *out, *args)


def test_a_job_continues_and_another_is_refused(runs: Runs, tmp_path: Path) -> None:
    job = start(runs, tmp_path, "--count", COUNT, options=("-D", "datastream.epoch.max-records=1000"))
    job.until(lambda: job.err.count('"event": "epoch"') >= 3, "third epoch")
    job.process.kill()
    job.wait()
    file = tmp_path / "store" / "job" / "job.json"
    known = json.loads(file.read_text())
    del known["checksum"]
    known["format"] = FIRST_FORMAT
    file.write_text(json.dumps({**known, "checksum": _checksum(known)}))
    file.with_name(".job.json.crc").unlink(missing_ok=True)

    other = start(runs, tmp_path, "--uid", "totals")
    assert other.wait() == 2, other.told()
    assert f"the checkpoint in {FOLDER} belongs to another job" in other.err
    assert '"sums\\"' in other.err or "sums" in other.err

    again = start(runs, tmp_path, "--count", COUNT)
    again.succeed()
    assert sorted(map(int, visible_lines(tmp_path / "out" / "numbers"))) == list(range(1, COUNT + 1))
    assert {**json.loads(file.read_text()), "checksum": None} == {**known, "format": FORMAT, "checksum": None}
    again.assert_tidy()


@pytest.mark.long
def test_a_folder_in_use_is_refused(runs: Runs, tmp_path: Path) -> None:
    owner = start(runs, tmp_path, job="endless.py")
    owner.until(lambda: '"event": "epoch"' in owner.err, "first epoch")
    second = start(runs, tmp_path, job="endless.py")
    assert second.wait() == 1, second.told()
    assert f"(process {owner.process.pid} on " in second.err and f"the checkpoint directory {FOLDER}" in second.err
    assert owner.process.poll() is None, "the first job goes on"


@pytest.mark.long
def test_java_is_killed(runs: Runs, tmp_path: Path) -> None:
    job = start(runs, tmp_path, "--count", 200_000, options=("-D", "datastream.epoch.max-records=5000"))
    job.until(lambda: job.err.count('"event": "epoch"') >= 3, "third epoch")
    job.java().kill()
    job.until(lambda: '"event": "restart"' in job.err, "restart")
    job.succeed()
    assert sorted(map(int, visible_lines(tmp_path / "out" / "numbers"))) == list(range(1, 200_001))
