"""Writes the pieces of one subtask."""

from __future__ import annotations

import contextlib
import os
import stat
import time
import uuid
from typing import BinaryIO

from datastream.connectors.files.buckets import records_by_bucket
from datastream.errors import JobError, cut
from datastream.formats import BulkWriterFactory, Encoder
from datastream.formats.text_lines import TextLines
from datastream.io import Batch, SinkWriter, WriterContext
from datastream.io.checksums import checksum_of

from .buckets import BucketAssigner
from .record_stream import RecordStream
from .staging import HIDDEN, Piece, job_folder, make_folder, staging_folder, sync, sync_folder

#: Bytes of a name on common file systems.
_NAME_MAX = 255


class FileWriter(SinkWriter):
    """One file an epoch and bucket, in the hidden folder; see `staging`."""

    def __init__(
        self,
        base: str,
        records_format: Encoder | BulkWriterFactory,
        assigner: BucketAssigner,
        context: WriterContext,
        fsync: bool,
    ) -> None:
        self._base = base
        self._staging = staging_folder(base, context.uid)
        self._made = False
        self._format = (
            records_format.of_type(context.record_type) if isinstance(records_format, TextLines) else records_format
        )
        self._assigner = assigner
        self._context = context
        self._fsync = fsync
        self._bytes = context.metrics.counter("numBytesOut")
        self._prefix = ""
        self._open: dict[str, _OpenPiece] = {}

    def begin(self, epoch: int, attempt: int) -> None:
        self._prefix = f"{epoch}-{self._context.subtask}-{attempt}"

    def write(self, batch: Batch) -> None:
        for bucket, part in records_by_bucket(self._assigner, batch.records, int(time.time() * 1000)).items():
            piece = self._open.get(bucket)
            if piece is None:
                piece = self._open[bucket] = self._create(bucket)
            piece.append(part)
            piece.records += len(part)

    def _create(self, bucket: str) -> _OpenPiece:
        check_bucket(bucket)
        _check_folder(self._base, bucket)
        # Random, too: attempts may be numbered from 0 again after a restart.
        file = f"{self._prefix}-{uuid.uuid4().hex[:12]}"
        name = f"{job_folder(self._context.job_id)}/{file}"
        path = os.path.join(self._staging, name)
        if not self._made or not os.path.isdir(os.path.dirname(path)):
            make_folder(os.path.dirname(path), self._base, self._fsync)
            self._made = True
        return _OpenPiece(name, path, self._format)

    def prepare_commit(self) -> list[Piece] | None:
        pieces = []
        for bucket, piece in self._open.items():
            size, checksum = piece.close(self._fsync)
            self._bytes.inc(size)
            pieces.append(Piece(piece.name, bucket, self._context.subtask, size, piece.header, piece.records, checksum))
        if pieces:
            sync_folder(os.path.join(self._staging, job_folder(self._context.job_id)), self._fsync)
        self._open = {}
        return pieces or None

    def abort(self) -> None:
        for piece in self._open.values():
            piece.file.close()
            with contextlib.suppress(FileNotFoundError):
                os.remove(piece.path)
        self._open = {}


def check_bucket(bucket: str) -> None:
    """See that a bucket is a path below the base path.

    Raises:
        JobError: it is not.
    """
    if not isinstance(bucket, str):
        raise JobError(f"FileSink: the bucket of a record is a str, got {type(bucket).__name__} {cut(bucket)}")
    parts = bucket.split("/") if bucket else []
    if any(not part or part in (".", "..") or "\0" in part for part in parts) or parts[:1] == [HIDDEN]:
        raise JobError(f"FileSink: the bucket {bucket!r} is not a path below the base path")


def _check_folder(base: str, bucket: str) -> None:
    """See that a commit can make the bucket's folder: one that fails there would fail for all later jobs, too.

    Raises:
        JobError: a name is too long, or that of a file.
    """
    reason = "a name is too long" if any(len(os.fsencode(part)) > _NAME_MAX for part in bucket.split("/")) else ""
    try:
        if not reason and not stat.S_ISDIR(os.stat(os.path.join(base, bucket)).st_mode):
            reason = "there is a file of this name"
    except FileNotFoundError:
        return
    except NotADirectoryError:
        reason = "there is a file of its folder's name"
    if reason:
        raise JobError(f"FileSink: the bucket {cut(bucket)} cannot be a folder of {base}: {reason}")


class _OpenPiece(RecordStream):
    """A file being written."""

    def __init__(self, name: str, path: str, records_format: Encoder | BulkWriterFactory) -> None:
        self.name = name
        self.path = path
        self.file: BinaryIO = open(path, "x+b")  # noqa: SIM115  open for as long as the epoch
        super().__init__(records_format, self.file)

    def close(self, fsync: bool) -> tuple[int, str]:
        """Size and checksum."""
        self.finish()
        sync(self.file, fsync)
        size = self.file.tell()
        self.file.seek(0)
        checksum = checksum_of(self.file)
        self.file.close()
        return size, checksum
