"""Durable notes."""

from __future__ import annotations

import os
import pickle

import pytest

from datastream.errors import CheckpointError, UnsupportedOperation
from datastream.io import Spool


def test_the_first_note_stands(tmp_path):
    spool = Spool(str(tmp_path / "new" / "folder"), "a/b.c")
    assert spool.read(0, 0) is None and spool.notes() == []
    assert spool.write(0, 0, b"mine") == b"mine"
    assert Spool(str(tmp_path / "new" / "folder"), "a/b.c").write(0, 0, b"other") == b"mine"
    assert spool.read(0, 0) == b"mine"


def test_notes_are_kept_by_source_epoch_and_task_until_they_are_removed(tmp_path):
    spool, other = Spool(str(tmp_path), "s"), Spool(str(tmp_path), "other")
    for epoch in (9, 10, 11):
        for task in (0, 10):
            spool.write(epoch, task, f"{epoch} {task}".encode())
    other.write(9, 3, b"")
    assert spool.tasks(10) == [0, 10] and spool.tasks(8) == []
    spool.remove_before(11)
    assert spool.notes() == [(11, 0), (11, 10)] and spool.read(11, 10) == b"11 10"
    spool.remove(11, 0)
    spool.remove(11, 0)
    assert spool.notes() == [(11, 10)] and other.notes() == [(9, 3)]
    assert spool.written_at(11, 10) and spool.written_at(11, 0) is None


def test_parts_are_apart(tmp_path):
    spool = Spool(str(tmp_path), "s")
    spool.part("done").write(1, 1, b"")
    assert spool.notes() == [] and spool.part("done").notes() == [(1, 1)]


@pytest.mark.parametrize("broken", ["fsync", "link"])
def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch, broken):
    spool = Spool(str(tmp_path), "s")
    spool.write(0, 0, b"")

    def fail(*arguments):
        raise OSError("disk full")

    monkeypatch.setattr(os, broken, fail)
    with pytest.raises(OSError, match="disk full"):
        spool.write(1, 0, b"x")
    assert os.listdir(tmp_path / "s") == ["0-0"]


def test_without_a_shared_folder_there_is_none():
    with pytest.raises(UnsupportedOperation, match="'s' keeps durable notes.*remote file system"):
        Spool(None, "s").read(0, 0)


@pytest.mark.parametrize("uid", ["x" * 300, "ä" * 100], ids=["long", "long when quoted"])
def test_long_uids_have_notes_of_their_own(tmp_path, uid):
    Spool(str(tmp_path), uid).write(0, 0, b"mine")
    Spool(str(tmp_path), uid + "!").write(0, 0, b"other")
    assert Spool(str(tmp_path), uid).read(0, 0) == b"mine"


@pytest.mark.parametrize("data", [b"", b"\xd5note1", b"garbage", None], ids=["empty", "half", "garbage", "a folder"])
def test_a_damaged_note_is_an_error(tmp_path, data):
    spool = Spool(str(tmp_path), "s")
    spool.write(3, 1, b"a note")
    file = tmp_path / "s" / "3-1"
    file.unlink()
    file.mkdir() if data is None else file.write_bytes(data)
    with pytest.raises(CheckpointError, match="/s/3-1 is damaged: .*restore the checkpoint directory"):
        spool.read(3, 1)


def test_a_note_with_any_bit_flipped_is_an_error(tmp_path):
    spool = Spool(str(tmp_path), "s")
    spool.write(0, 0, b"note")
    file = tmp_path / "s" / "0-0"
    whole = file.read_bytes()
    for bit in range(len(whole) * 8):
        spoiled = bytearray(whole)
        spoiled[bit // 8] ^= 1 << bit % 8
        file.write_bytes(spoiled)
        with pytest.raises(CheckpointError, match="damaged"):
            spool.read(0, 0)


def test_notes_of_earlier_versions_have_no_checksum(tmp_path):
    spool = Spool(str(tmp_path), "s")
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "0-0").write_bytes(pickle.dumps([1], 5))
    assert pickle.loads(spool.read(0, 0)) == [1]
