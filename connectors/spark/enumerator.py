"""Which rows of which batches an epoch holds."""

from __future__ import annotations

import time
from typing import Any

from datastream.connectors.lakehouse.rows_of_files import VersionsEnumerator
from datastream.errors import CheckpointDamaged, CheckpointMismatch

from .batches import Batches, BatchFile

#: Between two looks for a batch that is not there yet, in s.
_LOOK_S = 0.02


class BatchesEnumerator(VersionsEnumerator):
    """Counts the rows of batches, which come one after the other.

    An offset is the number of the batch and the row within it that come next, and the folder that they are in::

        {"batch": 7, "row": 120, "of": "5b0c..."}

    Args:
        batches: The batches.
        ends: Whether no more come at some time.
        retained: How many batches are kept behind the one that is read.
        name: Of the source, for errors.
    """

    def __init__(self, batches: Batches, ends: bool, retained: int, name: str) -> None:
        super().__init__(bounded=False)  # there is a batch after each, though it may be empty
        self._batches, self._ends, self._retained, self._name = batches, ends, retained, name
        self._known: dict[int, list[BatchFile]] = {}
        self._identity: str | None = None
        self._looked_at = float("-inf")
        self._kept_from = 0

    def check(self) -> None:
        """Nothing: the batches come while the job runs."""

    def initial_offset(self) -> dict[str, Any]:
        if gone := self._batches.removed():
            raise CheckpointMismatch(
                f"{self._name}: {self._batches.folder} is the location of another job, which has read and removed the "
                f"batches before {gone}: give this job another location, or the --checkpoint-dir or a savepoint of "
                "that one"
            )
        return {"batch": 0, "row": 0, "of": self._own_identity()}

    def files_of(self, offset: dict[str, Any], look: bool = False) -> list[BatchFile] | None:
        number = offset["batch"]
        if number not in self._known:
            self._check_identity(offset)
            now = time.monotonic()
            if not look and now < self._looked_at + _LOOK_S:
                return None
            files = self._batches.files_of(number)
            if files is None:
                self._looked_at = now
                following = self._batches.following()
                files = self._batches.files_of(number)  # it may have come meanwhile
                if files is None and number > following:
                    raise CheckpointDamaged(
                        f"{self._name}: the job has read the batches before {number}, and {self._batches.folder} has "
                        f"none from {following} on: it is older than the job's checkpoint; restore both from the same "
                        "time"
                    )
                if files is None and (look or number < following):
                    raise CheckpointDamaged(
                        f"{self._name}: batch {number} is gone from {self._batches.folder}, and was not read. A job "
                        "that went on has removed it, and this one starts from an older savepoint or checkpoint: "
                        "restore a later one, and let more batches be retained (retain_batches)"
                    )
                if files is None:
                    return None
            self._known[number] = files
        return self._known[number]

    def after(self, offset: dict[str, Any], look: bool = False) -> dict[str, Any]:
        return {**offset, "batch": offset["batch"] + 1, "row": 0}

    def same_version(self, one: dict[str, Any], other: dict[str, Any]) -> bool:
        return bool(one["batch"] == other["batch"])

    def finished(self, offset: dict[str, Any]) -> bool:
        if not self._ends:
            return False
        end = self._batches.end()
        return end is not None and offset["batch"] >= end

    def commit(self, offset: dict[str, Any]) -> None:
        """Remove what was read, but for the batches that are retained."""
        for number in [number for number in self._known if number < offset["batch"]]:
            del self._known[number]
        kept_from = offset["batch"] - self._retained
        if kept_from > self._kept_from:
            self._batches.remove_before(kept_from)
            self._kept_from = kept_from

    def _check_identity(self, offset: dict[str, Any]) -> None:
        if offset["of"] != self._own_identity():
            raise CheckpointMismatch(
                f"{self._name}: the job has read batches of another location than {self._batches.folder}, and goes on "
                "after them: give the source the location that it had. For savepoints it has to be set (location=...), "
                "as the default is a folder of the checkpoint directory"
            )

    def _own_identity(self) -> str:
        if self._identity is None:
            self._identity = self._batches.identity()
        if self._identity is None:
            raise CheckpointDamaged(
                f"{self._name}: {self._batches.folder} is gone; the driver makes it, when the job runs on Spark"
            )
        return self._identity
