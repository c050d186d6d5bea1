"""Golden checkpoints: where they are, and what is in them.

``tests/golden/checkpoints/<format>-<release>/<job>.tar.xz`` holds the folder ``checkpoint``, and results as lines of
text: ``before`` those of the first half of the input, ``all`` those of a run that nobody disturbed.
"""

from __future__ import annotations

import tarfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "checkpoints"


@dataclass(frozen=True)
class Golden:
    """A golden checkpoint that has been unpacked.

    Attributes:
        checkpoint: The folder, to be written to.
        before: The results of the first half.
        whole: All results.
    """

    checkpoint: Path
    before: Counter[str]
    whole: Counter[str]


def names() -> list[tuple[str, str]]:
    """(format and release, job) of all golden checkpoints."""
    return sorted((path.parent.name, path.name.removesuffix(".tar.xz")) for path in FOLDER.glob("*/*.tar.xz"))


def pack(folder: Path, release: str, job: str) -> Path:
    """Make the archive of a folder that holds ``checkpoint``, ``before`` and ``all``."""
    path = FOLDER / release / f"{job}.tar.xz"
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:xz", preset=9) as archive:
        for name in ("checkpoint", "before", "all"):
            archive.add(folder / name, name)
    return path


def unpack(release: str, job: str, folder: Path) -> Golden:
    """Unpack a golden checkpoint into a folder."""
    with tarfile.open(FOLDER / release / f"{job}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return Golden(folder / "checkpoint", read(folder / "before"), read(folder / "all"))


def read(path: Path) -> Counter[str]:
    """Results from lines."""
    return Counter(path.read_text().splitlines())
