"""Checkpoints of a job in the middle of its input, damaged in all kinds of ways: refused clearly, or recovered from."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from datastream.errors import CheckpointError, DataStreamError
from tests.chaos import damaged_job
from tests.chaos.damage import flip, truncate
from tests.support.processes import Runs, visible_lines

pytestmark = [pytest.mark.long, pytest.mark.timeout(120)]

_EPOCHS = 8
_SETTINGS = (
    *("-D", "spark.sql.streaming.stateStore.maintenanceInterval=200ms"),
    *("-D", "spark.sql.streaming.stateStore.minDeltasForSnapshot=3"),
    *("-D", "datastream.trigger.interval-ms=500", "-D", "spark.driver.memory=768m"),
)

OFFSETS = "checkpoint/offsets"
COMMITS = "checkpoint/commits"
STATE = "checkpoint/state/0/0"
STAGING = "out/copy/.datastream/files of copy"


@dataclass(frozen=True)
class Base:
    """The job's folder, and a copy of it as it was when the job was killed.

    Attributes:
        folder: Where the job runs.
        copy: As it was.
        whole: What the job writes without any damage.
    """

    folder: Path
    copy: Path
    whole: object


def latest(log: str, back: int = 0) -> Callable[[Path], Path]:
    """The latest file of a log, or one before it."""

    def find(folder: Path) -> Path:
        numbers = sorted(int(path.name) for path in (folder / log).iterdir() if path.name.isdecimal())
        return folder / log / str(numbers[-1 - back])

    return find


def newest(pattern: str) -> Callable[[Path], Path]:
    """The file of state with the highest version."""

    def find(folder: Path) -> Path:
        return max(folder.glob(pattern), key=lambda path: int(re.split(r"\D", path.stem)[0]))

    return find


def only(path: str) -> Callable[[Path], Path]:
    """The file of that name, which may be a pattern."""

    def find(folder: Path) -> Path:
        return next(iter(sorted(folder.glob(path))))

    return find


def empty(file: Path) -> None:
    truncate(file, 0)


def half(file: Path) -> None:
    truncate(file, file.stat().st_size // 2)


def bit(file: Path) -> None:
    flip(file, file.stat().st_size * 4)


def delete(file: Path) -> None:
    file.unlink()


def delete_folder(file: Path) -> None:
    shutil.rmtree(file.parent)


def unreadable(file: Path) -> None:
    """Nobody, not even root, can read it as a file."""
    file.unlink()
    file.mkdir()


def garbage(file: Path) -> None:
    file.write_bytes(b"\x00\xff garbage \x80" * 20)


def checksum(file: Path) -> Path:
    return file.with_name(f".{file.name}.crc")


def before(file: Path) -> Path:
    """The file of the epoch before."""
    return file.with_name(re.sub(r"\d+", lambda found: str(int(found[0]) - 1), file.name, count=1))


def older(file: Path) -> None:
    """Replace it, and its checksum, by those of the epoch before."""
    shutil.copy(before(file), file)
    shutil.copy(checksum(before(file)), checksum(file))


def swap(file: Path) -> None:
    """Exchange it, and its checksum, with those of the epoch before."""
    for one, other in ((file, before(file)), (checksum(file), checksum(before(file)))):
        one_data, other_data = one.read_bytes(), other.read_bytes()
        one.write_bytes(other_data)
        other.write_bytes(one_data)


def bit_of_checksum(file: Path) -> None:
    bit(checksum(file))


def edit(key: str, value: object) -> Callable[[Path], None]:
    """Another value, in a file that is JSON still."""

    def spoil(file: Path) -> None:
        data = json.loads(file.read_text())
        assert key in data
        data[key] = value
        file.write_text(json.dumps(data))

    return spoil


#: What is found -> what is done to it.
REFUSED: tuple[tuple[str, Callable[[Path], Path], tuple[Callable[[Path], None], ...]], ...] = (
    ("last offsets", latest(OFFSETS), (empty, half, bit, delete, unreadable, garbage, older, swap)),
    ("last offsets", latest(OFFSETS), (bit_of_checksum,)),
    ("offsets before", latest(OFFSETS, 1), (empty, half, bit, delete, garbage)),
    ("all offsets", latest(OFFSETS), (delete_folder,)),
    ("last commit", latest(COMMITS), (empty, half, bit, garbage, unreadable)),
    ("id of the query", only("checkpoint/metadata"), (empty, half, bit, delete, garbage)),
    ("job.json", only("checkpoint/job.json"), (empty, half, bit, delete, garbage, unreadable)),
    ("job.json", only("checkpoint/job.json"), (edit("id", "another"),)),
    ("metadata of state", only("checkpoint/state/0/_metadata/v2/0"), (empty, half, bit, garbage, delete)),
    ("schema of state", only("checkpoint/state/0/_stateSchema/default/0_*"), (empty, half, bit, delete, garbage)),
    ("last changes of state", newest(f"{STATE}/*.changelog"), (empty, half, bit, delete, garbage, unreadable)),
    ("a subtask's state", newest(f"{STATE}/*.changelog"), (delete_folder,)),
    ("notes of the file sink", only(f"{STAGING}/job-*/state.json"), (empty, half, bit, delete, garbage, unreadable)),
    ("notes of the file sink", only(f"{STAGING}/job-*/state.json"), (edit("epoch", 3),)),
    ("pieces of the file sink", only(f"{STAGING}/job-*/3-0-*"), (empty, half, delete)),
)

RECOVERED: tuple[tuple[str, Callable[[Path], Path], tuple[Callable[[Path], None], ...]], ...] = (
    ("old offsets", only(f"{OFFSETS}/1"), (empty, half, bit, delete, garbage)),
    ("last commit", latest(COMMITS), (delete, older, swap)),
    ("all commits", latest(COMMITS), (delete_folder,)),
    ("old commit", only(f"{COMMITS}/1"), (empty, delete, garbage)),
    ("owner", only("checkpoint/owner.lock"), (empty, half, delete, garbage)),
    ("old changes of state", only(f"{STATE}/2.changelog"), (empty, delete, garbage)),
    # From the snapshot before, and the changes since.
    ("last snapshot of state", newest(f"{STATE}/*.zip"), (empty, half, bit, delete, garbage)),
    ("files of snapshots", newest(f"{STATE}/SSTs/*.sst"), (empty, half, bit, delete, garbage)),
)


def cases(groups: tuple[tuple[str, Callable[[Path], Path], tuple[Callable[[Path], None], ...]], ...]) -> list[object]:
    return [
        pytest.param(find, spoil, id=f"{what} - {spoil.__name__}".replace("_", " "))
        for what, find, spoils in groups
        for spoil in spoils
    ]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Base]:
    """A job that was killed in the middle of its input."""
    parent = tmp_path_factory.mktemp("damage")
    folder, copy = parent / "job", parent / "copy"
    folder.mkdir()
    damaged_job.prepare(folder)
    runs = Runs(parent)
    run = runs.job(*_SETTINGS, damaged_job.__file__, folder, 700)
    try:
        commits = folder / "checkpoint" / "commits"
        run.until(lambda: len(list(commits.glob("[0-9]*"))) >= _EPOCHS, "epochs")
        run.process.kill()
        run.wait()
        run.assert_gone()
    finally:
        runs.end()
    shutil.copytree(folder, copy)
    damaged_job.run(folder, 100_000)
    whole = output(folder)
    yield Base(folder, copy, whole)


@pytest.fixture(autouse=True)
def finished(monkeypatch: pytest.MonkeyPatch) -> set[object]:
    """Each run stands for one in a process of its own, which does not know what has finished before."""
    finished: set[object] = set()
    monkeypatch.setattr("datastream.spark.checkpoints.directory._finished", finished)
    return finished


def output(folder: Path) -> dict[str, Counter[str]]:
    """What the job has written."""
    return {name: Counter(visible_lines(folder / "out" / name)) for name in ("counts", "copy")}


def damaged(base: Base, find: Callable[[Path], Path], spoil: Callable[[Path], None]) -> Path:
    """Put the job's folder back, and damage a file of it."""
    shutil.rmtree(base.folder)
    shutil.copytree(base.copy, base.folder)
    file = find(base.folder)
    spoil(file)
    return file


