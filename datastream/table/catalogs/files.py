"""The files of a catalog: a folder for each database, a file of JSON for each object."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, Generic, TypeVar
from urllib.parse import quote, unquote

from datastream.errors import DataStreamError
from datastream.table.catalogs.errors import (
    CatalogException,
    DamagedException,
    DatabaseNotExistException,
    LaterVersionException,
)
from datastream.table.catalogs.names import ObjectPath

V = TypeVar("V")

VERSION = 1
_SUFFIX = ".json"
_DATABASE = "database" + _SUFFIX
_LOCK = ".lock"
#: How long to wait for others who change the catalog. A change takes milliseconds.
_PATIENCE_S = 30.0
_PAUSE_S = 0.02


class CatalogFiles:
    """The folder of a catalog, which its owner alone can read: options may hold passwords.

    Any number of processes may use it at once. A file appears, changes and vanishes as a whole, and who changes the
    catalog holds its lock.

    Args:
        catalog: The catalog's name, for errors.
        folder: Made when it is not there.

    Attributes:
        folder: Its whole path.

    Raises:
        CatalogException: It is no folder, or cannot be made.
    """

    def __init__(self, catalog: str, folder: str) -> None:
        self.catalog, self.folder = catalog, os.path.abspath(folder)
        self._lock, self._depth, self._held = threading.RLock(), 0, -1
        self._read: dict[str, tuple[tuple[int, int, int], Any]] = {}
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
        except OSError as error:
            raise CatalogException(
                f"catalog {catalog}: option 'path': {self.folder} cannot be a folder: {error.strerror}"
            ) from None

    @contextlib.contextmanager
    def changed(self) -> Iterator[None]:
        """Hold the lock of the catalog, against other processes and threads.

        Raises:
            CatalogException: Another process has held it for too long, or the folder cannot be written.
        """
        with self._lock:
            if self._depth == 0:
                self._held = self._acquire()
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0:
                    os.close(self._held)  # which unlocks it

    def databases(self) -> list[str]:
        """The names of all databases."""
        return sorted(
            unquote(each) for each in self._names(self.folder) if os.path.exists(self._path(unquote(each), _DATABASE))
        )

    def objects(self, database: str, kind: str) -> list[str]:
        """The names of the objects of a kind in a database."""
        end = f".{kind}{_SUFFIX}"
        found = self._names(self._path(database))
        names = (each.removesuffix(end) for each in found if each.endswith(end) and each != _DATABASE)
        return sorted(unquote(each) for each in names if _file(unquote(each)) == each)

    def path_of(self, database: str, kind: str, name: str | None) -> str:
        """The file of an object, or of a database itself."""
        return self._path(database, _DATABASE if name is None else f"{_file(name)}.{kind}{_SUFFIX}")

    def read(self, path: str, what: str, decode: Callable[[Any], V]) -> V | None:
        """What a file holds; None: there is none. A file that has not changed is not read again.

        Args:
            path: The file.
            what: Names the object, for errors.
            decode: Makes it of the file's JSON.

        Raises:
            CatalogException: The file is damaged, or cannot be read.
        """
        try:
            with open(path, encoding="utf-8") as file:
                stat = os.fstat(file.fileno())
                state = stat.st_ino, stat.st_mtime_ns, stat.st_size
                known = self._read.get(path)
                # Who changes it reads it anew: an index node may come again within one tick of the clock.
                if known is not None and known[0] == state and not self._depth:
                    found: V = known[1]
                    return found
                text = file.read()
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise self._damaged(path, what, error) from None
        except OSError as error:
            raise CatalogException(
                f"{what} of catalog {self.catalog} cannot be read from {path}: {error.strerror}"
            ) from None
        try:
            content = json.loads(text)
            if not isinstance(content, dict):
                raise TypeError("expected an object of JSON")
            version = content.get("version")
            if isinstance(version, int) and version > VERSION:
                raise LaterVersionException(
                    f"{what} of catalog {self.catalog}: {path} was written by a later version of this program: use it"
                )
            if version != VERSION:
                raise ValueError("it has no version")
            made = decode(content)
        except CatalogException:
            raise
        except KeyError as error:
            raise self._damaged(path, what, f"{error} is missing") from None
        except (ValueError, TypeError, AttributeError, DataStreamError) as error:
            raise self._damaged(path, what, error) from None
        self._read[path] = state, made
        return made

    def write(self, path: str, what: str, content: dict[str, Any]) -> None:
        """Make a file, or put other content into it, as a whole.

        Raises:
            CatalogException: It cannot be written.
        """
        folder = os.path.dirname(path)
        try:
            if os.path.basename(path) == _DATABASE:
                os.makedirs(folder, mode=0o700, exist_ok=True)
            handle, written = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=folder)  # readable by its owner
            try:
                with open(handle, "w", encoding="utf-8") as file:
                    json.dump({"version": VERSION, **content}, file, indent=2, ensure_ascii=False)
                    file.write("\n")
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(written, path)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.remove(written)
                raise
            _sync(folder)
        except FileNotFoundError:
            name = unquote(os.path.basename(folder))
            raise DatabaseNotExistException(f"Database {name} does not exist in Catalog {self.catalog}.") from None
        except OSError as error:
            raise CatalogException(
                f"{what} of catalog {self.catalog} cannot be written to {path}: {error.strerror}"
            ) from None

    def remove(self, path: str) -> bool:
        """Delete a file, and with that of a database its folder. Returns whether it was there."""
        self._read.pop(path, None)
        folder, name = os.path.split(path)
        try:
            os.remove(path)
            if name == _DATABASE:
                for left in os.listdir(folder):  # of processes that were killed
                    os.remove(os.path.join(folder, left))
                os.rmdir(folder)
            else:
                _sync(folder)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise CatalogException(f"catalog {self.catalog}: {path} cannot be deleted: {error.strerror}") from None
        return True

    def _path(self, *names: str) -> str:
        database, *rest = names
        return os.path.join(self.folder, _file(database), *rest)

    def _names(self, folder: str) -> list[str]:
        try:
            return [name for name in os.listdir(folder) if not name.startswith(".")]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise CatalogException(f"catalog {self.catalog}: {folder} cannot be read: {error.strerror}") from None

    def _acquire(self) -> int:
        path = os.path.join(self.folder, _LOCK)
        try:
            held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise CatalogException(f"catalog {self.catalog}: {path} cannot be written: {error.strerror}") from None
        end = time.monotonic() + _PATIENCE_S
        while True:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return held
            except BlockingIOError:
                if time.monotonic() < end:
                    time.sleep(_PAUSE_S)
                    continue
                os.close(held)
                raise CatalogException(
                    f"catalog {self.catalog}: another process has been changing it for {_PATIENCE_S:.0f} s (it holds "
                    f"the lock of {path}); try again"
                ) from None
            except OSError as error:
                os.close(held)
                raise CatalogException(
                    f"catalog {self.catalog}: {path} cannot be locked: {error.strerror}; keep the catalog on a file "
                    "system with locks"
                ) from None

    def _damaged(self, path: str, what: str, why: object) -> DamagedException:
        return DamagedException(
            f"{what} of catalog {self.catalog}: {path} is damaged: {' '.join(str(why).split())}; restore the file, or "
            "delete it and create the object again"
        )


class KeptObjects(MutableMapping[ObjectPath, V], Generic[V]):
    """The objects of a kind in a catalog's files.

    Args:
        files: The files.
        kind: Such as ``table``.
        encode: An object as JSON.
        decode: JSON as an object.
    """

    def __init__(
        self, files: CatalogFiles, kind: str, encode: Callable[[V], dict[str, Any]], decode: Callable[[Any], V]
    ) -> None:
        self._files, self._kind, self._encode, self._decode = files, kind, encode, decode

    def __getitem__(self, path: ObjectPath) -> V:
        found = self._files.read(self._path(path), f"{self._kind} {path.get_full_name()}", self._decode)
        if found is None:
            raise KeyError(path)
        return found

    def __contains__(self, path: object) -> bool:
        return isinstance(path, ObjectPath) and os.path.exists(self._path(path))

    def __setitem__(self, path: ObjectPath, value: V) -> None:
        self._files.write(self._path(path), f"{self._kind} {path.get_full_name()}", self._encode(value))

    def __delitem__(self, path: ObjectPath) -> None:
        if not self._files.remove(self._path(path)):
            raise KeyError(path)

    def __iter__(self) -> Iterator[ObjectPath]:
        for database in self._files.databases():
            yield from (ObjectPath(database, name) for name in self._files.objects(database, self._kind))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _path(self, path: ObjectPath) -> str:
        return self._files.path_of(path.database, self._kind, path.name)


class KeptDatabases(MutableMapping[str, V], Generic[V]):
    """The databases in a catalog's files.

    Args:
        files: The files.
        encode: A database as JSON.
        decode: JSON as a database.
    """

    def __init__(self, files: CatalogFiles, encode: Callable[[V], dict[str, Any]], decode: Callable[[Any], V]) -> None:
        self._files, self._encode, self._decode = files, encode, decode

    def __getitem__(self, name: str) -> V:
        found = self._files.read(self._path(name), f"database {name}", self._decode)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(name) and os.path.exists(self._path(name))

    def __setitem__(self, name: str, value: V) -> None:
        self._files.write(self._path(name), f"database {name}", self._encode(value))

    def __delitem__(self, name: str) -> None:
        if not self._files.remove(self._path(name)):
            raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._files.databases())

    def __len__(self) -> int:
        return len(self._files.databases())

    def _path(self, name: str) -> str:
        return self._files.path_of(name, "database", None)


def _file(name: str) -> str:
    """A name as that of a file: letters, digits, ``_`` and ``-`` are as they are."""
    return quote(name, safe="").replace("~", "%7E").replace(".", "%2E")


def _sync(folder: str) -> None:
    """Bring the names of a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
