"""The manifest of a savepoint: what is in its folder, and whether it is whole."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from xxhash import xxh3_128_hexdigest

from datastream import __version__
from datastream.errors import CheckpointDamaged, CheckpointError
from datastream.io.checksums import checksum_of
from datastream.io.durable import replace_file, sync_folder
from datastream.runtime.state_format import FIRST_FORMAT, FORMAT

#: Of the folder's layout and the manifest.
VERSION = 1
MANIFEST = "manifest.json"
STATE = "state"
SPOOL = "spool"


@dataclass(frozen=True)
class SavedFile:
    """A file of a savepoint.

    Attributes:
        name: Relative to the folder.
        bytes: Its size.
        checksum: The XXH3 of its content, 128 bits in hexadecimal.
        operator: Of a file with state: the operator's uid.
        entries: Of a file with state: how many entries it holds.
        keys: Of a file with state: how many keys these belong to.
    """

    name: str
    bytes: int
    checksum: str
    operator: str = ""
    entries: int = 0
    keys: int = 0


@dataclass(frozen=True)
class Manifest:
    """What is in a savepoint.

    Attributes:
        job_id: Of the job that it was taken from.
        job_name: Its name; empty where it is not known.
        epoch: The last epoch that is in the state.
        operators: By uid, of those with state: ``kind``, ``level``, ``parallelism``, ``max_parallelism``, and
            ``states``: by name ``form`` and number of ``keys``.
        sources: By uid: ``type`` and ``offset``.
        sinks: By uid, their classes.
        files: With state.
        spool: Notes of sources and sinks.
        ended: Uids of the sources that had ended.
        interrupted: A later epoch had begun and was not committed.
        format: Version of the state format.
        release: The datastream that wrote it.
        created: When, as ISO 8601 in UTC.
        id: Differs between any two savepoints.
    """

    job_id: str
    job_name: str
    epoch: int
    operators: Mapping[str, Mapping[str, Any]]
    sources: Mapping[str, Mapping[str, Any]]
    sinks: Mapping[str, str] = field(default_factory=dict)
    files: tuple[SavedFile, ...] = ()
    spool: tuple[SavedFile, ...] = ()
    ended: tuple[str, ...] = ()
    interrupted: bool = False
    format: int = FORMAT
    release: str = __version__
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    id: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def keys(self) -> int:
        """How many keys have state, of all operators."""
        return sum(file.keys for file in self.files)

    @property
    def bytes(self) -> int:
        """The size of all files but the manifest."""
        return sum(file.bytes for file in (*self.files, *self.spool))


def folder_of(path: str | os.PathLike[str]) -> Path:
    """The folder that a path or file URI names.

    Raises:
        CheckpointError: It is on a remote file system.
    """
    text = os.fspath(path)
    if "://" in text and not text.startswith("file://"):
        raise CheckpointError(f"a savepoint needs a folder that this machine reaches by a path, got {text}")
    text = text.removeprefix("file://") if text.startswith("file://") else text.removeprefix("file:")
    return Path(text).expanduser().absolute()


def is_savepoint(folder: Path) -> bool:
    """Whether a folder holds a manifest."""
    return (folder / MANIFEST).exists()


@contextmanager
def new_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder for a savepoint that is being written; what was written goes when that fails.

    Raises:
        CheckpointError: There is something in it, or it cannot be made.
    """
    folder = folder_of(path)
    missing = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        filled = any(folder.iterdir())
    except OSError as error:
        what = "it is a file" if folder.is_file() else error.strerror
        raise CheckpointError(f"the savepoint {folder} cannot be written: {what}; choose another directory") from error
    if filled:
        raise CheckpointError(f"the folder {folder} is not empty: a savepoint needs a new one; nothing was written")
    try:
        (folder / STATE).mkdir()
        yield folder
    except BaseException as error:
        with suppress(OSError):  # what failed first is what people must hear of
            for part in folder.iterdir():
                shutil.rmtree(part, ignore_errors=True) if part.is_dir() else part.unlink(missing_ok=True)
            if missing:
                folder.rmdir()
        if isinstance(error, OSError) and not isinstance(error, ConnectionError):  # that is Spark's
            raise unwritten(folder, error) from error
        raise


