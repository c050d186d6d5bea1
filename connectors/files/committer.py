"""Makes pieces visible as part files, each record exactly once.

An epoch is committed by the replacement of ``state.json``: it names the epoch, the pieces that wait and the
part files that are to be made of others. What it names is then done, and can be done again after a crash:
the names of part files are reserved in the state, and pieces are removed only once their file is there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from typing import Any

from datastream.errors import CheckpointError
from datastream.io import Committer

from .output_config import OutputFileConfig
from .rolling import RollingPolicy
from .staging import (
    HIDDEN,
    Pending,
    Piece,
    Roll,
    State,
    damaged,
    folder_lock,
    job_folder,
    load_state,
    save_state,
    staging_folder,
    sync,
    sync_folder,
)

MERGED = "merged.tmp"


class FileCommitter(Committer):
    """Commits the epochs of one sink. Only one may work for a base path and uid at a time."""

    def __init__(
        self,
        base: str,
        uid: str,
        job_id: str,
        policy: RollingPolicy,
        names: OutputFileConfig,
        mergeable: bool,
        fsync: bool,
    ) -> None:
        self._base = base
        self._staging = staging_folder(base, uid)
        self._job_id = job_id
        self._policy = policy
        self._names = names
        self._mergeable = mergeable
        self._fsync = fsync
        self._cleaned = False

    def commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        os.makedirs(self._staging, exist_ok=True)
        committed_before = os.path.exists(os.path.join(self._base, HIDDEN, "lock"))
        with folder_lock(os.path.join(self._base, HIDDEN)):
            self._commit(epoch, committables, final, committed_before)

    def _commit(self, epoch: int, committables: list[Any], final: bool, committed_before: bool) -> None:
        # Read anew each time: after an error only the disk knows how far a commit came.
        state = load_state(self._staging)
        new = [piece for pieces in committables for piece in pieces]
        self._check(state, epoch, committed_before)
        if state.job_id == self._job_id and state.epoch >= epoch:
            self._remove(new, state)
            new = []
        if state.job_id != self._job_id:
            if self._cleaned and state.job_id:
                raise CheckpointError(f"FileSink: {self._shared()}")
            self._begin(state)
        self._check_written(new)
        state.epoch = max(state.epoch, epoch)
        now = int(time.time() * 1000)
        self._add(state, new, now)
        self._decide(state, now, final)
        save_state(self._staging, state, self._fsync)
        self._finish_rolls(state)
        if not self._cleaned:
            self._remove_leftovers(state)
            self._cleaned = True

    def _begin(self, state: State) -> None:
        """Take over from another job."""
        state.job_id, state.epoch = self._job_id, -1

    def _check(self, state: State, epoch: int, committed_before: bool) -> None:
        """Refuse to go on where committed records are lost, or would be left out.

        Raises:
            CheckpointError: if the hidden folder does not fit the job's checkpoint, or is damaged.
        """
        if state.job_id == self._job_id and state.epoch > epoch:
            raise CheckpointError(
                f"FileSink: the job is at epoch {epoch}, but epoch {state.epoch} is committed to {self._base} already: "
                "its checkpoint directory is older than the output; restore both from the same time, or give the job "
                "another --checkpoint-dir and the sink another base path"
            )
        if self._cleaned:
            return
        if committed_before and not state.job_id and any(number < epoch for number in self._piece_epochs()):
            raise damaged(
                os.path.join(self._staging, "state.json"), "it is missing, but records wait to become visible"
            )
        for part in state.pending:
            self._check_pieces(part.pieces)

    def _check_pieces(self, pieces: list[Piece]) -> None:
        for piece in pieces:
            path = os.path.join(self._staging, piece.name)
            try:
                size = os.path.getsize(path)
            except FileNotFoundError:
                raise damaged(path, f"it is missing; it held {piece.records} records") from None
            if size != piece.size:
                raise damaged(path, f"it has {size} bytes instead of {piece.size}, which held {piece.records} records")

    def _check_written(self, pieces: Iterable[Piece]) -> None:
        """Refuse to commit what is no longer there.

        Raises:
            CheckpointError: another job has removed it, as what an earlier one had left.
        """
        for piece in pieces:
            if not os.path.lexists(os.path.join(self._staging, piece.name)):
                raise CheckpointError(
                    f"FileSink: {os.path.join(self._staging, piece.name)} has gone before it was committed; it held "
                    f"{piece.records} records. Probably {self._shared()}"
                )

    def _shared(self) -> str:
        return (
            f"another job writes below {self._base} with the same uid at the same time: give each sink a uid or a base "
            "path of its own"
        )

    def _piece_epochs(self) -> Iterator[int]:
        """The epochs of the pieces that this job has left."""
        with contextlib.suppress(FileNotFoundError):
            for name in os.listdir(os.path.join(self._staging, job_folder(self._job_id))):
                epoch = name.partition("-")[0]
                if epoch.isdigit():
                    yield int(epoch)

    def abort(self, epoch: int, committables: list[Any]) -> None:
        new = [piece for pieces in committables for piece in pieces]
        self._remove(new, load_state(self._staging))

    def _add(self, state: State, pieces: list[Piece], now: int) -> None:
        parts = {(part.pieces[0].bucket, part.pieces[0].subtask): part for part in state.pending}
        for piece in pieces:
            part = parts.get((piece.bucket, piece.subtask)) if self._mergeable else None
            if part is None:
                part = parts[piece.bucket, piece.subtask] = Pending(now, now, [])
                state.pending.append(part)
            part.pieces.append(piece)
            part.modified = now

    def _decide(self, state: State, now: int, final: bool) -> None:
        waiting: list[Pending] = []
        reserved: set[str] | None = None
        for part in state.pending:
            # A part from the future: the clock has been set back since.
            part.created, part.modified = min(part.created, now), min(part.modified, now)
            if final or self._policy.should_roll(part.size, now - part.created, now - part.modified):
                if reserved is None:
                    reserved = set(self._reserved_by_others())
                state.rolls.append(Roll(part.pieces, self._free_name(state, part.pieces[0], reserved)))
            else:
                waiting.append(part)
        state.pending = waiting

    def _free_name(self, state: State, piece: Piece, reserved: set[str]) -> str:
        subtask = str(piece.subtask)
        while True:
            number = state.counters.get(subtask, 0)
            state.counters[subtask] = number + 1
            name = f"{self._names.part_prefix}-{subtask}-{number}{self._names.part_suffix}"
            target = os.path.join(piece.bucket, name)
            if target not in reserved and not os.path.lexists(os.path.join(self._base, target)):
                return target

    def _reserved_by_others(self) -> Iterator[str]:
        """Names that other sinks of the same base path have decided on and perhaps not used yet."""
        for folder in os.scandir(os.path.join(self._base, HIDDEN)):
            if folder.is_dir() and folder.path != self._staging:
                yield from (roll.target for roll in load_state(folder.path).rolls)

    def _finish_rolls(self, state: State) -> None:
        if not state.rolls:
            return
        for roll in state.rolls:
            self._finish(roll)
        state.rolls = []
        save_state(self._staging, state, self._fsync)

    def _finish(self, roll: Roll) -> None:
        target = os.path.join(self._base, roll.target)
        paths = [os.path.join(self._staging, piece.name) for piece in roll.pieces]
        # Pieces are removed in order once they are in the part file, which may have been moved away since.
        if os.path.exists(paths[0]):
            self._check_pieces(roll.pieces)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            source = paths[0] if len(paths) == 1 else self._merged(roll.pieces, paths)
            os.replace(source, target)
            sync_folder(os.path.dirname(target), self._fsync)
        for path in paths:
            remove_file(path)

    def _merged(self, pieces: list[Piece], paths: list[str]) -> str:
        merged = os.path.join(self._staging, MERGED)
        with open(merged, "wb") as out:
            for index, (piece, path) in enumerate(zip(pieces, paths, strict=True)):
                with open(path, "rb") as file:
                    file.seek(piece.header if index else 0)
                    shutil.copyfileobj(file, out, 1024 * 1024)
            sync(out, self._fsync)
        return merged

    def _remove(self, pieces: Iterable[Piece], state: State) -> None:
        held = state.piece_names()
        for piece in pieces:
            if piece.name not in held:
                remove_file(os.path.join(self._staging, piece.name))

    def _remove_leftovers(self, state: State) -> None:
        """Remove what other attempts at committed epochs, and earlier jobs, left behind."""
        held = state.piece_names()
        own = job_folder(self._job_id)
        remove_file(os.path.join(self._staging, MERGED))
        for folder in os.scandir(self._staging):
            if not folder.is_dir():
                continue
            for file in os.scandir(folder.path):
                epoch = file.name.partition("-")[0]
                if not epoch.isdigit():
                    continue  # not ours: an NFS server's leftover, say
                stale = folder.name != own or int(epoch) <= state.epoch
                if stale and f"{folder.name}/{file.name}" not in held:
                    remove_file(file.path)


def remove_file(path: str) -> None:
    """Remove a file, unless it is gone."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)
