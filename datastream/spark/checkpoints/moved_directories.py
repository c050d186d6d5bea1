"""Checkpoint directories that have been moved or copied: Spark notes in them where they were made.

The metadata of each stateful operator names the files of its state's schema by their full paths.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_SCHEMA = "_stateSchema"


def adopt(folder: Path) -> None:
    """Make Spark's notes name the folder where it is now; does nothing where they do."""
    for file, text in _corrected(folder):
        temporary = file.with_name(f".{file.name}.tmp")
        temporary.write_text(text)
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
        os.replace(temporary, file)


def readable(folder: Path, temporary: str) -> Path:
    """The folder, or if it was moved, one that stands for it; nothing in the folder itself is changed.

    Args:
        folder: The checkpoint directory.
        temporary: Where the other one is made.
    """
    corrected = dict(_corrected(folder))
    if not corrected:
        return folder
    mirror = Path(tempfile.mkdtemp(prefix="checkpoint-", dir=temporary))
    _mirror(folder, mirror, corrected)
    return mirror


def _mirror(folder: Path, to: Path, corrected: dict[Path, str]) -> None:
    """Links to all that is in a folder, but for the files that are corrected and the folders above them."""
    for path in folder.iterdir():
        if path in corrected:
            (to / path.name).write_text(corrected[path])
        elif any(path in file.parents for file in corrected):
            (to / path.name).mkdir()
            _mirror(path, to / path.name, corrected)
        elif path.suffix != ".crc":
            (to / path.name).symlink_to(path)


def _corrected(folder: Path) -> Iterator[tuple[Path, str]]:
    """The files that name another folder, and what they should hold."""
    for file in sorted(folder.glob("state/*/_metadata/v2/*")):
        if not file.name.isdecimal():  # a checksum
            continue
        version, _, content = file.read_text().partition("\n")
        noted: dict[str, Any] = json.loads(content)
        right = json.loads(content)
        for store in right["stateStoreInfo"]:
            store["stateSchemaFilePaths"] = [_here(path, file.parents[2]) for path in store["stateSchemaFilePaths"]]
        if right != noted:
            yield file, f"{version}\n{json.dumps(right, separators=(',', ':'))}"


def _here(path: str, operator: Path) -> str:
    """The same file in the folder of an operator's state, as Spark writes paths."""
    _, found, rest = path.rpartition(f"/{_SCHEMA}/")
    here = operator / _SCHEMA / rest
    same = not found or path.partition(":")[2].lstrip("/") == str(here).lstrip("/")
    return path if same else f"file:{here}"
