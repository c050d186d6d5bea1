"""The files of a directory of generations: which one is the newest, what is removed, what is noted."""

from __future__ import annotations

from pathlib import Path

import pytest

from datastream.errors import CheckpointError, CheckpointInUse, CheckpointMismatch
from datastream.services.runner.generations import Generations
from datastream.spark.checkpoints import GENERATIONS
from datastream.spark.checkpoints.directory import _refuse_generations


def checkpoint(folder: Path, committed: int, begun: int) -> None:
    for name, last in (("commits", committed), ("offsets", begun)):
        (folder / name).mkdir(parents=True)
        for number in range(last + 1):
            (folder / name / str(number)).touch()
            (folder / name / f".{number}.crc").touch()
    (folder / "job.json").touch()


def test_the_newest_is_the_one_of_the_highest_number(tmp_path: Path) -> None:
    generations = Generations(f"file://{tmp_path}/new")
    with generations.hold():
        assert generations.newest() is None
        checkpoint(generations.folder, 3, 3)
        assert generations.newest() == 0 and generations.path(0) == generations.folder
        checkpoint(generations.path(9), -1, 0)
        checkpoint(generations.path(10), 4, 5)
        (generations.folder / "11").mkdir()
        (generations.folder / "11" / "owner.lock").touch()
        (generations.savepoint(12)).mkdir(parents=True)
        assert generations.newest() == 10, "a directory alone is none"
        assert (generations.committed(10), generations.begun(10)) == (4, 5)
        assert (generations.committed(9), generations.begun(9)) == (None, 0)


def test_one_process_holds_them(tmp_path: Path) -> None:
    generations = Generations(str(tmp_path))
    with generations.hold(), pytest.raises(CheckpointInUse, match="another running job"):
        generations.hold()
    generations.hold().close()
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match="it is a file"):
        Generations(str(tmp_path / "file")).hold()


def test_what_is_older_goes(tmp_path: Path) -> None:
    generations = Generations(str(tmp_path))
    checkpoint(tmp_path, 3, 3)
    for number in (1, 2, 3):
        checkpoint(generations.path(number), 3, 3)
        generations.savepoint(number).mkdir(parents=True)
    (tmp_path / ".removed-7").mkdir()
    (tmp_path / "of another's").touch()
    generations.write_note(parallelism=2)
    removed = generations.remove_before(3)
    assert len(removed) == 5
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["3", "generations.json", "of another's", "savepoints"]
    assert [path.name for path in (tmp_path / "savepoints").iterdir()] == ["3"]
    assert generations.remove_before(3) == []
    generations.remove(3)
    assert generations.newest() is None


def test_what_others_keep_beside_them_stays(tmp_path: Path) -> None:
    """Somebody may name a directory that holds more: data by years or days, say."""
    generations = Generations(str(tmp_path))
    for number in (2, 30):
        checkpoint(generations.path(number), 3, 3)
    checkpoint(generations.savepoint(4), 3, 3)
    foreign = [tmp_path / name for name in ("1", "3", ".removed-reports", "savepoints/notes")]
    for folder in foreign:
        folder.mkdir(parents=True)
        (folder / "precious").touch()
    (tmp_path / "5").symlink_to(tmp_path / "2")
    (tmp_path / "6").touch()
    assert generations.remove_before(30) == [str(tmp_path / "2")]
    assert all((folder / "precious").exists() for folder in foreign)
    assert generations.savepoint(4).exists()
    assert (tmp_path / "5").is_symlink() and (tmp_path / "6").exists()


def test_notes(tmp_path: Path) -> None:
    generations = Generations(str(tmp_path))
    assert generations.read_note() == {}
    generations.write_note(parallelism=2)
    generations.write_note(restored="abc", parallelism=4)
    assert generations.read_note() == {"parallelism": 4, "restored": "abc"}
    for text in ("{", "[]"):
        (tmp_path / "generations.json").write_text(text)
        with pytest.raises(CheckpointError, match=r"generations\.json is damaged .* delete it"):
            generations.read_note()


def test_a_job_without_generations_is_refused_among_them(tmp_path: Path) -> None:
    checkpoint(tmp_path / "1", 0, 0)
    _refuse_generations(tmp_path)
    (tmp_path / GENERATIONS).touch()
    (tmp_path / "12").mkdir()
    with pytest.raises(CheckpointMismatch, match="the last one in 1; nothing"):
        _refuse_generations(tmp_path)
