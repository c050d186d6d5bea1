"""Writes the pieces of one subtask to a remote file system."""

from __future__ import annotations

import time
import uuid
from concurrent.futures import ThreadPoolExecutor

from datastream.connectors.files.buckets import BucketAssigner, records_by_bucket
from datastream.connectors.files.output_config import OutputFileConfig
from datastream.connectors.files.record_stream import RecordStream
from datastream.connectors.files.staging import owner_of, staging_folder
from datastream.connectors.files.writer import check_bucket
from datastream.formats import BulkWriterFactory, Encoder
from datastream.formats.text_lines import TextLines
from datastream.io import Batch, SinkWriter, WriterContext

from .location import Location
from .store import Name, RemotePiece, Store, Upload
from .stores import store

_AT_ONCE = 8


class RemoteFileWriter(SinkWriter):
    """A part file an epoch and bucket, whose name follows from job, sink, subtask and epoch."""

    def __init__(
        self,
        base: Location,
        records_format: Encoder | BulkWriterFactory,
        assigner: BucketAssigner,
        names: OutputFileConfig,
        context: WriterContext,
    ) -> None:
        self._base = base
        self._format = (
            records_format.of_type(context.record_type) if isinstance(records_format, TextLines) else records_format
        )
        self._assigner = assigner
        self._names = names
        self._context = context
        self._store: Store | None = None
        self._owner = owner_of(context.job_id, context.uid, base.uri)
        self._bytes = context.metrics.counter("numBytesOut")
        self._batches = context.metrics.counter("numBatches")
        self._retries = context.metrics.counter("numRetries")
        self._epoch = self._attempt = 0
        self._open: dict[str, _OpenPiece] = {}

    def begin(self, epoch: int, attempt: int) -> None:
        self._abandon()
        self._epoch, self._attempt = epoch, attempt

    def write(self, batch: Batch) -> None:
        for bucket, part in records_by_bucket(self._assigner, batch.records, int(time.time() * 1000)).items():
            piece = self._open.get(bucket)
            if piece is None:
                piece = self._open[bucket] = self._create(bucket)
            piece.records.append(part)
            piece.records.records += len(part)

    def prepare_commit(self) -> list[RemotePiece] | None:
        open_pieces = list(self._open.values())
        for piece in open_pieces:
            piece.records.finish()
        sizes = [piece.upload.stream.tell() for piece in open_pieces]
        if len(open_pieces) > 1:  # each waits for its store
            with ThreadPoolExecutor(_AT_ONCE) as threads:
                handles = list(threads.map(lambda piece: piece.upload.finish(), open_pieces))
        else:
            handles = [piece.upload.finish() for piece in open_pieces]
        self._open = {}
        self._bytes.inc(sum(sizes))
        self._batches.inc(sum(piece.upload.batches for piece in open_pieces))
        self._retries.inc(sum(piece.upload.retries for piece in open_pieces))
        found = zip(open_pieces, handles, sizes, strict=True)
        return [RemotePiece(piece.target, handle, size, piece.records.records) for piece, handle, size in found] or None

    def abort(self) -> None:
        self._abandon()

    def close(self) -> None:
        self._abandon()

    def _create(self, bucket: str) -> _OpenPiece:
        check_bucket(bucket)
        if self._store is None:
            self._store = store(self._base, staging_folder("", self._context.uid), self._owner)
        subtask = self._context.subtask
        file = f"{self._names.part_prefix}-{self._owner}-{subtask}-{self._epoch}{self._names.part_suffix}"
        target = f"{bucket}/{file}" if bucket else file
        # Random, too: attempts may be numbered from 0 again after a restart.
        attempt = f"{subtask}-{self._attempt}-{uuid.uuid4().hex[:12]}"
        upload = self._store.begin(target, Name(self._owner, self._epoch, attempt))
        return _OpenPiece(target, upload, RecordStream(self._format, upload.stream))

    def _abandon(self) -> None:
        pieces, self._open = self._open, {}
        for piece in pieces.values():
            piece.upload.abort()


class _OpenPiece:
    def __init__(self, target: str, upload: Upload, records: RecordStream) -> None:
        self.target = target
        self.upload = upload
        self.records = records
