"""Golden checkpoints and savepoints: where they are, and what is in them.

``tests/golden/checkpoints/<format>-<release>/<job>.tar.xz`` holds the folder ``checkpoint``, and results as lines of
text: ``before`` those of the first half of the input, ``all`` those of a run that nobody disturbed.
``tests/golden/savepoints/<version>-<release>/<job>.tar.xz`` holds the same with the folder ``savepoint``; the version
is that of its manifest.
"""

from __future__ import annotations

import tarfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from datastream.environments.archives import unpack as unpack_archive

CHECKPOINTS, SAVEPOINTS = (Path(__file__).parent / kind for kind in ("checkpoints", "savepoints"))


@dataclass(frozen=True)
class Golden:
    """A golden checkpoint or savepoint that has been unpacked.

    Attributes:
        checkpoint: Its folder; that of a checkpoint is to be written to.
        before: The results of the first half.
        whole: All results.
    """

    checkpoint: Path
    before: Counter[str]
    whole: Counter[str]


def names(kind: Path = CHECKPOINTS) -> list[tuple[str, str]]:
    """(format and release, job) of all golden checkpoints, or savepoints."""
    return sorted((path.parent.name, path.name.removesuffix(".tar.xz")) for path in kind.glob("*/*.tar.xz"))


def pack(folder: Path, release: str, job: str, kind: Path = CHECKPOINTS) -> Path:
    """Make the archive of a folder that holds ``checkpoint`` or ``savepoint``, ``before`` and ``all``."""
    path = kind / release / f"{job}.tar.xz"
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:xz", preset=9) as archive:
        for name in (kind.name.removesuffix("s"), "before", "all"):
            archive.add(folder / name, name)
    return path


def unpack(release: str, job: str, folder: Path, kind: Path = CHECKPOINTS) -> Golden:
    """Unpack a golden checkpoint or savepoint into a folder."""
    unpack_archive(str(kind / release / f"{job}.tar.xz"), folder)
    return Golden(folder / kind.name.removesuffix("s"), read(folder / "before"), read(folder / "all"))


def read(path: Path) -> Counter[str]:
    """Results from lines."""
    return Counter(path.read_text().splitlines())
