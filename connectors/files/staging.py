"""The hidden folder beside the part files, where records wait to become visible.

``<base>/.datastream/<uid>/`` holds a folder for each job, with its ``state.json`` and its pieces. A piece is what one
attempt at one task of one epoch wrote into one bucket. The job's committer holds the folder's ``lock``.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import quote

from datastream.errors import CheckpointDamaged, CheckpointError
from datastream.io import durable

HIDDEN = ".datastream"
LOCK, STATE = "lock", "state.json"


@dataclass(frozen=True)
class Piece:
    """What one attempt at a task wrote into one bucket.

    Attributes:
        name: The file, relative to the staging folder.
        bucket: The folder it belongs to, relative to the base path.
        subtask: Index of the task.
        size: Bytes.
        header: How many of these, at the start, are the format's file header.
        records: How many records.
        checksum: The XXH3 of its bytes, 128 bits in hexadecimal; empty: of an earlier version.
    """

    name: str
    bucket: str
    subtask: int
    size: int
    header: int
    records: int
    checksum: str = ""


@dataclass
class Pending:
    """A part file that is not finished: committed, but not visible yet. Times are ms since 1970."""

    created: int
    modified: int
    pieces: list[Piece]

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(piece.size for piece in self.pieces)


@dataclass(frozen=True)
class Roll:
    """Pieces on their way to a part file: decided, perhaps not done.

    Attributes:
        pieces: In the order of their records.
        target: The part file, relative to the base path. Reserved: no other writer uses that name.
    """

    pieces: list[Piece]
    target: str


@dataclass
class State:
    """All that a committer remembers; replaced as a whole.

    Attributes:
        job_id: Whose epochs are counted.
        epoch: The last one committed; -1: none.
        counters: By subtask, the number of its next part file.
        pending: Unfinished part files.
        rolls: Part files that are being finished.
        replaced: Of a job that overwrites: the files that vanish once its own are there, relative to the base path;
            None: its end has not come.
        name: The job's part of the names of its part files, which are read in the order of their names: when it first
            made one, in ms as 11 digits, and 5 digits of its own.
        dropped: Of a job that overwrites: another one has dropped what waited, so this one cannot go on.
        opened: Of a job with `BucketCommits`: the buckets that are not complete -> when the first of their records was
            committed, in ms since 1970.
        complete: Buckets that are complete, for which perhaps not all has been done.
    """

    job_id: str = ""
    epoch: int = -1
    counters: dict[str, int] = field(default_factory=dict)
    pending: list[Pending] = field(default_factory=list)
    rolls: list[Roll] = field(default_factory=list)
    replaced: list[str] | None = None
    name: str = ""
    dropped: bool = False
    opened: dict[str, int] = field(default_factory=dict)
    complete: list[str] = field(default_factory=list)

    def piece_names(self) -> set[str]:
        """The pieces that hold committed records."""
        groups = [part.pieces for part in self.pending] + [roll.pieces for roll in self.rolls]
        return {piece.name for pieces in groups for piece in pieces}


def staging_folder(base: str, uid: str) -> str:
    """Where a sink keeps its pieces and its state."""
    return os.path.join(base, HIDDEN, quote(uid, safe=" ").replace(".", "%2E") or "%")


def job_folder(job_id: str) -> str:
    """A job's folder of pieces, relative to the staging folder."""
    return "job-" + _digest(job_id)


def owner_of(job_id: str, uid: str, base: str) -> str:
    """Names a sink of a job, in the names of its part files: 6 digits for the sink, 10 for the job."""
    return sink_of(uid, base) + _digest(job_id)[:10]


def mark_of(job_id: str, uid: str, base: str) -> str:
    """Distinguishes a sink of a job from others that begin in the same ms: 5 digits."""
    return _digest(owner_of(job_id, uid, base))[:5]


def sink_of(uid: str, base: str) -> str:
    """What the owners of a sink's pieces begin with; sinks with base paths below each other's differ."""
    return _digest(f"{uid} {base.rstrip('/')}")[:6]