def unwritten(folder: str | os.PathLike[str], error: OSError) -> CheckpointError:
    """The error of a savepoint that could not be written."""
    return CheckpointError(f"the savepoint {os.fspath(folder)} cannot be written: {error}; no savepoint is left there")


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Make a folder a savepoint. What is in it must be on the disk."""
    content = {"savepoint": VERSION, **asdict(manifest)}
    content["checksum"] = _checksum(content)
    sync_folder(folder / STATE)
    sync_folder(folder)
    replace_file(folder / MANIFEST, json.dumps(content, indent=1).encode())
    sync_folder(folder.parent)


def _no_savepoint(folder: Path) -> str:
    if not folder.exists():
        return f"{folder} is not a savepoint: the folder does not exist"
    inside = sorted(file.parent.name for file in folder.glob(f"*/{MANIFEST}"))
    hint = f"; it holds savepoints, such as {inside[-1]}: give one of them" if inside else ""
    if (folder / "job.json").exists():
        hint = "; --checkpoint-dir takes checkpoint directories"
    return f"{folder} is not a savepoint: it has no {MANIFEST}{hint}"


def read_manifest(folder: Path) -> Manifest:
    """What is in a savepoint; its files are not looked at.

    Raises:
        CheckpointError: It is no savepoint, is damaged, or of a later version than can be read.
    """
    file = folder / MANIFEST
    try:
        content = json.loads(file.read_text("utf-8"))
        if not isinstance(content, dict):
            raise ValueError("it holds no object")
        version = int(content["savepoint"])
    except FileNotFoundError:
        raise CheckpointError(_no_savepoint(folder)) from None
    except NotADirectoryError:
        raise CheckpointError(f"{folder} is not a savepoint: it is a file; give the folder that holds it") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(folder, f"{MANIFEST} cannot be read: {type(error).__name__}: {error}") from error
    release = content.get("release", "a later version")
    if version > VERSION:
        raise _later(folder, f"is of version {version}", release, f"version {VERSION}")
    if content.pop("checksum", None) != _checksum(content):
        raise _damaged(folder, f"{MANIFEST} was changed: its checksum is another one")
    if content["format"] > FORMAT:
        raise _later(folder, f"has state of format {content['format']}", release, f"format {FORMAT}")
    if content["format"] < FIRST_FORMAT:
        raise CheckpointDamaged(
            f"the savepoint {folder} has state of format {content['format']}, which no published version of datastream "
            f"has written; this is datastream {__version__}, which reads format {FORMAT}. Nothing was read or written"
        )
    del content["savepoint"]
    for name in ("files", "spool"):
        content[name] = tuple(SavedFile(**file) for file in content[name])
    content["ended"] = tuple(content["ended"])
    return Manifest(**content)


def verify(folder: Path, manifest: Manifest, progress: Callable[[int], None] | None = None) -> None:
    """Compare the files of a savepoint with what the manifest says of them.

    Args:
        folder: The savepoint.
        manifest: Its manifest.
        progress: Hears of the bytes of each file that was read.

    Raises:
        CheckpointError: One is missing or damaged.
    """
    for file in (*manifest.files, *manifest.spool):
        path = folder / file.name
        try:
            size = path.stat().st_size
            if size != file.bytes:
                raise _damaged(folder, f"{file.name} has {size:,} bytes instead of {file.bytes:,}")
            found = _checksum_at(path)
        except FileNotFoundError:
            raise _damaged(folder, f"{file.name} is missing") from None
        except OSError as error:
            raise _damaged(folder, f"{file.name} cannot be read: {error.strerror}") from error
        if found != file.checksum:
            raise _damaged(folder, f"the checksum of {file.name} is {found} instead of {file.checksum}")
        if progress is not None:
            progress(file.bytes)


def saved_file(folder: Path, path: Path, **more: Any) -> SavedFile:
    """What the manifest is to say of a file."""
    return SavedFile(path.relative_to(folder).as_posix(), path.stat().st_size, _checksum_at(path), **more)


def _checksum_at(path: Path) -> str:
    with path.open("rb") as file:
        return checksum_of(file)


def _checksum(content: Mapping[str, Any]) -> str:
    return xxh3_128_hexdigest(json.dumps(content, sort_keys=True).encode())


def _damaged(folder: Path, why: str) -> CheckpointError:
    return CheckpointDamaged(
        f"the savepoint {folder} is damaged: {why}. Nothing was read or written; copy it again, or use another one"
    )


def _later(folder: Path, what: str, release: str, reads: str) -> CheckpointError:
    return CheckpointDamaged(
        f"the savepoint {folder} {what}, written by datastream {release}; this is datastream {__version__}, which "
        f"reads up to {reads}. Nothing was read or written\n  run the job with datastream {release} or later"
    )
