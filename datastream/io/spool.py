"""The spool: durable notes of what an epoch read, for systems that cannot give the same data twice."""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from urllib.parse import quote

from xxhash import xxh3_64_digest, xxh3_64_hexdigest

from datastream.errors import CheckpointDamaged, CheckpointError, UnsupportedOperation

from .durable import make_folder, sync_folder

_LONG = 200

#: A note begins with this and with its checksum.
_MARK = b"\xd5note1"
_HEAD = len(_MARK) + 8
_PICKLE = b"\x80"


class Spool:
    """Notes of one source or sink, by epoch and task, on the file system of the checkpoint.

    A source writes a note before it emits anything that it read in the epoch, and reads the note when the epoch runs
    again. Three kinds of system need that: queues, which forget what was acknowledged (the note holds the messages);
    logs whose end is not known before reading (the note holds the end); and loops, where one epoch's sink side leaves
    what the next epoch's source side reads.

    A note is on the disk, whole, when `write` returns. The first note of an epoch and task is kept: of two attempts
    that run at once, the later one gets the other's. Notes stay until they are removed.

    Args:
        folder: Where the notes of all sources and sinks are, shared by all processes of the job; made when first
            written to. None: there is none, because the checkpoint directory is on a remote file system.
        uid: Of the source or sink.
        top: A folder above all notes, which is there. Default: the one that `folder` is in.
    """

    def __init__(self, folder: str | None, uid: str, top: str | None = None) -> None:
        self._uid = uid
        self._folder = folder and os.path.join(folder, _name(uid))
        self._top = top or (folder and os.path.dirname(folder))
        self._made = False

    def read(self, epoch: int, task: int) -> bytes | None:
        """The note of an epoch and task; None: there is none.

        Raises:
            CheckpointError: it is damaged.
        """
        path = self._path(epoch, task)
        try:
            with open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _damaged(path, error.strerror or str(error)) from error
        if not data.startswith(_MARK):
            if data.startswith(_PICKLE):
                return data  # of an earlier version
            raise _damaged(path, "it does not begin as a note does")
        note = data[_HEAD:]
        if data[:_HEAD] != _head(note):
            raise _damaged(path, "it does not match its checksum")
        return note

    def require(self, epoch: int, task: int) -> bytes:
        """The note of an epoch and task, which must be there.

        Raises:
            CheckpointError: It is missing or damaged.
        """
        note = self.read(epoch, task)
        if note is None:
            raise _damaged(self._path(epoch, task), "it is missing")
        return note

    def write(self, epoch: int, task: int, note: bytes) -> bytes:
        """Leave a note, unless there is one.

        Returns:
            The note that is kept: `note`, or what another attempt wrote before.

        Raises:
            OSError: it cannot be written.
        """
        path = self._path(epoch, task)
        folder = os.path.dirname(path)
        if not self._made or not os.path.isdir(folder):
            assert self._top is not None
            make_folder(folder, self._top)
            self._made = True
        aside = f"{path}.{uuid.uuid4().hex}"
        try:
            with open(aside, "xb") as file:
                file.write(_head(note) + note)
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(aside, path)
            except FileExistsError:
                known = self.read(epoch, task)
                assert known is not None, f"{path} vanished: the epoch is committed, and must not be written to"
                note = known
        finally:
            with suppress(FileNotFoundError):
                os.remove(aside)
        sync_folder(folder)
        return note

    def tasks(self, epoch: int) -> list[int]:
        """The tasks that have left a note in an epoch."""
        return sorted(task for found, task in self.notes() if found == epoch)

    def notes(self) -> list[tuple[int, int]]:
        """Epoch and task of all notes, in order."""
        found = []
        with suppress(FileNotFoundError):
            for name in os.listdir(self._existing()):
                epoch, _, task = name.partition("-")
                if epoch.isdigit() and task.isdigit():
                    found.append((int(epoch), int(task)))
        return sorted(found)

    def written_at(self, epoch: int, task: int) -> float | None:
        """When a note was written, in seconds since 1970; None: there is none."""
        try:
            return os.path.getmtime(self._path(epoch, task))
        except FileNotFoundError:
            return None

    def part(self, name: str) -> Spool:
        """More notes of the same source or sink, of another kind."""
        return Spool(self._folder and os.path.join(self._folder, "parts"), name, self._top)

    def beside(self, name: str) -> str:
        """The path of a folder for larger data of the same source or sink, beside all notes; no savepoint holds it.

        Args:
            name: What kind of data it is.

        Raises:
            UnsupportedOperation: The checkpoint directory is on a remote file system.
        """
        assert self._top is not None or self._folder is None
        return os.path.join(self._top or self._existing(), name, os.path.basename(self._existing()))

    def remove(self, epoch: int, task: int) -> None:
        """Remove a note, if it is there."""
        with suppress(FileNotFoundError):
            os.remove(self._path(epoch, task))

    def remove_before(self, epoch: int) -> None:
        """Remove the notes of all earlier epochs: they are committed for good."""
        with suppress(FileNotFoundError):
            for name in os.listdir(self._existing()):
                number = name.partition("-")[0]
                if number.isdigit() and int(number) < epoch:
                    with suppress(FileNotFoundError):
                        os.remove(os.path.join(self._existing(), name))

    def _path(self, epoch: int, task: int) -> str:
        return os.path.join(self._existing(), f"{epoch}-{task}")

    def _existing(self) -> str:
        if self._folder is None:
            raise UnsupportedOperation(
                f"'{self._uid}' keeps durable notes beside the checkpoint, which is on a remote file system; give a "
                "checkpoint directory that the driver and all workers can reach by the same path"
            )
        return self._folder


def _head(note: bytes) -> bytes:
    return _MARK + xxh3_64_digest(note)


def _damaged(path: str, why: str) -> CheckpointError:
    hint = "restore the checkpoint directory as a whole from a backup, or give the job another --checkpoint-dir"
    return CheckpointDamaged(f"the note {path} is damaged: {why}; {hint}")


def _name(uid: str) -> str:
    """The folder of a uid; file systems take names of 255 bytes."""
    name = quote(uid, safe=" ").replace(".", "%2E") or "%"
    return name if len(name) <= _LONG else f"{name[:_LONG]}%{xxh3_64_hexdigest(uid.encode())}"