class Hold:
    """Holds a job's folder, as its committers do, until it is closed or garbage; waits for whoever has it alone.

    Args:
        folder: The job's; it is there.
    """

    _file = -1

    def __init__(self, folder: str) -> None:
        self._file = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        fcntl.flock(self._file, fcntl.LOCK_SH)

    @property
    def has_committed(self) -> bool:
        """Whether the job has ever committed an epoch, and so has a state."""
        return os.fstat(self._file).st_size > 0

    def note_commit(self) -> None:
        """It has committed one."""
        os.pwrite(self._file, b"committed\n", 0)

    def close(self) -> None:
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)

    __del__ = close


@contextlib.contextmanager
def alone(folder: str) -> Iterator[bool]:
    """Whether a job's folder was free; within the block no committer of the job works then."""
    with open(os.path.join(folder, LOCK), "a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def adopt_state(staging: str) -> None:
    """Move the state of an earlier version, which had one a sink, to the folder of the job that it is of."""
    if os.path.exists(os.path.join(staging, STATE)) and (job := load_state(staging).job_id):
        folder = os.path.join(staging, job_folder(job))
        os.makedirs(folder, exist_ok=True)
        os.replace(os.path.join(staging, STATE), os.path.join(folder, STATE))


def load_state(staging: str) -> State:
    """The state in a folder, or a new one where there is none.

    Raises:
        CheckpointError: if the file cannot be understood.
    """
    path = os.path.join(staging, STATE)
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        known = data.pop("checksum", None)
        # Files of earlier versions have no checksum or name, replace or drop nothing, or complete no buckets.
        fits = known is None or known == _checksum(data)
        data = {"replaced": None, "name": "", "dropped": False, "opened": {}, "complete": [], **data}
        if not fits or (known is None and data.keys() != asdict(State()).keys()):
            raise ValueError("it does not match its checksum")
        return State(
            data["job_id"],
            data["epoch"],
            data["counters"],
            [Pending(part["created"], part["modified"], _pieces(part["pieces"])) for part in data["pending"]],
            [Roll(_pieces(roll["pieces"]), roll["target"]) for roll in data["rolls"]],
            data["replaced"],
            data["name"],
            data["dropped"],
            data["opened"],
            data["complete"],
        )
    except FileNotFoundError:
        return State()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(path, str(error)) from error


def damaged(path: str, why: str) -> CheckpointError:
    """The error for a file of the hidden folder; one line, since it comes from another process."""
    hint = "restore the folder that it is in from a backup, with the job's checkpoint of that time"
    return CheckpointDamaged(f"FileSink: {path} is damaged: {why}; {hint}")


def save_state(staging: str, state: State, fsync: bool) -> None:
    """Replace the state as a whole."""
    data = asdict(state)
    content = json.dumps({**data, "checksum": _checksum(data)}, separators=(",", ":"))
    durable.replace_file(os.path.join(staging, STATE), content.encode(), fsync)


@contextlib.contextmanager
def folder_lock(folder: str) -> Iterator[None]:
    """Keep other committers of the same base path waiting, so that no two choose the same file name."""
    with open(os.path.join(folder, "lock"), "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def sync(file: Any, fsync: bool) -> None:
    """Bring an open file to the disk, if asked."""
    if fsync:
        file.flush()
        os.fsync(file.fileno())


def make_folder(path: str, base: str, fsync: bool) -> None:
    """Make a folder of a sink, and bring its name to the disk, if asked.

    Args:
        path: The folder.
        base: The sink's base path: it, or above it.
        fsync: Whether it was asked.
    """
    if fsync:
        durable.make_folder(path, os.path.dirname(os.path.abspath(base)))
    else:
        os.makedirs(path, exist_ok=True)


def sync_folder(path: str, fsync: bool) -> None:
    """Bring a folder's names to the disk, if asked."""
    if fsync:
        durable.sync_folder(path)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _checksum(data: dict[str, Any]) -> str:
    text = json.dumps(data, separators=(",", ":"), sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _pieces(data: list[dict[str, Any]]) -> list[Piece]:
    return [Piece(**piece) for piece in data]
