"""Checkpoints that were damaged: what a job goes on from is checked, and Spark's failures to read it are explained.

Spark logs the offsets of an epoch before it runs, and its commit afterwards: ``offsets/N`` and ``commits/N``. Beside
each file lies ``.N.crc``, with a checksum for each block of bytes.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from datastream.errors import CheckpointDamaged, CheckpointError, CheckpointLost
from datastream.spark.java_errors import Thrown

RESTORE = (
    "\n  restore the checkpoint directory as a whole from a backup, with what the sinks had written by then; or give "
    "the job another --checkpoint-dir: it then reads its input from the beginning"
)


def check_logs(folder: Path) -> None:
    """Check what a job reads from a checkpoint directory to find where it stopped.

    Raises:
        CheckpointError: A file is missing or damaged.
    """
    offsets, commits = numbers_in(folder / "offsets"), numbers_in(folder / "commits")
    last, committed = max(offsets, default=-1), max(commits, default=-1)
    if committed > last:
        raise _damaged(folder / "offsets" / str(committed), f"it is missing, but commits/{committed} is there")
    for orphan in _numbers_of_checksums(folder / "offsets"):
        # An epoch that was planned, and run in part: planned again, it might hold other records.
        if orphan > last:
            raise _damaged(folder / "offsets" / str(orphan), f"it is missing, but its checksum .{orphan}.crc is there")
    if last > 0 and last - 1 not in offsets:
        raise _damaged(folder / "offsets" / str(last - 1), f"it is missing, but offsets/{last} is there")
    if offsets or (folder / "metadata").exists():
        _check_metadata(folder / "metadata")
    ends = [read_end(folder / "offsets" / str(number)) for number in range(max(last - 1, 0), last + 1)]
    if len(ends) == 2 and not _follows(*ends):
        raise _damaged(
            folder / "offsets" / str(last),
            f"it does not follow offsets/{last - 1}: one of them was replaced by another epoch's",
        )
    for number in sorted(commits)[-1:]:
        _lines(folder / "commits" / str(number), 1)
    for operator in sorted(folder.glob("state/*")):
        _check_operator(operator)


def read_end(file: Path) -> dict[str, Any]:
    """Where an epoch ends, by our own offset.

    Args:
        file: Of the epoch in Spark's log of offsets.

    Raises:
        CheckpointError: It is missing or damaged.
    """
    end = _json(file, _lines(file, 2)[1])
    if not isinstance(end, dict) or not isinstance(end.get("sources"), dict):
        raise _damaged(file, "it holds no offsets of this job")
    return end


def explain(chain: Sequence[Thrown], folder: Path) -> CheckpointError | None:
    """The error for a failure that came from a damaged checkpoint; None: it came from something else.

    Args:
        chain: What Java has thrown.
        folder: The checkpoint.
    """
    if not any(one.unreadable_state for one in chain) or any(one.innocent for one in chain):
        return None
    last = chain[-1]
    said = next(iter(last.message.splitlines()), "").replace("file:/", "/")
    why = said or last.classes[0].rpartition(".")[2]
    return CheckpointDamaged(f"the state in {folder / 'state'} is damaged: {why}{RESTORE}")


def lost(folder: Path | str, why: str) -> CheckpointLost:
    """The error of a folder that is no longer the one that a running job began with."""
    return CheckpointLost(
        f"the checkpoint directory {folder} is no longer the one that this job runs on: {why}. The job ends, because "
        f"it could only start from the beginning and write its output again{RESTORE}"
    )


def _check_operator(folder: Path) -> None:
    """What Spark notes of a stateful operator: its shape, and the files with the schemas of its states."""
    notes = folder / "_metadata" / "v2" / "0"
    if any(folder.glob("[0-9]*/*")) and not (folder / "_metadata" / "v2").is_dir():
        return  # of an earlier Spark
    if not any(folder.glob("[0-9]*/*")) and not notes.exists():
        return  # no epoch has begun
    *_, content = _lines(notes, 1)
    stores = _json(notes, content).get("stateStoreInfo", ())
    for store in stores:
        for path in store.get("stateSchemaFilePaths", ()):
            # The folder may have been moved since.
            _content(folder / "_stateSchema" / path.rpartition("/_stateSchema/")[2])


def _check_metadata(file: Path) -> None:
    """The query's id: a new one would do, but says that the folder is not as it was."""
    if not isinstance(_json(file, _content(file)), dict):
        raise _damaged(file, "the id of the query is missing")


def _follows(before: dict[str, Any], end: dict[str, Any]) -> bool:
    """Whether an epoch ends after the one before; offsets of earlier versions have no numbers."""
    return "epoch" not in before or "epoch" not in end or bool(end["epoch"] == before["epoch"] + 1)


def _lines(file: Path, count: int) -> list[str]:
    """The lines of a file of a log, after the version: the first of them is JSON."""
    version, *lines = _content(file).rstrip("\n").split("\n")
    if not version.startswith("v") or len(lines) < count:
        raise _damaged(file, f"expected a version and {count} lines, found {len(lines)} lines")
    _json(file, lines[0])
    return lines


def _json(file: Path, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise _damaged(file, str(error)) from None


def _content(file: Path) -> str:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise _damaged(file, error.strerror or str(error)) from None
    if not _matches(data, file.with_name(f".{file.name}.crc")):
        raise _damaged(file, f"it does not match its checksum in .{file.name}.crc")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _damaged(file, str(error)) from None


def _matches(data: bytes, checksums: Path) -> bool:
    """Whether data matches a file of Hadoop's checksums; without one nothing is known."""
    try:
        known = checksums.read_bytes()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    if len(known) < 8 or known[:4] != b"crc\0":
        return False
    (size,) = struct.unpack_from(">i", known, 4)
    if size <= 0:
        return False
    parts = [zlib.crc32(data[at : at + size]) for at in range(0, len(data), size)]
    return known[8:] == struct.pack(f">{len(parts)}I", *parts)


def numbers_in(folder: Path) -> set[int]:
    return {int(path.name) for path in folder.glob("*") if path.name.isdecimal()}


def _numbers_of_checksums(folder: Path) -> set[int]:
    return {int(path.stem[1:]) for path in folder.glob(".*.crc") if path.stem[1:].isdecimal()}


def _damaged(file: Path, why: str) -> CheckpointError:
    return CheckpointDamaged(f"{file} is damaged: {why}{RESTORE}")
