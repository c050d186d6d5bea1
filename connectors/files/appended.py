"""A sink of one file, which grows with each epoch."""

from __future__ import annotations

import json
import os
import shutil
from typing import Any

from datastream.errors import CheckpointError, JobError
from datastream.formats import Encoder
from datastream.io import Committer, CommitterContext, Sink, SinkWriter, WriterContext, durable

from .buckets import BucketAssigner
from .committer import remove_file
from .listing import local_path
from .staging import Piece, folder_lock, job_folder, staging_folder
from .writer import FileWriter

_STATE = "appended.json"


class AppendedFileSink(Sink):
    """Writes all records into one file, exactly once: what an epoch writes is appended as it is committed.

    How long the file is lies beside it, so what was appended by a commit that did not end is cut off again.

    Args:
        path: The file.
        encoder: Writes records.
        overwrite: Whether a file that is there is replaced. Default: it is an error.
    """

    def __init__(self, path: str, encoder: Encoder, overwrite: bool = False) -> None:
        self._path, self._encoder, self._overwrite = local_path(path), encoder, overwrite

    def create_writer(self, context: WriterContext) -> SinkWriter:
        assigner = BucketAssigner.base_path_bucket_assigner()
        return FileWriter(os.path.dirname(self._path), self._encoder, assigner, context, True)

    def create_committer(self, context: CommitterContext) -> Committer:
        return _Committer(self._path, self._overwrite, context)


class _Committer(Committer):
    def __init__(self, path: str, overwrite: bool, context: CommitterContext) -> None:
        self._path, self._overwrite = path, overwrite
        self._base = os.path.dirname(path)
        self._staging = staging_folder(self._base, context.uid)
        self._folder = os.path.join(self._staging, job_folder(context.job_id))
        self._state = os.path.join(self._folder, _STATE)

    def commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        pieces: list[Piece] = sorted((each for some in committables for each in some), key=lambda piece: piece.subtask)
        durable.make_folder(self._folder, self._base)
        with folder_lock(self._folder):
            last, size = self._load()
            if epoch > last:
                self._save(epoch, self._append(size, pieces))
        for piece in pieces:
            remove_file(os.path.join(self._staging, piece.name))

    def abort(self, epoch: int, committables: list[Any]) -> None:
        for piece in (each for some in committables for each in some):
            remove_file(os.path.join(self._staging, piece.name))

    def _load(self) -> tuple[int, int]:
        """The last epoch that was appended, and how long the file was then."""
        try:
            with open(self._state, "rb") as file:
                found = json.load(file)
            return int(found["epoch"]), int(found["size"])
        except FileNotFoundError:
            self._begin()
            return -1, 0
        except (ValueError, KeyError, TypeError):
            raise CheckpointError(f"{self._state} is damaged: it says how much of {self._path} is committed") from None

    def _begin(self) -> None:
        if os.path.isdir(self._path):
            raise JobError(f"the file {self._path} cannot be written: it is a folder")
        if os.path.lexists(self._path) and not self._overwrite:
            raise JobError(
                f"the file {self._path} is there already: remove it, write elsewhere, or set WriteMode.OVERWRITE"
            )
        self._save(-1, 0)

    def _append(self, size: int, pieces: list[Piece]) -> int:
        with open(self._path, "r+b" if size else "wb") as file:
            if file.seek(0, os.SEEK_END) < size:
                raise CheckpointError(f"{self._path} is shorter than the {size} bytes that were committed to it")
            file.truncate(size)
            file.seek(size)
            for piece in pieces:
                with open(os.path.join(self._staging, piece.name), "rb") as written:
                    shutil.copyfileobj(written, file, 1 << 20)
            file.flush()
            os.fsync(file.fileno())
            end = file.tell()
        durable.sync_folder(self._base)
        return end

    def _save(self, epoch: int, size: int) -> None:
        durable.replace_file(self._state, json.dumps({"epoch": epoch, "size": size}).encode())
