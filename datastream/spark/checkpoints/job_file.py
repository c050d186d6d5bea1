"""``job.json``: what the job of a checkpoint directory looks like, and the version of its state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from xxhash import xxh3_64_hexdigest

from datastream import __version__
from datastream.errors import CheckpointDamaged, CheckpointError, CheckpointMismatch
from datastream.graph import Plan
from datastream.graph.state_forms import by_label, from_json
from datastream.io.durable import replace_file
from datastream.runtime.state_format import FIRST_FORMAT, FORMAT

from .damage import RESTORE


def read_job(folder: Path) -> dict[str, Any]:
    """What ``job.json`` says.

    Raises:
        CheckpointError: There is none, it is damaged, or the state is of a later version than can be read.
    """
    file = folder / "job.json"
    try:
        text = file.read_text()
    except FileNotFoundError:
        inside = sorted(file.parent.name for file in folder.glob("*/manifest.json"))
        hint = f"; it holds savepoints, such as {inside[-1]}" if inside else _generations(folder)
        raise CheckpointError(f"{folder} is not a checkpoint of a job: it has no job.json{hint}") from None
    except (OSError, ValueError) as error:
        why = f"{type(error).__name__}: {error}"
        raise CheckpointDamaged(f"{file} is damaged: {why}{RESTORE}") from error
    return parse_job(text, str(file))


def _generations(folder: Path) -> str:
    """Where to look instead, in a folder that the runner has for checkpoints before and after upgrades."""
    numbers = [int(file.parent.name) for file in folder.glob("*/job.json") if file.parent.name.isdecimal()]
    return f"; it holds checkpoints, the newest in {folder / str(max(numbers))}" if numbers else ""


def parse_job(text: str, file: str) -> dict[str, Any]:
    """What a ``job.json`` says.

    Args:
        text: Its content.
        file: Where it is, for messages.

    Raises:
        CheckpointError: It is damaged, or the state is of a later version than can be read.
    """
    folder = file.removesuffix("/job.json")
    try:
        known: dict[str, Any] = json.loads(text)
        version = int(known.get("format", 1))
        checksum = known.pop("checksum", None)
        if checksum != _checksum(known) and (checksum is not None or version >= FIRST_FORMAT):
            raise ValueError("it does not match its checksum")
        known["job"]["state"], known["id"]
    except (ValueError, KeyError, TypeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise CheckpointDamaged(f"{file} is damaged: {why}{RESTORE}") from error
    if version < FIRST_FORMAT:
        raise CheckpointDamaged(
            f"the state in {folder} has format {version}, which no published version of datastream has written; this "
            f"is datastream {__version__}, which reads format {FORMAT}. Nothing was read or written\n"
            "  choose another --checkpoint-dir: the job starts from the beginning"
        )
    if version > FORMAT:
        release = known.get("release", "a later version")
        raise CheckpointDamaged(
            f"the state in {folder} has format {version}, written by datastream {release}; this is datastream "
            f"{__version__}, which reads format {FORMAT}. Nothing was read or written\n"
            f"  run the job with datastream {release} or later, or choose another --checkpoint-dir"
        )
    return known


def content_of(
    job_id: str, shape: dict[str, Any], name: str = "", restored: dict[str, Any] | None = None
) -> dict[str, Any]:
    """What ``job.json`` says of a job."""
    content = {"id": job_id, "name": name, "format": FORMAT, "release": __version__, "job": shape}
    if restored is not None:
        content["restored"] = restored
    return {**content, "checksum": _checksum(content)}


def renewed(known: dict[str, Any]) -> dict[str, Any] | None:
    """What ``job.json`` says from now on, when this version writes state of a later format; None: the same.

    Args:
        known: What it says.
    """
    if known["format"] == FORMAT:
        return None
    content = {**known, "format": FORMAT, "release": __version__}
    return {**content, "checksum": _checksum(content)}


def write_job(file: Path, job_id: str, plan: Plan, shape: dict[str, Any], restored: dict[str, Any] | None) -> None:
    replace_file(file, as_bytes(content_of(job_id, shape, plan.graph.name, restored)))


def renew_job(file: Path, known: dict[str, Any]) -> None:
    """Make a ``job.json`` what it says from now on; see `renewed`."""
    if (content := renewed(known)) is not None:
        replace_file(file, as_bytes(content))


def as_bytes(content: dict[str, Any]) -> bytes:
    """A ``job.json``."""
    return json.dumps(content, indent=1).encode()


def _checksum(content: dict[str, Any]) -> str:
    digest: str = xxh3_64_hexdigest(json.dumps(content, sort_keys=True).encode())
    return digest


def compare(known: dict[str, Any], shape: dict[str, Any], folder: Path | str) -> None:
    """Refuse a job that does not fit what is in the folder.

    Raises:
        CheckpointMismatch: It does not.
    """
    known, shape = _in_words(known, known), _in_words(shape, known)
    differences = [line for part in shape for line in _differences(part, known.get(part), shape[part])]
    if differences:
        raise CheckpointMismatch(
            f"the checkpoint in {folder} belongs to another job; nothing was read or written\n"
            + "\n".join(differences)
            + "\n  choose another --checkpoint-dir, or undo these changes; to change the job and keep its state, take "
            "a savepoint of the directory (datastream savepoint) and start the job from it (run --from-savepoint)"
        )


def _in_words(shape: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """A job with its forms of state in words; without new forms, and names of states, which may change."""
    state = {}
    for uid, about in shape["state"].items():
        there = by_label(from_json(known["state"][uid])) if uid in known["state"] else {}
        forms = {label: str(form) for label, form in by_label(from_json(about)).items() if label in there}
        state[uid] = {**{name: value for name, value in about.items() if name != "forms"}, **forms}
    return {**shape, "state": state}


def _differences(part: str, known: Any, new: Any) -> list[str]:
    """How a part of what ``job.json`` says differs from this job, a line for each difference."""
    if known == new:
        return []
    if not (isinstance(known, dict) and isinstance(new, dict)):
        return [f"  {part}: the checkpoint has {_short(known)}, this job {_short(new)}"]
    lines = []
    for name in sorted(known.keys() | new.keys()):
        before, now = known.get(name), new.get(name)
        if isinstance(before, dict) and isinstance(now, dict):
            lines += _differences(f"{part} of '{name}'", before, now)
        elif before is None or now is None:
            lines.append(f"  {part}: '{name}' is only in the {'checkpoint' if now is None else 'job'}")
        elif before != now:
            lines.append(f"  {part} of '{name}': the checkpoint has {_short(before)}, this job {_short(now)}")
    return lines


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
