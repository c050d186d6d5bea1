"""The store: made once, whole or not at all, and cleaned of what nobody uses."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from datastream.environments import store as module
from datastream.environments.needs import EnvironmentRefused
from datastream.environments.store import VARIABLE, Store


def fill(folder: Path) -> None:
    (folder / "file").write_text("content")


def test_what_is_there_is_not_made_again(store: Store) -> None:
    made: list[Path] = []
    for _ in range(2):
        found = store.get("files", "k", lambda folder: (fill(folder), made.append(folder))[0])
        assert (found / "file").read_text() == "content"
    assert len(made) == 1


def test_one_of_many_makes_it(store: Store) -> None:
    made = []

    def make(folder: Path) -> None:
        made.append(folder)
        time.sleep(0.2)
        fill(folder)

    threads = [threading.Thread(target=store.get, args=("files", "k", make)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1


def test_what_fails_leaves_nothing(store: Store) -> None:
    def half(folder: Path) -> None:
        fill(folder)
        raise EnvironmentRefused("no")

    with pytest.raises(EnvironmentRefused, match="no"):
        store.get("files", "k", half)
    assert os.listdir(store.root / "files") == []
    assert store.get("files", "k", fill).is_dir()


def test_a_maker_that_is_killed_leaves_nothing_that_is_taken(store: Store) -> None:
    code = f"""
import os
from pathlib import Path
from datastream.environments.store import Store
def half(folder):
    (folder / "file").write_text("half")
    os.kill(os.getpid(), 9)
Store(Path({str(store.root)!r})).get("files", "k", half)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    assert (store.get("files", "k", fill) / "file").read_text() == "content"


def old(folder: Path, days: float) -> None:
    then = time.time() - days * 24 * 3600
    os.utime(folder, (then, then))


def test_what_nobody_uses_goes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = {key: store.get("files", key, fill) for key in ("held", "unused", "new")}
    for key in ("unused", "new"):  # as if another process had made them, and ended
        os.close(module._held.pop(str(store._users("files", key))))
    abandoned = store.root / "files" / ".new-unused-ab_c1234"
    abandoned.mkdir()
    for folder in (folders["held"], folders["unused"], abandoned):
        old(folder, 31)
    assert store.clean() == [folders["unused"]]
    assert sorted(os.listdir(store.root / "files")) == ["held", "new"]


def test_what_others_keep_in_the_named_folder_stays(store: Store, tmp_path: Path) -> None:
    """Somebody may name a folder that holds more than environments."""
    store.get("files", "own", fill)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    foreign = [store.root / name for name in ("mail/inbox", "files/notes", "files/.new-notes", "files/.new-notes-abc")]
    for folder in foreign:
        folder.mkdir(parents=True)
    link = store.root / "files" / "link"
    link.symlink_to(elsewhere)
    store._users("files", "link").touch()
    for folder in (*foreign, elsewhere):
        (folder / "precious").touch()
        old(folder, 400)
    os.utime(link, (0, 0), follow_symlinks=False)
    assert store.clean(max_bytes=0) == []
    assert all((folder / "precious").exists() for folder in (*foreign, link))


def test_what_is_being_made_is_not_taken_for_abandoned(store: Store) -> None:
    """The clock may have been set forward by days."""

    def make(folder: Path) -> None:
        old(folder, 31)
        assert store.clean() == []
        fill(folder)

    assert (store.get("files", "slow", make) / "file").read_text() == "content"


def test_what_was_used_longest_ago_goes_first_when_there_is_no_room(store: Store) -> None:
    folders = [store.get("files", key, fill) for key in "abc"]
    for days, folder in enumerate(folders):
        os.close(module._held.pop(str(store._users("files", folder.name))))
        old(folder, 10 - days)
    assert store.clean(max_bytes=14) == [folders[0]]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file"))
    with pytest.raises(EnvironmentRefused, match=rf"{tmp_path}/file, and nothing can be written there"):
        Store()


def test_without_a_home_the_folder_for_temporary_files_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    assert Store().root == tmp_path / f"datastream-environments-{os.getuid()}"
