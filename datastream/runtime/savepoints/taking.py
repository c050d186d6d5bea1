"""What both executors do to write a savepoint."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from datastream.errors import CheckpointError
from datastream.graph import Plan
from datastream.graph.loops import FEEDBACK_SOURCE
from datastream.graph.shape import describe
from datastream.io import FeedbackSource, Spool, check_notes
from datastream.io.durable import sync_folder
from datastream.runtime.state_format.layout import PREFIX, is_saved

from .entry_files import EntryWriter, Owner, owners
from .manifest import SPOOL, STATE, Manifest, SavedFile, saved_file, write_manifest


class Written(NamedTuple):
    """A file of entries that was written.

    Attributes:
        name: Relative to the savepoint.
        operator: The uid of the operator whose they are.
        entries: How many.
        keys: How many keys they belong to.
        states: As JSON: [name, form, number of keys] of each state.
    """

    name: str
    operator: str
    entries: int
    keys: int
    states: str


def write_entries(
    folder: Path, whose: Mapping[bytes, Owner], uids: Sequence[str], entries: Iterable[tuple[int, bytes, bytes]]
) -> list[Written]:
    """Write entries, a file for each operator. Another attempt at the same ones replaces the files.

    Args:
        folder: The savepoint.
        whose: See `owners`.
        uids: Of all operators, in the same order for all files.
        entries: Subtask, key, entry; all of one subtask and level, in the order of their keys.
    """
    writers: dict[str, tuple[EntryWriter, Path, str]] = {}
    for number, key, entry in entries:
        owner = whose.get(key[:PREFIX])
        if owner is None:
            raise CheckpointError(f"the state is damaged: the entry {key.hex()} is of no operator of the job")
        if owner.uid not in writers:
            name = f"{STATE}/{uids.index(owner.uid)}-{number:05d}.arrow"
            path = Path(folder, f"{name}.{os.getpid()}-{os.urandom(4).hex()}")
            writers[owner.uid] = EntryWriter(path), path, name
        writers[owner.uid][0].write(key, entry, owner)
    written = []
    for uid, (writer, path, name) in writers.items():
        writer.close()
        os.replace(path, Path(folder, name))
        states = [[state, form, n] for (state, form), n in writer.states.items()]
        written.append(Written(name, uid, writer.entries, writer.keys, json.dumps(states)))
    return written


def copied(source: Path, target: Path) -> Iterator[Path]:
    """Copy a folder of notes; returns the files. What vanishes meanwhile belongs to epochs that are committed.

    After the last of them all has reached the disk, but for the name of the folder that they were copied to.
    """
    target.mkdir(exist_ok=True)
    for path in sorted(source.iterdir()):
        copy = target / path.name
        if path.is_dir():
            yield from copied(path, copy)
            continue
        try:
            copy_to_disk(path, copy)
        except FileNotFoundError:
            continue
        yield copy
    sync_folder(target)


def copy_to_disk(source: Path, target: Path) -> None:
    """Copy a file with its age, which counts for notes; it has reached the disk."""
    shutil.copy2(source, target)
    with target.open("rb") as file:
        os.fsync(file.fileno())


def check_feedback(
    notes: Path, spool: str | os.PathLike[str], shape: Mapping[str, Any], offset: Mapping[str, Any], first_epoch: int
) -> None:
    """Check that all that loops with exchanges fed back, and have not read, is among the notes of a savepoint.

    Args:
        notes: Where they were copied to.
        spool: Where from: what is missing there was missing here.
        shape: See `manifest_of`.
        offset: See `manifest_of`.
        first_epoch: Number of the job's first epoch.

    Raises:
        CheckpointError: A note is missing or damaged.
    """
    if offset.get("epoch", 0) <= first_epoch + ("restored" in offset):
        return  # of an earlier version, or nothing has run but what the job was restored from
    for uid, kind in shape["sources"].items():
        if kind == FeedbackSource.__name__:
            loop = uid.removesuffix(FEEDBACK_SOURCE)
            try:
                check_notes(Spool(str(notes), loop), offset["sources"][uid], offset["epoch"])
            except CheckpointError as error:
                raise CheckpointError(str(error).replace(str(notes), os.fspath(spool))) from None


def manifest_of(
    folder: Path,
    shape: Mapping[str, Any],
    written: Iterable[Written],
    offset: Mapping[str, Any],
    *,
    job_id: str,
    job_name: str,
    epoch: int,
    spool: tuple[SavedFile, ...] = (),
    interrupted: bool = False,
) -> Manifest:
    """The manifest of a savepoint whose files are there; write it last.

    Args:
        folder: The savepoint.
        shape: Of the job: what `describe` says of ``state``, ``sources`` and ``sinks``.
        written: The files with state.
        offset: The planner's, at the end of the epoch.
        job_id: See `Manifest`, and so the others.
        job_name: As above.
        epoch: As above.
        spool: As above.
        interrupted: As above.
    """
    states: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    files = []
    for one in written:
        path = folder / one.name
        files.append(saved_file(folder, path, operator=one.operator, entries=one.entries, keys=one.keys))
        states[one.operator].update({(state, form): n for state, form, n in json.loads(one.states)})
    return Manifest(
        job_id=job_id,
        job_name=job_name,
        epoch=epoch,
        operators={uid: {**about, "states": _listed(states[uid])} for uid, about in shape["state"].items()},
        sources={uid: {"type": kind, "offset": offset["sources"].get(uid)} for uid, kind in shape["sources"].items()},
        sinks=shape["sinks"],
        files=tuple(sorted(files, key=lambda file: file.name)),
        spool=spool,
        ended=tuple(offset.get("ended", shape["sources"] if offset["final"] else ())),
        interrupted=interrupted,
    )


def write_savepoint(
    folder: Path,
    plan: Plan,
    states: Mapping[int, Iterable[Mapping[bytes, bytes]]],
    offset: Mapping[str, Any],
    spool: str,
    *,
    job_id: str,
    first_epoch: int,
    epoch: int,
) -> Manifest:
    """Write a savepoint of state that this process has.

    Args:
        folder: The savepoint; see `new_folder`.
        plan: The job's.
        states: Subtask -> the entries of each of its stages.
        offset: The planner's, at the end of the epoch.
        spool: The job's folder of notes.
        job_id: The job's.
        first_epoch: Number of the job's first epoch.
        epoch: The last one.

    Raises:
        CheckpointError: A note of a loop is missing or damaged.
    """
    shape = describe(plan)
    whose = owners({op.state_uid: op.state_forms for op in plan.operators.values() if op.stateful})
    written = []
    for subtask, stages in states.items():
        for entries in stages:
            some = ((subtask, key, entries[key]) for key in sorted(entries) if is_saved(key, subtask))
            written += write_entries(folder, whose, list(shape["state"]), some)
    notes: tuple[SavedFile, ...] = ()
    if os.path.isdir(spool):
        notes = tuple(saved_file(folder, path) for path in copied(Path(spool), folder / SPOOL))
    check_feedback(folder / SPOOL, spool, shape, offset, first_epoch)
    manifest = manifest_of(
        folder, shape, written, offset, job_id=job_id, job_name=plan.graph.name, epoch=epoch, spool=notes
    )
    write_manifest(folder, manifest)
    return manifest


def _listed(states: Mapping[tuple[str, str], int]) -> list[dict[str, Any]]:
    return [{"name": name, "form": form, "keys": keys} for (name, form), keys in sorted(states.items())]
