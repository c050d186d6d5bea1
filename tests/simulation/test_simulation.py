"""Whole jobs under faults at every point where the engine gives up control; and whether that finds defects."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from datastream.connectors.files.committer import FileCommitter
from datastream.connectors.files.staging import Hold
from datastream.io import durable, spool
from datastream.io.spool import Spool
from datastream.logs.place import current
from datastream.runtime.hosts.timestamps import TimestampsHost
from datastream.runtime.keyed_state.timers import Timers
from datastream.runtime.program import JobSpec
from datastream.runtime.savepoints import reading
from tests.simulation import ends
from tests.simulation.__main__ import main, report
from tests.simulation.cluster import Entries
from tests.simulation.faults import FAULTS
from tests.simulation.kinds import KINDS
from tests.simulation.trial import draw, run, shrink
from tests.support.draws import WHOLE

SEEDS = 1_000


def seeds() -> range:
    """All of them in a long run, else a tenth."""
    return range(SEEDS if os.environ.get(WHOLE) else SEEDS // 10)


@pytest.mark.draws
@pytest.mark.parametrize("kind", KINDS)
def test_jobs_give_what_they_should_whatever_goes_wrong(kind: str) -> None:
    for seed in seeds()[:: len(KINDS) // 2]:
        trial = draw(seed, (kind,))
        if run(trial).wrong is not None:
            pytest.fail(f"seed {seed}\n{report(shrink(trial))}")


def test_a_seed_gives_the_same_run_each_time() -> None:
    for seed in range(10):
        first, second = run(draw(seed)), run(draw(seed))
        assert first == second


def test_each_kind_of_fault_falls_and_none_leaves_the_place_of_a_task_behind() -> None:
    fell = set[str]()
    for seed in range(SEEDS):
        fell |= {kind for _, _, kind in run(draw(seed)).fell}
        assert current() is None, f"seed {seed}"
        if fell == set(FAULTS):
            return
    pytest.fail(f"in {SEEDS} seeds only {sorted(fell)} fall")


# -- defects that are put in ---------------------------------------------------------------------------------------


def _watermark_too_high(self: Any, stamps: Any) -> int | None:
    self._output.emit_watermark(max(stamps) - (self._bound or 0))
    watermark: int = self._output.watermark
    return watermark


def _timer_lost(self: Any, domain: int, key: Any, content: Any) -> None:
    del content[domain][0]  # and the next one does not come


def _commit_before_write(self: Any, epoch: int, committables: Any, final: bool) -> None:
    ledger = ends.world.ledger
    if epoch > ledger.committed:
        ledger.committed = epoch
        for place in committables:
            ends.point("amid commit")
            ledger.visible[place[:2]] = ledger.prepared[place]


def _commit_again(self: Any, epoch: int, committables: Any, final: bool) -> None:
    for place in committables:
        ends.world.ledger.visible[place[0], place[2]] = ends.world.ledger.prepared[place]
        ends.point("amid commit")


def _state_shared(self: Any, before: Any) -> None:
    self.after = before


def _folder_not_safe(folder: str, top: str) -> None:
    os.makedirs(folder, exist_ok=True)


def _note_not_whole(self: Any, epoch: int, task: int, note: bytes) -> bytes:
    path = self._path(epoch, task)
    durable.make_folder(os.path.dirname(path), self._top)
    with open(path, "wb") as file:
        file.write(b"\x80" + note[1:])
    return note


def _checksum_not_compared(self: Any, epoch: int, task: int) -> bytes | None:
    path = Path(self._path(epoch, task))
    return path.read_bytes()[spool._HEAD :] if path.exists() else None


def _nothing(*arguments: Any, **named: Any) -> None:
    pass


def _not_whole(path: Path, data: bytes) -> None:
    path.write_bytes(data)


DEFECTS = {
    "a watermark is one too high": mock.patch.object(TimestampsHost, "_advance", _watermark_too_high),
    "a timer is lost": mock.patch.object(Timers, "_take_first", _timer_lost),
    "a commit is noted before what it makes visible": mock.patch.object(
        ends._Committer, "commit", _commit_before_write
    ),
    "an epoch that runs again is committed again": mock.patch.object(ends._Committer, "commit", _commit_again),
    "attempts at a task share their state": mock.patch.object(Entries, "__init__", _state_shared),
    "a folder's name is not brought to the disk": mock.patch("datastream.io.spool.make_folder", _folder_not_safe),
    "a note is not brought to the disk": mock.patch.object(Spool, "write", _note_not_whole),
    "a checkpoint's job.json is not brought to the disk": mock.patch(
        "datastream.spark.checkpoints.job_file.replace_file", _not_whole
    ),
    # Other parallelism, by a savepoint.
    "all keys go to one subtask": mock.patch("datastream.runtime.savepoints.reading.subtask_of", lambda *_: 0),
    "a savepoint has the state of one subtask": mock.patch(
        "datastream.runtime.savepoints.taking.is_saved", lambda key, subtask: subtask == 0
    ),
    "key groups are taken for those of before": mock.patch.object(
        reading._Regrouped, "take", lambda self, group, key, entry: [(group % self._key_groups, (key, entry), False)]
    ),
    # A job that goes on from another's savepoint.
    "the notes of a savepoint are left behind": mock.patch("tests.simulation.cluster.copy_notes", _nothing),
    "what an ended job left waiting stays so": mock.patch.object(FileCommitter, "_finish_ended_jobs", _nothing),
    "a job commits the epoch of its savepoint again": mock.patch.object(
        JobSpec, "restores", lambda self, epoch: self.restore is not None and epoch == self.first_epoch + 1
    ),
    # Damaged files.
    "logs are not checked": mock.patch("datastream.spark.checkpoints.directory.check_logs", _nothing),
    "notes are not compared with their checksums": mock.patch.object(Spool, "read", _checksum_not_compared),
    "savepoints are not compared with their manifests": mock.patch(
        "datastream.runtime.savepoints.matching.verify", _nothing
    ),
    "pieces of part files are not compared with their checksums": mock.patch.object(
        FileCommitter, "_check_pieces", _nothing
    ),
    "a file sink begins anew where its state is gone": mock.patch.object(Hold, "has_committed", False),
}


@pytest.mark.long
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_found_and_its_trial_is_small(defect: str, record_property: Callable[[str, object], None]) -> None:
    with DEFECTS[defect]:
        kinds = ("files",) if "file" in defect else tuple(KINDS)  # one in twelve is a file sink
        trials = (draw(seed, kinds) for seed in range(SEEDS))
        trial = next((one for one in trials if run(one).wrong is not None), None)
        assert trial is not None, f"{SEEDS} seeds do not find it"
        record_property("seed", trial.seed)
        smallest = shrink(trial)
        assert run(smallest).wrong is not None
        print(f"seed {trial.seed}\n{report(smallest)}")
    assert run(smallest).wrong is None, "it fails without the defect, too"
    assert len(smallest.faults) <= min(len(trial.faults), 3)
    assert smallest.records <= min(trial.records, 15)


def test_a_seed_that_fails_is_told_with_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    with DEFECTS["a timer is lost"]:
        assert main(["--seeds", "3", "--seed", "1", "--kinds", "tumbling"]) == 1
    told = capsys.readouterr().out
    assert "scripts/chaos simulated --seeds 1 --seed 1 --kinds tumbling" in told
    assert "expected [(" in told
    assert main(["--seeds", "3", "--kinds", "tumbling"]) == 0
    assert "faults that fell" in capsys.readouterr().out
