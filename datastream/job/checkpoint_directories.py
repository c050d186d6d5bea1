"""The checkpoint directories of a script's jobs, which share what ``--checkpoint-dir`` names.

The job that is started first has the directory itself, the others have folders below it. A job is found again by its
name, and where several have one name by the order of their starts. So a script may start them in another order, and may
get new ones. What cannot be distinguished is refused.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xxhash import xxh3_64_hexdigest

from datastream.errors import CheckpointMismatch, ValidationError
from datastream.graph import JobGraph, Plan
from datastream.graph.shape import describe

from .handle import JobHandle
from .registry import JOBS

_LONGEST = 80

_lock = threading.Lock()
_claims: dict[str | None, list[Claim]] = {}


@dataclass(eq=False)
class Claim:
    """A job of this process, and its checkpoint directory.

    Attributes:
        name: The job's.
        shape: What it looks like to a checkpoint.
        folder: Its checkpoint directory; None: it has a temporary one.
        first: Whether it was started first.
        thread: What has started it.
        job: It; None: it is being started.
        failed: It could not be started.
    """

    name: str
    shape: Any
    folder: str | None
    first: bool
    thread: threading.Thread
    job: JobHandle | None = None
    failed: bool = False

    @property
    def broken_off(self) -> bool:
        """Whether it has ended before its end: whoever starts its like wants it to continue."""
        if self.job is None:
            return self.failed
        return self.job.future.done() and (self.job.future.error is not None or self.job.ending)


def claim(directory: str | None, graph: JobGraph) -> Claim:
    """The folder of a job that is about to be started.

    Args:
        directory: What all jobs of the script share; None: their checkpoints are temporary.
        graph: The job.

    Raises:
        CheckpointMismatch: It may be another job whose checkpoint is there.
        ValidationError: It cannot be distinguished from an earlier job when the script is started again.
    """
    shape = json.loads(json.dumps(describe(Plan.of(graph))))
    with _lock:
        claims = _claims.setdefault(directory, [])
        same = [each for each in claims if each.name == graph.name]
        for each in same:
            if each.broken_off and each.shape == shape:
                each.job, each.failed = None, False
                return each
        thread = threading.current_thread()
        if directory is not None and same and same[-1].thread is not thread:
            raise ValidationError(
                f"two threads start jobs with the name '{graph.name}' and one --checkpoint-dir: started again, they "
                "could not be distinguished; give each a name of its own (env.execute(name), pipeline.name)"
            )
        folder = None if directory is None else _folder(directory, claims, graph.name, len(same) + 1, shape)
        claims.append(Claim(graph.name, shape, folder, not claims, thread))
        return claims[-1]


def slug_of(name: str, number: int) -> str:
    """The name of the folder of a job that was not the first one to be started.

    Args:
        name: The job's.
        number: Of those with this name, from 1.
    """
    readable = re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)[:_LONGEST]
    return f"{readable}-{xxh3_64_hexdigest(f'{number} {name}'.encode())[:8]}"


def _folder(directory: str, claims: list[Claim], name: str, number: int, shape: Any) -> str:
    """Where the checkpoint of a job is.

    Args:
        directory: What the jobs share.
        claims: The jobs that this process has started.
        name: The job's.
        number: Of those with this name, from 1.
        shape: The job's.
    """
    slug = slug_of(name, number)
    if "://" in directory and not directory.startswith("file://"):
        return f"{directory.rstrip('/')}/{JOBS}/{slug}" if claims else directory
    root = Path(directory.removeprefix("file://")).absolute()
    below = root / JOBS
    own = below / slug
    if not below.exists():  # for all that is known there, a script of one job
        return str(own) if claims else directory
    taken = {each.folder for each in claims}
    known = {str(folder): _job_in(folder) for folder in sorted(below.iterdir())}
    known[directory] = _job_in(root)
    first = known[directory]
    if number == 1 and first is not None and first["name"] == name and directory not in taken:
        return directory
    if known.get(str(own)) is None:
        for folder, job in known.items():
            if job is not None and folder not in taken and job["job"] == shape:
                raise CheckpointMismatch(
                    f"the checkpoint directory {directory} knows no job '{name}', but has the checkpoint of a job "
                    f"'{job['name']}' with the same operators, in {folder}: '{name}' may be its new name, so nothing "
                    "was read or written\n  give the job its name back, or start the other job first; or choose "
                    "another --checkpoint-dir, or delete that checkpoint to do without it"
                )
    return str(own)


def _job_in(folder: Path) -> dict[str, Any] | None:
    """What a checkpoint directory, or the newest of its generations, says of its job; None: it holds no job."""
    numbers = [path for path in folder.iterdir() if path.name.isdecimal()] if folder.is_dir() else []
    for place in (folder, *sorted(numbers, key=lambda path: int(path.name))[-1:]):
        try:
            known = json.loads((place / "job.json").read_text())
            return {"name": known["name"], "job": known["job"]}
        except (OSError, ValueError, KeyError, TypeError):  # whoever uses it says what is wrong
            continue
    return None