@pytest.mark.parametrize(("find", "spoil"), cases(REFUSED))
def test_refused(base: Base, find: Callable[[Path], Path], spoil: Callable[[Path], None]) -> None:
    file = damaged(base, find, spoil)
    with pytest.raises(DataStreamError) as raised:
        damaged_job.run(base.folder, 100_000)
    said = str(raised.value)
    print(said)  # shown with -rA
    assert isinstance(raised.value, CheckpointError), said
    # The state may be known by its folder only.
    assert str(file) in said or f"{base.folder}/checkpoint" in said, said
    assert "restore" in said and "\tat " not in said, said
    # Nothing came of it: with the file as it was the job goes on.
    for path in (file, checksum(file)):
        if path.is_dir():
            shutil.rmtree(path)
        kept = base.copy / path.relative_to(base.folder)
        if kept.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(kept, path)
    if not spoil.__name__.endswith("folder") and spoil is not swap:
        damaged_job.run(base.folder, 100_000)
        assert output(base.folder) == base.whole


@pytest.mark.parametrize(("find", "spoil"), cases(RECOVERED))
def test_recovered(base: Base, find: Callable[[Path], Path], spoil: Callable[[Path], None]) -> None:
    damaged(base, find, spoil)
    damaged_job.run(base.folder, 100_000)
    assert output(base.folder) == base.whole
