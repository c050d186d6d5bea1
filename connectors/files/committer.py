"""Makes pieces visible as part files, each record exactly once.

An epoch is committed by the replacement of ``state.json``: it names the epoch, the pieces that wait and the
part files that are to be made of others. What it names is then done, and can be done again after a crash:
the names of part files are in the state, and pieces are removed only once their file is there.

Each job has a state of its own, and names of its own, so any number of them may write below one base path. What waits
of a job that has ended becomes visible with the first commit of another one with the same uid.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from datastream.errors import CheckpointDamaged
from datastream.io import Committer
from datastream.io.checksums import checksum_of
from datastream.time import MIN_WATERMARK

from .bucket_commits import BucketCommits
from .output_config import OutputFileConfig
from .rolling import RollingPolicy
from .staging import (
    HIDDEN,
    STATE,
    Hold,
    Pending,
    Piece,
    Roll,
    State,
    adopt_state,
    alone,
    damaged,
    folder_lock,
    job_folder,
    load_state,
    make_folder,
    mark_of,
    save_state,
    staging_folder,
    sync,
    sync_folder,
)

MERGED = "merged.tmp"
LEFT_S = 24 * 3600.0
"""What another job has left for so long is removed: no epoch takes longer."""


class FileCommitter(Committer):
    """Commits the epochs of one sink of a job."""

    def __init__(
        self,
        base: str,
        uid: str,
        job_id: str,
        policy: RollingPolicy,
        names: OutputFileConfig,
        mergeable: bool,
        fsync: bool,
        commits: BucketCommits | None = None,
    ) -> None:
        self._base = base
        self._uid = uid
        self._staging = staging_folder(base, uid)
        self._job_id = job_id
        self._folder = os.path.join(self._staging, job_folder(job_id))
        self._policy = policy
        self._names = names
        self._mergeable = mergeable
        self._fsync = fsync
        self._commits = commits
        self._watermark = MIN_WATERMARK
        self._held: Hold | None = None
        self._made: set[str] = set()  # folders of part files
        self._cleaned = False

    def advance(self, watermark: int) -> None:
        self._watermark = watermark

    def commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        with self._alone() as hold:
            self._commit(hold, epoch, [piece for pieces in committables for piece in pieces], final)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[Hold]:
        """Within the block no other committer of the base path works."""
        if self._held is None or not os.path.isdir(self._folder):
            make_folder(self._folder, self._base, self._fsync)
        with folder_lock(os.path.join(self._base, HIDDEN)):
            if self._held is None:
                adopt_state(self._staging)
                self._held = Hold(self._folder)
            yield self._held

    def close(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None

    def _commit(self, hold: Hold, epoch: int, new: list[Piece], final: bool) -> None:
        # Read anew each time: after an error only the disk knows how far a commit came.
        state = load_state(self._folder)
        self._check(hold, state, epoch)
        if state.epoch >= epoch:
            self._remove(new, state)
            new = []
        self._check_written(new)
        state.job_id, state.epoch = self._job_id, max(state.epoch, epoch)
        now = int(time.time() * 1000)
        self._add(state, new, now)
        if self._commits is not None and not self._cleaned:
            state.opened = {**self._opened_by_ended_jobs(), **state.opened}
        self._decide(state, now, final)
        save_state(self._folder, state, self._fsync)
        if not hold.has_committed:
            hold.note_commit()
        self._finish_rolls(self._folder, state)
        if not self._cleaned:
            self._remove_leftovers(self._folder, state, lambda epoch, _: epoch <= state.epoch)
            self._finish_ended_jobs()
            self._cleaned = True
        self._finish_buckets(self._folder, state)
        if self._commits is not None:
            self.next_due = self._commits.next_due(state.opened)

    def _finish_ended_jobs(self) -> None:
        """Make visible what jobs have committed that have ended since, and remove what others have left long ago.

        A job whose committer starts just now looks as if it had ended: what waits is its own no more then, but what it
        has not committed is.
        """
        for folder, state in self._ended_jobs():
            self._finish_ended(folder, state)
            self._remove_leftovers(folder, state, lambda _, age_s: age_s > LEFT_S)

    def _ended_jobs(self) -> Iterator[tuple[str, State]]:
        """Folder and state of each other job that has ended, and does not begin again meanwhile."""
        for folder in os.scandir(self._staging):
            if not folder.is_dir() or not folder.name.startswith("job-") or folder.path == self._folder:
                continue
            with alone(folder.path) as ended:
                if ended:
                    yield folder.path, load_state(folder.path)

    def _opened_by_ended_jobs(self) -> dict[str, int]:
        """The buckets that jobs have opened that have ended since: this one completes them."""
        return {bucket: since for _, state in self._ended_jobs() for bucket, since in state.opened.items()}

    def _finish_ended(self, folder: str, state: State) -> None:
        """Make visible what another job has committed. This job has the buckets that it opened."""
        for part in state.pending:
            self._check_pieces(part.pieces, content=True)
        if state.pending or state.opened:
            state.opened = {}
            self._decide(state, int(time.time() * 1000), True)
            save_state(folder, state, self._fsync)
        self._finish_rolls(folder, state)
        self._finish_buckets(folder, state)

    def _check(self, hold: Hold, state: State, epoch: int) -> None:
        """Refuse to go on where committed records are lost, or would be left out.

        Raises:
            CheckpointError: if the hidden folder does not fit the job's checkpoint, or is damaged.
        """
        if state.epoch > epoch:
            raise CheckpointDamaged(
                f"FileSink: the job is at epoch {epoch}, but epoch {state.epoch} is committed to {self._base} already: "
                "its checkpoint directory is older than the output; restore both from the same time, or give the job "
                "another --checkpoint-dir and the sink another base path"
            )
        if self._cleaned:
            return
        if not state.job_id and hold.has_committed:
            raise damaged(os.path.join(self._folder, STATE), "it is missing, but records wait, or have become visible")
        for part in state.pending:
            self._check_pieces(part.pieces, content=True)

    def _check_pieces(self, pieces: list[Piece], content: bool) -> None:
        """Refuse to make visible what is not as it was written.

        Args:
            pieces: In the staging folder.
            content: Also their bytes, for those that have waited.
        """
        for piece in pieces:
            path = os.path.join(self._staging, piece.name)
            try:
                size = os.path.getsize(path)
            except FileNotFoundError:
                raise damaged(path, f"it is missing; it held {piece.records} records") from None
            if size != piece.size:
                raise damaged(path, f"it has {size} bytes instead of {piece.size}, which held {piece.records} records")
            if content and piece.checksum:
                with open(path, "rb") as file:
                    found = checksum_of(file)
                if found != piece.checksum:
                    raise damaged(path, f"its checksum is {found} instead of {piece.checksum}")

    def _check_written(self, pieces: Iterable[Piece]) -> None:
        """Refuse to commit what is no longer there.

        Raises:
            CheckpointError: something has removed it.
        """
        for piece in pieces:
            path = os.path.join(self._staging, piece.name)
            if not os.path.lexists(path):
                raise CheckpointDamaged(
                    f"FileSink: {path} has gone before it was committed; it held {piece.records} records. Something "
                    f"has removed it: nothing but this project's sinks may write below {self._staging}"
                )

    def abort(self, epoch: int, committables: list[Any]) -> None:
        new = [piece for pieces in committables for piece in pieces]
        with self._alone():
            self._remove(new, load_state(self._folder))

    def _add(self, state: State, pieces: list[Piece], now: int) -> None:
        parts = {(part.pieces[0].bucket, part.pieces[0].subtask): part for part in state.pending}
        for piece in pieces:
            part = parts.get((piece.bucket, piece.subtask)) if self._mergeable else None
            if part is None:
                part = parts[piece.bucket, piece.subtask] = Pending(now, now, [])
                state.pending.append(part)
            part.pieces.append(piece)
            part.modified = now
            if self._commits is not None:
                state.opened.setdefault(piece.bucket, now)

    def _decide(self, state: State, now: int, final: bool) -> None:
        complete = self._complete(state, now, final)
        waiting: list[Pending] = []
        for part in state.pending:
            # A part from the future: the clock has been set back since.
            part.created, part.modified = min(part.created, now), min(part.modified, now)
            if (
                final
                or part.pieces[0].bucket in complete
                or self._policy.should_roll(part.size, now - part.created, now - part.modified)
            ):
                state.rolls.append(Roll(part.pieces, self._free_name(state, part.pieces[0])))
            else:
                waiting.append(part)
        state.pending = waiting

    def _complete(self, state: State, now: int, final: bool) -> set[str]:
        """Decide on buckets that are complete: none of their records waits any longer."""
        if self._commits is None:
            return set()
        opened = {bucket: min(since, now) for bucket, since in state.opened.items()}
        found = {
            bucket
            for bucket, since in opened.items()
            if final or self._commits.is_complete(bucket, since, now, self._watermark)
        }
        state.complete = sorted({*state.complete, *found})
        state.opened = {bucket: since for bucket, since in opened.items() if bucket not in found}
        return found

    def _finish_buckets(self, folder: str, state: State) -> None:
        """Do what is to be done for buckets that were decided on; their files are visible."""
        if self._commits is None or not state.complete:
            return
        for bucket in state.complete:
            self._commits.commit(self._base, bucket)
        state.complete = []
        save_state(folder, state, self._fsync)

    def _free_name(self, state: State, piece: Piece) -> str:
        """A name that no other job uses."""
        subtask = str(piece.subtask)
        if not state.name:
            state.name = f"{int(time.time() * 1000):011x}{mark_of(state.job_id, self._uid, self._base)}"
        while True:
            number = state.counters.get(subtask, 0)
            state.counters[subtask] = number + 1
            name = f"{self._names.part_prefix}-{state.name}-{subtask}-{number}{self._names.part_suffix}"
            target = os.path.join(piece.bucket, name)
            if not os.path.lexists(os.path.join(self._base, target)):  # else it is another's, or the state was lost
                return target

    def _finish_rolls(self, folder: str, state: State) -> None:
        """Make part files that were decided on; `folder` is where the state is."""
        if not state.rolls:
            return
        for roll in state.rolls:
            self._finish(folder, roll)
        state.rolls = []
        save_state(folder, state, self._fsync)

    def _finish(self, folder: str, roll: Roll) -> None:
        target = os.path.join(self._base, roll.target)
        paths = [os.path.join(self._staging, piece.name) for piece in roll.pieces]
        # Pieces are removed in order once they are in the part file, which may have been moved away since.
        if os.path.exists(paths[0]):
            self._check_pieces(roll.pieces, content=len(roll.pieces) > 1 or not self._cleaned)
            bucket = os.path.dirname(target)
            if bucket not in self._made or not os.path.isdir(bucket):
                make_folder(bucket, self._base, self._fsync)
                self._made.add(bucket)
            source = paths[0] if len(paths) == 1 else self._merged(folder, roll.pieces, paths)
            os.replace(source, target)
            sync_folder(bucket, self._fsync)
        for path in paths:
            remove_file(path)

    def _merged(self, folder: str, pieces: list[Piece], paths: list[str]) -> str:
        merged = os.path.join(folder, MERGED)
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

    def _remove_leftovers(self, folder: str, state: State, stale: Callable[[int, float], bool]) -> None:
        """Remove what attempts at a job's epochs have left behind.

        Args:
            folder: The job's.
            state: The job's.
            stale: By a piece's epoch and its age in s, whether it will never be committed.
        """
        held, job, now = state.piece_names(), os.path.basename(folder), time.time()
        remove_file(os.path.join(folder, MERGED))
        for file in os.scandir(folder):
            epoch = file.name.partition("-")[0]
            if not epoch.isdigit() or f"{job}/{file.name}" in held:
                continue  # else not ours: an NFS server's leftover, say
            with contextlib.suppress(FileNotFoundError):  # the other job has removed it
                if stale(int(epoch), now - file.stat().st_mtime):
                    remove_file(file.path)


def remove_file(path: str) -> None:
    """Remove a file, unless it is gone."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)
