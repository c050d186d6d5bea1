"""What of a savepoint a job takes over, and whether it can."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from datastream.errors import CheckpointMismatch
from datastream.graph import Plan
from datastream.graph.operators import Operator
from datastream.graph.state_forms import by_label, from_json, keyed
from datastream.io.durable import sync_folder
from datastream.io.sources import kind_of
from datastream.runtime.restore import Restore

from .manifest import SPOOL, Manifest, folder_of, read_manifest, verify
from .taking import copied

_LOGGER = logging.getLogger("datastream")

_LISTED = 8


def restore_from(
    savepoint: str | os.PathLike[str],
    plan: Plan,
    allow_non_restored: bool,
    progress: Callable[[int], None] | None = None,
) -> Restore:
    """Find out what a job takes over from a savepoint. Reads all of it, and changes nothing.

    Args:
        savepoint: The folder.
        plan: The job's.
        allow_non_restored: What the job has no operator for may be dropped.
        progress: Hears of the bytes of each file that was read.

    Raises:
        CheckpointError: It is no savepoint, is damaged, or of a later version than can be read.
        CheckpointMismatch: The job cannot take it over.
    """
    folder = folder_of(savepoint)
    manifest = read_manifest(folder)
    _compare(manifest, plan, str(folder), allow_non_restored)
    verify(folder, manifest, progress)
    if manifest.interrupted and plan.sinks:
        _LOGGER.warning(
            "the savepoint %s was taken while epoch %d was under way: if the earlier job does not run any more, what "
            "it wrote of that epoch is written again",
            folder,
            manifest.epoch + 1,
        )
    stateful = {op.state_uid for op in plan.operators.values() if op.stateful}
    kept = {uid: about for uid, about in manifest.operators.items() if uid in stateful}
    files = [file for file in manifest.files if file.operator in kept]
    return Restore(
        folder=str(folder),
        id=manifest.id,
        epoch=manifest.epoch,
        files=tuple(str(folder / file.name) for file in files),
        forms={uid: from_json(about) for uid, about in kept.items()},
        key_groups={uid: int(about["max_parallelism"]) for uid, about in kept.items()},
        offsets={
            op.state_uid: manifest.sources[op.state_uid]["offset"]
            for op in plan.sources
            if manifest.sources.get(op.state_uid, {}).get("offset") is not None
        },
        keys=sum(file.keys for file in files),
        notes=str(folder / SPOOL),
    )


def copy_notes(notes: str, to: str) -> None:
    """Bring back the notes of sources and sinks.

    Args:
        notes: Their folder; there need not be one.
        to: Where the restored job has its notes; what is there goes.
    """
    shutil.rmtree(to, ignore_errors=True)
    if os.path.isdir(notes):
        os.makedirs(os.path.dirname(to), exist_ok=True)
        list(copied(Path(notes), Path(to)))  # not with the rights of its folders: a savepoint may be read-only
        sync_folder(os.path.dirname(to))


def _compare(manifest: Manifest, plan: Plan, folder: str, allow_non_restored: bool) -> None:
    state = {op.state_uid: op for op in plan.operators.values() if op.stateful}
    sources = {op.state_uid: op for op in plan.sources}
    wrong: list[str] = []
    for uid, about in manifest.operators.items():
        op = state.get(uid)
        if op is not None:
            wrong += _misfits(uid, about, op)
    for uid, about in manifest.sources.items():
        source = sources.get(uid)
        if source is not None and kind_of(source.source) != about["type"]:
            kind = kind_of(source.source)
            wrong.append(f"  '{uid}' has the offset of a {about['type']}, but is a {kind} in this job")
    if wrong:
        raise CheckpointMismatch(
            f"the savepoint {folder} does not fit the job; nothing was read or written\n"
            + "\n".join(wrong)
            + "\n  give what is new a uid of its own (and --allow-non-restored-state leaves the old state behind)"
        )
    saved = {uid: sum(f.entries for f in manifest.files if f.operator == uid) for uid in manifest.operators}
    missing = {uid: str(manifest.operators[uid]["kind"]) for uid, n in saved.items() if n and uid not in state}
    missing |= {uid: str(about["type"]) for uid, about in manifest.sources.items() if uid not in sources}
    if not missing:
        return
    lines = _told(missing, {*state, *sources} - {*manifest.operators, *manifest.sources})
    if allow_non_restored:
        _LOGGER.warning("the savepoint %s has state that is left behind:\n%s", folder, "\n".join(lines))
        return
    defaults = any(
        uid == f"{kind}-{uid.rpartition('-')[2]}" or uid.startswith("source-") for uid, kind in missing.items()
    )
    raise CheckpointMismatch(
        f"the savepoint {folder} has state of operators that this job does not have; nothing was read or written\n"
        + "\n".join(lines)
        + (
            f"\n  a uid such as '{min(missing)}' is made of an operator's place in the script, and changes with it: "
            "uid(...) keeps it the same"
            if defaults
            else ""
        )
        + "\n  give the operators their uids back, or leave their state behind with --allow-non-restored-state"
    )


def _misfits(uid: str, about: Mapping[str, Any], op: Operator) -> Iterator[str]:
    """What of an operator's state in the savepoint the operator of the job cannot take over, a line each."""
    saved, now = (by_label(keyed(forms)) for forms in (from_json(about), op.state_forms))
    if op.kind != about["kind"]:
        if not saved or saved.keys() != now.keys() or not all(now[label].takes(form) for label, form in saved.items()):
            yield f"  '{uid}' keeps the state of a {about['kind']}, but is a {op.kind} in this job"
        return
    for label, form in saved.items():
        if label not in now:
            yield f"  '{uid}' keeps {form}, and nothing of the kind in this job"
        elif str(form) != str(now[label]):
            yield f"  '{uid}' keeps {form}, but {now[label]} in this job"


def _told(missing: Mapping[str, str], new: Iterable[str]) -> list[str]:
    lines = []
    names = sorted(new)
    for uid, kind in sorted(missing.items())[:_LISTED]:
        near = get_close_matches(uid, names, 1, 0.6)
        names = [name for name in names if name not in near]  # each is the new name of one at most
        lines.append(
            f"  '{uid}', a {kind}" + (f"; this job has '{near[0]}', which the savepoint has not" if near else "")
        )
    if len(missing) > _LISTED:
        lines.append(f"  and {len(missing) - _LISTED} more")
    return lines
