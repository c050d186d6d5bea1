"""Folders that are made once a machine, kept by what they were made of.

Each is made under a lock and then named, so no half of one is seen. Who uses one holds it; one that is not held goes
after some time, or when all together take too much room.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from .needs import EnvironmentRefused

#: The folder of the store, if not the one in the user's cache.
VARIABLE = "DATASTREAM_ENVIRONMENTS"
#: What has not been used for this time is removed.
MAX_AGE_S = 30 * 24 * 3600.0
#: Of all together, in bytes; what was used longest ago goes first.
MAX_BYTES = 20 << 30
_CLEANED_EVERY_S = 24 * 3600.0
_ABANDONED_S = 24 * 3600.0
_NEW = ".new-"

_held: dict[str, int] = {}  # descriptors, which are open as long as the process lives
_holding = threading.Lock()


def place() -> Path:
    """Where the store of this machine is."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).absolute()
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(cache, "datastream", "environments")


class Store:
    """The folders of a machine.

    Args:
        root: Where they are; made if it is not there.

    Raises:
        EnvironmentRefused: Nothing can be written there, nor in the folder for temporary files.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or place()
        try:
            self._begin()
        except OSError as error:
            if root is not None or os.environ.get(VARIABLE):
                raise EnvironmentRefused(
                    f"environments of Python are kept in {self.root}, and nothing can be written there: "
                    f"{error.strerror}\n  name another folder by the variable {VARIABLE}"
                ) from error
            self.root = Path(tempfile.gettempdir(), f"datastream-environments-{os.getuid()}")
            self._begin()

    def _begin(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        facts = self.root.stat()
        if facts.st_uid not in (os.getuid(), 0) or not os.access(self.root, os.W_OK):
            raise PermissionError(13, "it belongs to another user")

    def get(self, kind: str, key: str, make: Callable[[Path], None]) -> Path:
        """The folder of a key, held until this process ends; made if it is not there.

        Args:
            kind: What kind of folder, such as ``packages``.
            key: What it is made of, as a digest.
            make: Fills an empty folder. What it raises is raised, and nothing stays.
        """
        target = self.root / kind / key
        with self._locked(kind, key):
            if not target.exists():
                target.parent.mkdir(exist_ok=True)
                new = Path(tempfile.mkdtemp(prefix=f"{_NEW}{key}-", dir=target.parent))
                new.chmod(0o755)
                try:
                    make(new)
                    os.rename(new, target)
                except BaseException as error:
                    shutil.rmtree(new, ignore_errors=True)
                    if isinstance(error, OSError):
                        raise EnvironmentRefused(
                            f"nothing could be made in {target.parent}: {error.strerror or error}"
                        ) from error
                    raise
            self.clean_now_and_then()
            self._hold(kind, key)
            with contextlib.suppress(OSError):
                os.utime(target)  # used today
        return target

    @contextlib.contextmanager
    def _locked(self, kind: str, key: str) -> Iterator[None]:
        locks = self.root / "locks"
        locks.mkdir(exist_ok=True)
        with open(locks / f"{kind}-{key}", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _users(self, kind: str, key: str) -> Path:
        return self.root / "locks" / f"{kind}-{key}.used"

    def _hold(self, kind: str, key: str) -> None:
        """Keep a folder from being cleaned away while this process lives, also as another program."""
        path = str(self._users(kind, key))
        with _holding:
            if path not in _held:
                file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
                os.set_inheritable(file, True)
                fcntl.flock(file, fcntl.LOCK_SH)
                _held[path] = file

    def clean_now_and_then(self) -> None:
        """Clean in the background, if that has not been done for a day."""
        mark = self.root / "cleaned"
        with contextlib.suppress(OSError):
            if mark.exists() and time.time() - mark.stat().st_mtime < _CLEANED_EVERY_S:
                return
            mark.touch()
            threading.Thread(target=self.clean, name="datastream-environments", daemon=True).start()

    def clean(self, max_age_s: float = MAX_AGE_S, max_bytes: int = MAX_BYTES) -> list[Path]:
        """Remove what is not held and was not used for long, or has no room; what was removed.

        Args:
            max_age_s: What was used since then stays.
            max_bytes: All together may take so much.
        """
        now = time.time()
        removed, found = [], []
        for folder in self.root.glob("*/*"):
            with contextlib.suppress(OSError):
                about = folder.lstat()
                if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
                    continue
                used, kind = about.st_mtime, folder.parent.name
                if folder.name.startswith(_NEW):
                    if now - used > _ABANDONED_S:
                        self._remove_abandoned(kind, folder)
                elif self._users(kind, folder.name).is_file():  # else it was not made here
                    found.append((used, _size(folder), folder))
        room = sum(size for _, size, _ in found)
        for used, size, folder in sorted(found):
            if (now - used > max_age_s or room > max_bytes) and self._remove(folder):
                room -= size
                removed.append(folder)
        return removed

    def _remove_abandoned(self, kind: str, folder: Path) -> None:
        """Remove a folder that is not being filled, if it was begun here.

        Raises:
            OSError: It was not, or it is in use.
        """
        key = folder.name.removeprefix(_NEW).rpartition("-")[0]
        with open(self.root / "locks" / f"{kind}-{key}", "r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)

    def _remove(self, folder: Path) -> bool:
        """Remove a folder unless it is held."""
        kind, key = folder.parent.name, folder.name
        with self._locked(kind, key), open(self._users(kind, key), "w") as users:
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return False
            gone = folder.with_name(f"{_NEW}{key}-gone")
            with contextlib.suppress(OSError):
                os.rename(folder, gone)
            shutil.rmtree(gone, ignore_errors=True)
            return not folder.exists()


def _size(folder: Path) -> int:
    total = 0
    for place_, _, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place_, name)).st_size
    return total
