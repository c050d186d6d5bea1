"""Makes the pieces of a remote sink visible, each record exactly once.

An epoch is committed by the replacement of the job's state, which names the epoch and its pieces. These are then made
visible, and buckets complete, which can be done again after a crash. No file system tells whether another job runs, so
what others have written and not made visible is left alone for a day, longer than any epoch takes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from datastream.connectors.files.bucket_commits import BucketCommits
from datastream.connectors.files.committer import LEFT_S
from datastream.connectors.files.staging import owner_of, sink_of, staging_folder
from datastream.errors import CheckpointDamaged
from datastream.io import Committer
from datastream.time import MIN_WATERMARK

from .location import Location
from .state import State, load_state, save_state
from .store import RemotePiece, Store
from .stores import store

_AT_ONCE = 8


class RemoteCommitter(Committer):
    """Commits the epochs of one sink of a job."""

    def __init__(self, base: Location, uid: str, job_id: str, commits: BucketCommits | None = None) -> None:
        self._base = base
        self._uid = uid
        self._owner = owner_of(job_id, uid, base.uri)
        self._store: Store | None = None
        self._state: State | None = None
        self._cleaned = False
        self._commits = commits
        self._watermark = MIN_WATERMARK

    def advance(self, watermark: int) -> None:
        self._watermark = watermark

    def commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        files = self._opened()
        # Read anew after an error: then only the store knows how far a commit came.
        state, self._state = self._state or self._load(files), None
        state = self._finish(files, state)
        new = [piece for pieces in committables for piece in pieces]
        self._check(state, epoch)
        if state.epoch == epoch:
            self._discard(files, new)
            new = []
        opened, complete = self._complete(state, new, final)
        if new or complete:
            reached = epoch if new else state.epoch
            state = State(state.version + 1, self._owner, reached, new, None, opened, complete)
            save_state(files, state)
            state = self._finish(files, state)
        if not self._cleaned:
            self._clean(files, epoch)
        self._state = state
        self._set_next_due(state)

    def _complete(self, state: State, new: Iterable[RemotePiece], final: bool) -> tuple[dict[str, int], list[str]]:
        """The buckets that are open after an epoch, and those that it completes.

        Args:
            state: Before it.
            new: Its pieces.
            final: It is the job's last.
        """
        if self._commits is None:
            return {}, []
        now = int(time.time() * 1000)
        opened = {bucket: min(since, now) for bucket, since in state.opened.items()}
        for piece in new:
            opened.setdefault(piece.target.rpartition("/")[0], now)
        complete = sorted(
            bucket
            for bucket, since in opened.items()
            if final or self._commits.is_complete(bucket, since, now, self._watermark)
        )
        return {bucket: since for bucket, since in opened.items() if bucket not in complete}, complete

    def _set_next_due(self, state: State) -> None:
        if self._commits is not None:
            self.next_due = self._commits.next_due(state.opened)

    def _clean(self, files: Store, epoch: int) -> None:
        """Remove what the job's attempts have left up to an epoch, and other jobs long ago."""
        sink = sink_of(self._uid, self._base.uri)

        def stale(owner: str, number: int, age_s: float) -> bool:
            return number <= epoch if owner == self._owner else owner.startswith(sink) and age_s > LEFT_S

        files.clean(stale)
        self._cleaned = True

    def _load(self, files: Store) -> State:
        state = load_state(files)
        return state if state.owner == self._owner else State(state.version, self._owner)

    def _check(self, state: State, epoch: int) -> None:
        if state.epoch > epoch:
            raise CheckpointDamaged(
                f"FileSink: the job is at epoch {epoch}, but epoch {state.epoch} is committed to {self._base.uri} "
                "already: its checkpoint directory is older than the output; restore both from the same time, or "
                "give the job another --checkpoint-dir and the sink another base path"
            )

    def abort(self, epoch: int, committables: list[Any]) -> None:
        files = self._opened()
        state, self._state = self._load(files), None
        self._discard(files, [piece for pieces in committables for piece in pieces], state)

    def _opened(self) -> Store:
        if self._store is None:
            self._store = store(self._base, staging_folder("", self._uid), self._owner)
        return self._store

    def _finish(self, files: Store, state: State) -> State:
        """The state after what it has decided: pieces are visible, then buckets are complete, and that is noted."""
        if not state.pieces and not state.complete:
            return state
        self._publish(files, state)
        return self._finish_buckets(files, replace(state, pieces=[]))

    def _finish_buckets(self, files: Store, state: State) -> State:
        """Do what is to be done for buckets whose files are visible, and note it with what else the state says."""
        if self._commits is not None:
            for bucket in state.complete:
                self._commits.commit(self._base.full_uri, bucket)
        state = replace(state, version=state.version + 1, complete=[])
        save_state(files, state)
        return state

    def _publish(self, files: Store, state: State) -> None:
        """Make the pieces of a state visible."""
        if len(state.pieces) == 1:
            done = [files.publish(state.pieces[0])]
        else:
            with ThreadPoolExecutor(_AT_ONCE) as threads:
                done = list(threads.map(files.publish, state.pieces))
        for piece, visible in zip(state.pieces, done, strict=True):
            if not visible:
                raise CheckpointDamaged(
                    f"FileSink: {self._base.below(piece.target).uri} is lost before it was visible; it held "
                    f"{piece.records} records of epoch {state.epoch}. Something has removed what waits for the commit, "
                    "such as a rule of the bucket for incomplete uploads; restore the output and the checkpoint "
                    "directory from the same time, or give the job another --checkpoint-dir and another base path"
                )

    @staticmethod
    def _discard(files: Store, pieces: Iterable[RemotePiece], state: State | None = None) -> None:
        """Remove pieces that are not those of a state."""
        held = [piece.handle for piece in state.pieces] if state is not None else []
        for piece in pieces:
            if piece.handle not in held:
                files.discard(piece)
