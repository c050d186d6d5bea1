"""The files of a watched folder that have been read, so that each is read once."""

from __future__ import annotations

import base64
from collections.abc import Iterable

from xxhash import xxh3_128_digest

from datastream.errors import CheckpointDamaged, UnsupportedOperation
from datastream.io import Spool

_FAN = 64
"""The number of notes that are merged into one, so that there are few of them."""

_LEVELS = 8
_BYTES = 16


class SeenFiles:
    """The digests of files: in memory, and as notes beside the checkpoint.

    Where there are no notes, because the checkpoint is on a remote file system, offsets hold the digests.

    Args:
        spool: The source's notes.
    """

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._digests: set[bytes] | None = None
        self._next = 0
        self._noted = True
        self._offset_text = ""

    def __contains__(self, path: str) -> bool:
        assert self._digests is not None, "load comes first"
        return _digest(path) in self._digests

    def load(self, count: int, in_offset: str) -> None:
        """Learn what an earlier run has read; does nothing the second time.

        Args:
            count: How many files it had read at least.
            in_offset: What the offset holds of them.

        Raises:
            CheckpointError: Notes are missing.
        """
        if self._digests is not None:
            return
        data = base64.b64decode(in_offset)
        self._digests = _cut(data)
        try:
            for number, level in self._spool.notes():
                self._digests |= _cut(self._spool.require(number, level))
                self._next = max(self._next, number + 1)
        except UnsupportedOperation:
            self._noted = False
            self._offset_text = in_offset
        if len(self._digests) < count:
            found = len(self._digests)
            self._digests = None
            raise CheckpointDamaged(
                f"FileSource: {count} files have been read, but the checkpoint's notes name {found} of them; restore "
                "the checkpoint directory as a whole from a backup, or give the job another --checkpoint-dir"
            )

    def add(self, paths: Iterable[str]) -> str:
        """Files of an epoch whose offset is logged.

        Returns:
            What the next offset must hold; empty where there are notes.
        """
        assert self._digests is not None, "load comes first"
        new = [digest for digest in map(_digest, paths) if digest not in self._digests]
        if new:
            if self._noted:
                self._note(b"".join(new))
            else:
                held = base64.b64decode(self._offset_text)
                self._offset_text = base64.b64encode(held + b"".join(new)).decode()
            self._digests.update(new)
        return self._offset_text

    def _note(self, digests: bytes) -> None:
        self._spool.write(self._next, 0, digests)
        self._next += 1
        for level in range(_LEVELS):
            notes = [number for number, found in self._spool.notes() if found == level]
            if len(notes) < _FAN:
                return
            # The larger one first: a file that two notes name is seen, too.
            self._spool.write(notes[-1], level + 1, b"".join(self._spool.require(each, level) for each in notes))
            for each in notes:
                self._spool.remove(each, level)


def _digest(path: str) -> bytes:
    return xxh3_128_digest(path.encode("utf-8", "surrogatepass"))


def _cut(data: bytes) -> set[bytes]:
    return {data[low : low + _BYTES] for low in range(0, len(data), _BYTES)}
