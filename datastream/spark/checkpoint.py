"""Who owns a checkpoint folder, and whether the job fits what is in it.

Beside Spark's own ``offsets``, ``commits`` and ``state`` a folder holds ``job.json`` (what the job looks like, and the
version of the state format)
and ``owner.lock`` (held by the running driver; the system lets go of it when the driver dies).
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from xxhash import xxh3_64_hexdigest

from datastream import __version__
from datastream.errors import CheckpointError, CheckpointInUse, CheckpointMismatch
from datastream.graph import Operator, Plan
from datastream.graph.operators import Source
from datastream.job import JobID
from datastream.runtime.state_format import FORMAT

from .moved_folders import adopt

_LONG_PATH = 300
_PATIENCE_S = 15.0

#: Folder and job id of the jobs that ended their input in this process.
_finished: set[tuple[str, str]] = set()


@dataclass
class Checkpoint:
    """A checkpoint folder that this process holds.

    Attributes:
        path: The folder; may be on any file system that Spark knows.
        job_id: The id of the job that the folder belongs to.
        resumed: Whether epochs were committed here before.
    """

    path: str
    job_id: str
    resumed: bool
    _lock: IO[str] | None = None

    def note_finished(self) -> None:
        """Remember that the job's input has ended, and that no other job of this process can use the folder."""
        _finished.add((self.path, self.job_id))

    def release(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def note_java(self, pid: int | None) -> None:
        """Remember which Java works on the folder: it may outlive a killed driver by a moment."""
        if self._lock is not None and pid is not None:
            self._lock.seek(0)
            self._lock.truncate()
            json.dump({"driver": os.getpid(), "java": pid}, self._lock)
            self._lock.flush()


def acquire(path: str, plan: Plan) -> Checkpoint:
    """Take hold of a checkpoint folder, new or with a job's past in it.

    Raises:
        CheckpointInUse: another running job holds it.
        CheckpointError: its state is of a later version of datastream; nothing has been touched.
        CheckpointMismatch: it belongs to a job whose operators differ, or to one that has finished in this process;
            nothing has been touched.
    """
    if "://" in path and not path.startswith("file://"):
        _refuse_finished(path, _remote_id(path))
        return Checkpoint(path, _remote_id(path), False)
    folder = Path(path.removeprefix("file://")).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = "it is a file" if folder.is_file() else error.strerror
        raise CheckpointError(f"the checkpoint folder {folder} cannot be used: {what}; choose another") from error
    lock = _take(folder)
    try:
        shape = describe(plan)
        file = folder / "job.json"
        if file.exists():
            known = read_job(folder)
            _compare(known["job"], shape, folder)
            job_id = str(known["id"])
            _refuse_finished(str(folder), job_id)
            if format_of(known) < FORMAT:  # from now on, entries of this version are written
                _write(file, job_id, shape)
            adopt(folder)
        elif (folder / "offsets").exists():
            raise CheckpointMismatch(
                f"{folder} is a checkpoint of another Spark query (it has no job.json); choose another folder"
            )
        else:
            job_id = str(JobID())
            _write(file, job_id, shape)
    except BaseException:
        lock.close()
        raise
    resumed = (folder / "commits").exists() or (folder / "offsets").exists()
    return Checkpoint(str(folder), job_id, resumed, lock)


def _refuse_finished(path: str, job_id: str) -> None:
    if (path, job_id) in _finished:
        raise CheckpointMismatch(
            f"the checkpoint folder {path} belongs to an earlier job of this script, whose input has ended: a second "
            "job would find nothing to do there, and give no results\n"
            "  give each job a folder of its own: leave out --checkpoint-dir, and set execution.checkpointing.dir "
            "in the Configuration of its environment"
        )


def read_job(folder: Path) -> dict[str, Any]:
    """What ``job.json`` says.

    Raises:
        CheckpointError: There is none, it is damaged, or the state is of a later version than can be read.
    """
    file = folder / "job.json"
    try:
        known: dict[str, Any] = json.loads(file.read_text())
        version = format_of(known)
        known["job"]["state"], known["id"]
    except FileNotFoundError:
        raise CheckpointError(f"{folder} is no checkpoint of a job: it has no job.json") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise CheckpointError(f"{file} is damaged ({why}); choose another checkpoint folder") from error
    if version > FORMAT:
        release = known.get("release", "a later version")
        raise CheckpointError(
            f"the state in {folder} has format {version}, written by datastream {release}; this is datastream "
            f"{__version__}, which reads formats 1 to {FORMAT}. Nothing was read or written\n"
            f"  run the job with datastream {release} or later, or choose another --checkpoint-dir"
        )
    return known


def format_of(known: dict[str, Any]) -> int:
    """The version of the state format that a ``job.json`` names; the first releases wrote none."""
    return int(known.get("format", 1))


def _write(file: Path, job_id: str, shape: dict[str, Any]) -> None:
    content = {"id": job_id, "format": FORMAT, "release": __version__, "job": shape}
    temporary = file.with_name(f".{file.name}.tmp")
    temporary.write_text(json.dumps(content, indent=1))
    os.replace(temporary, file)


def describe(plan: Plan) -> dict[str, Any]:
    """What must stay the same for a job to go on from a checkpoint."""
    stateful = {
        op.state_uid: {
            "kind": op.kind,
            "level": plan.level_of[op.id],
            "parallelism": plan.subtasks[op.id],
            "max_parallelism": plan.key_groups[op.id],
        }
        for op in plan.operators.values()
        if op.stateful
    }
    return {
        "version": 1,
        "tasks": plan.width,
        "levels": ["keyed" if level.stateful else "plain" for level in plan.levels],
        "sources": {op.state_uid: type(op.source).__name__ for op in plan.sources},
        "sinks": {op.state_uid: type(op.sink).__name__ for op in plan.sinks},
        "state": stateful,
        "paths": {op.state_uid: _path(plan, op, {}) for op in plan.sinks if op.sink.consumed.needs_checkpoint},
        "batch": plan.graph.batch,
    }


def _path(plan: Plan, op: Operator, known: dict[int, str]) -> str:
    """By which sources and exchanges records come to an operator's subtasks.

    An epoch that was under way runs again in the new job, where each subtask must get the same records: sinks such as
    Kafka's know by subtask what they have committed.
    """
    if isinstance(op, Source):
        return f"{op.state_uid} x {plan.subtasks[op.id]}"
    if op.id not in known:
        ways = []
        for edge in plan.inputs[op.id]:
            way = _path(plan, plan.operators[edge.source], known)
            if edge.partitioner.exchanges:
                way = f"{way} > {edge.partitioner.name} x {plan.subtasks[op.id]}"
            ways.append(way)
        path = ways[0] if len(ways) == 1 else f"({', '.join(sorted(ways))})"
        # Paths that part and meet again would double the text each time.
        known[op.id] = path if len(path) <= _LONG_PATH else xxh3_64_hexdigest(path.encode())
    return known[op.id]


def _compare(known: dict[str, Any], shape: dict[str, Any], folder: Path) -> None:
    differences = [
        f"  {part}: the checkpoint has {json.dumps(known.get(part))}, this job {json.dumps(shape[part])}"
        for part in shape
        if known.get(part) != shape[part]
    ]
    if differences:
        raise CheckpointMismatch(
            f"the checkpoint in {folder} belongs to another job; nothing was read or written\n"
            + "\n".join(differences)
            + "\n  choose another --checkpoint-dir, or give the operators back their uid(), kind and parallelism"
        )


def _take(folder: Path) -> IO[str]:
    file = (folder / "owner.lock").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        owner = _owner(file)
        file.close()
        who = f" (process {owner['driver']})" if owner else ""
        raise CheckpointInUse(
            f"another running job{who} holds the checkpoint folder {folder}; "
            "stop it first, or choose another --checkpoint-dir"
        ) from None
    file.seek(0)
    owner = _owner(file)
    deadline = time.monotonic() + _PATIENCE_S
    while owner and owner["driver"] != os.getpid() and _is_java(owner["java"]):
        if time.monotonic() > deadline:
            file.close()
            raise CheckpointInUse(
                f"the driver that held {folder} has died, but its Java process {owner['java']} still runs; "
                "end that process, then start the job again"
            )
        time.sleep(0.1)
    return file


def _owner(file: IO[str]) -> dict[str, int] | None:
    try:
        owner = json.loads(file.read())
    except ValueError:  # new, or cut off in the middle of writing
        return None
    return owner if isinstance(owner, dict) and "java" in owner else None


def _is_java(pid: int) -> bool:
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"PythonGatewayServer" in line or b"SparkSubmit" in line


def _remote_id(path: str) -> str:
    import hashlib

    return hashlib.md5(path.encode(), usedforsecurity=False).hexdigest()
