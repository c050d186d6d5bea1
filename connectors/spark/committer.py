"""Has the driver call the function of a sink with the rows of an epoch."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass

from datastream.errors import CheckpointDamaged, UnsupportedOperation
from datastream.io import Committer, CommitterContext

_OF_EPOCH = 0
_DONE = "done"


@dataclass(frozen=True)
class EpochFiles:
    """What the driver is asked to call a sink's function with.

    Attributes:
        uid: Of the sink.
        epoch: The epoch.
        paths: The files of its rows.
    """

    uid: str
    epoch: int
    paths: tuple[str, ...]


class FramesCommitter(Committer):
    """Notes which files an epoch has, so that they are the same if the driver is asked again; then asks it.

    Args:
        folder: Where the files lie.
        context: Whose epochs they are.
    """

    def __init__(self, folder: str, context: CommitterContext) -> None:
        self._folder, self._context = folder, context
        self._notes, self._done = context.spool, context.spool.part(_DONE)

    def commit(self, epoch: int, committables: list[str], final: bool) -> None:
        if not committables and self._notes.read(epoch, _OF_EPOCH) is None:
            return
        done = max((number for number, _ in self._done.notes()), default=-1)
        if done > epoch:
            raise CheckpointDamaged(
                f"SparkSink: the job is at epoch {epoch}, and its function had epoch {done}: the checkpoint directory "
                "is not as a whole of one time; restore it from a backup, or give the job another --checkpoint-dir"
            )
        if done < epoch:
            note = self._notes.write(epoch, _OF_EPOCH, json.dumps(sorted(committables)).encode())
            self._call(epoch, [os.path.join(self._folder, name) for name in json.loads(note)])
            self._done.write(epoch, _OF_EPOCH, b"")
        self._notes.remove_before(epoch)
        self._done.remove_before(epoch)
        self._remove(epoch)

    def _call(self, epoch: int, paths: list[str]) -> None:
        for path in paths:
            if not os.path.exists(path):
                raise CheckpointDamaged(f"SparkSink: {path}, with rows of epoch {epoch}, is gone before it was read")
        if self._context.ask_driver is None:
            raise UnsupportedOperation(
                "SparkSink: the local executor has no Spark: run the job on Spark, or give it another sink for tests"
            )
        self._context.ask_driver(EpochFiles(self._context.uid, epoch, tuple(paths)))

    def _remove(self, epoch: int) -> None:
        """Remove the files of all epochs up to one, those of attempts that failed too."""
        for name in os.listdir(self._folder) if os.path.isdir(self._folder) else ():
            number = name.partition("-")[0]
            if number.isdigit() and int(number) <= epoch:
                with suppress(FileNotFoundError):
                    os.remove(os.path.join(self._folder, name))
