"""Files as a sink: PyFlink's FileSink, exactly once."""

from __future__ import annotations

import os
from dataclasses import replace

from datastream.errors import ValidationError, cut
from datastream.formats import BulkWriterFactory, Encoder
from datastream.io import Committer, CommitterContext, Consumed, Sink, SinkWriter, WriterContext

from . import sink_builder as builders
from .bucket_commits import BucketCommits
from .buckets import BucketAssigner
from .committer import FileCommitter
from .listing import local_path
from .output_config import OutputFileConfig
from .overwriting import Overwrite, OverwritingFileCommitter
from .remote.committer import RemoteCommitter
from .remote.location import is_remote, parse_location
from .remote.overwriting import OverwritingRemoteCommitter
from .remote.stores import store
from .remote.writer import RemoteFileWriter
from .rolling import OnCheckpointRollingPolicy, RollingPolicy
from .staging import staging_folder
from .writer import FileWriter


class FileSink(Sink):
    """Writes part files below a base path that the driver and all workers share. Exactly once.

    Records wait in the hidden folder ``.datastream`` until the epochs that hold them are committed and the
    rolling policy finishes their part file; a bounded job finishes all at its end. What a job that was stopped
    has left is finished when it, or another job with the same sink uid, goes on. On a remote file system every epoch
    finishes its part files, whatever the policy. Any number of jobs may write below one base path: the names of their
    part files differ.
    """

    BaseBuilder = builders.BaseBuilder
    RowFormatBuilder = builders.RowFormatBuilder
    BulkFormatBuilder = builders.BulkFormatBuilder

    def __init__(
        self,
        base_path: str,
        records_format: Encoder | BulkWriterFactory,
        assigner: BucketAssigner,
        policy: RollingPolicy,
        names: OutputFileConfig,
        fsync: bool = False,
        overwrite: Overwrite | None = None,
        commits: BucketCommits | None = None,
    ) -> None:
        """Use `for_row_format` or `for_bulk_format` and the builder they give.

        Args:
            base_path: The folder, or the URI of one on S3, HDFS or another file system; made when it is not there.
            records_format: How records become bytes.
            assigner: Into which folder a record goes.
            policy: When a part file is finished.
            names: How part files are named.
            fsync: Whether every file is brought to the disk before an epoch counts as committed. Default:
                no; records survive a crash of any process, but not always that of the machine.
            overwrite: Which files the job's own replace at its end. Default: none.
            commits: When a bucket is complete, and what is done then. Default: nothing.

        Raises:
            ValidationError: for a base path on a web server, or a bulk format with a
                policy other than ``on_checkpoint_rolling_policy``: its files cannot be put together.
        """
        self._remote = parse_location(os.fspath(base_path)) if is_remote(base_path) else None
        self._base = "" if self._remote is not None else local_path(base_path)
        self._format = records_format
        self._assigner = assigner
        self._policy = policy
        self._names = names
        self._fsync = fsync
        self._overwrite = overwrite
        self._commits = commits
        self._mergeable = isinstance(records_format, Encoder)
        if not self._mergeable and not isinstance(policy, OnCheckpointRollingPolicy):
            raise ValidationError("FileSink: a bulk format needs RollingPolicy.on_checkpoint_rolling_policy()")

    @staticmethod
    def for_row_format(base_path: str, encoder: Encoder) -> builders.RowFormatBuilder:
        """A sink that writes one record after the other, such as lines of text.

        Raises:
            ValidationError: `encoder` is no Encoder.
        """
        _check_encoder(encoder)
        return builders.RowFormatBuilder(base_path, encoder)

    @staticmethod
    def for_bulk_format(base_path: str, writer_factory: BulkWriterFactory) -> builders.BulkFormatBuilder:
        """A sink that writes many records together, such as Parquet; a part file an epoch and task.

        Raises:
            ValidationError: `writer_factory` is no BulkWriterFactory.
        """
        _check_factory(writer_factory)
        return builders.BulkFormatBuilder(base_path, writer_factory)

    @property
    def consumed(self) -> Consumed:
        return Consumed(
            ends_apart=self._overwrite is not None,
            watermarks=self._commits is not None and self._commits.watermarks,
            clock=self._commits is not None and self._commits.delay_ms is not None,
        )

    def validate(self) -> None:
        if self._remote is not None:
            store(self._remote, staging_folder("", "validate"), "").check()
            return
        folder = self._base
        while not os.path.lexists(folder):
            folder = os.path.dirname(folder)
        if not os.path.isdir(folder):
            raise ValidationError(f"FileSink: {folder} is a file, expected a folder for {self._base}")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ValidationError(f"FileSink: cannot write below {folder}: permission denied")

    def create_writer(self, context: WriterContext) -> SinkWriter:
        context = replace(context, uid=self._staging_uid(context.uid))
        if self._remote is not None:
            return RemoteFileWriter(self._remote, self._format, self._assigner, self._names, context)
        return FileWriter(self._base, self._format, self._assigner, context, self._fsync)

    def create_committer(self, context: CommitterContext) -> Committer:
        uid, job_id = self._staging_uid(context.uid), context.job_id
        if self._remote is not None:
            if self._overwrite is not None:
                return OverwritingRemoteCommitter(self._remote, uid, job_id, self._overwrite, self._commits)
            return RemoteCommitter(self._remote, uid, job_id, self._commits)
        settings = (self._base, uid, job_id, self._policy, self._names, self._mergeable, self._fsync, self._commits)
        if self._overwrite is not None:
            return OverwritingFileCommitter(*settings, overwrite=self._overwrite)
        return FileCommitter(*settings)

    def _staging_uid(self, uid: str) -> str:
        # What waits of a job that appends is not that of one that overwrites.
        return uid if self._overwrite is None else f"{uid} overwrite"


def _check_encoder(found: object) -> None:
    if not isinstance(found, Encoder):
        hint = "make one of a SerializationSchema by Encoder.lines(schema)"
        if isinstance(found, BulkWriterFactory):
            hint = "FileSink.for_bulk_format takes a BulkWriterFactory"
        expected = "an Encoder such as Encoder.json_lines()"
        raise ValidationError(
            f"FileSink.for_row_format: expected {expected}, got {type(found).__name__} {cut(found)}; {hint}"
        )


def _check_factory(found: object) -> None:
    if not isinstance(found, BulkWriterFactory):
        hint = "; FileSink.for_row_format takes an Encoder" if isinstance(found, Encoder) else ""
        expected = "a BulkWriterFactory such as ParquetBulkWriters.for_row_type(row_type) returns"
        raise ValidationError(
            f"FileSink.for_bulk_format: expected {expected}, got {type(found).__name__} {cut(found)}{hint}"
        )


class StreamingFileSink(FileSink):
    """The name that `FileSink` had before; the same sink."""

    BaseBuilder = builders.StreamingBaseBuilder
    DefaultRowFormatBuilder = builders.DefaultRowFormatBuilder
    DefaultBulkFormatBuilder = builders.DefaultBulkFormatBuilder

    @staticmethod
    def for_row_format(base_path: str, encoder: Encoder) -> builders.DefaultRowFormatBuilder:  # type: ignore[override]
        """See `FileSink.for_row_format`."""
        _check_encoder(encoder)
        return builders.DefaultRowFormatBuilder(base_path, encoder)

    @staticmethod
    def for_bulk_format(  # type: ignore[override]
        base_path: str, writer_factory: BulkWriterFactory
    ) -> builders.DefaultBulkFormatBuilder:
        """See `FileSink.for_bulk_format`."""
        _check_factory(writer_factory)
        return builders.DefaultBulkFormatBuilder(base_path, writer_factory)
