"""Files that are damaged while no process of the job runs: a byte changed, the end cut off, gone."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from datastream.connectors.files.staging import HIDDEN
from datastream.io.durable import sync_folder

#: Parts of paths: of checkpoint directories, of their notes, of savepoints, of what the file sink keeps.
_KEPT = ("/checkpoint-", "/spool/", "/savepoint-", "/out/")


#: Names of files that get another one as soon as they are whole.
_ASIDE = re.compile(r"\.(tmp|[0-9a-f]{32})$")


@dataclass
class Damage:
    """Damages files, and puts back those that an error names, as people do who have a copy.

    Args:
        folder: Where all files of the job are.

    Attributes:
        done: What was done to which file, for reports.
    """

    folder: str
    done: list[str] = field(default_factory=list)
    _before: dict[str, tuple[bytes, bytes | None]] = field(default_factory=dict)  # and as it was left

    def fall(self, draw: Random, part: str | None = None) -> None:
        """Damage a file that the engine keeps, rather one of the newest; or one whose path has this part."""
        files = [path for path in Path(self.folder).rglob("*") if path.is_file() and _is_kept(path, self.folder)]
        of = {one: [path for path in files if one in str(path)] for one in ((part,) if part else _KEPT)}
        files = draw.choice([found for found in of.values() if found] or [[]])
        if not files:
            return
        files.sort(key=lambda path: -path.stat().st_ino)  # names are random
        path = files[min(len(files) - 1, int(draw.expovariate(0.4)))]
        data = path.read_bytes()
        hows = ["changed", "cut"] if data else []
        if not _nobody_knows(path):
            hows.append("gone")
        if not hows:
            return
        how = draw.choice(hows)
        before, left = self._before.get(str(path), (data, data))
        if left != data:  # it has been written anew since
            before = data
        if how == "changed":
            at = draw.randrange(len(data))
            path.write_bytes(data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :])
        elif how == "cut":
            path.write_bytes(data[: draw.randrange(len(data))])
        else:
            path.unlink()
        self._before[str(path)] = before, path.read_bytes() if path.exists() else None
        self.done.append(f"{path.relative_to(self.folder)} {how}")

    def repair(self, error: BaseException) -> bool:
        """Put back the file that an error names; whether it names one that was damaged."""
        told = str(error)
        for path, (data, _) in self._before.items():
            if _is_named(path, told):
                with open(path, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                sync_folder(os.path.dirname(path))
                del self._before[path]
                return True
        return False


def _nobody_knows(path: Path) -> bool:
    """Whether a file is a note of a queue that is not acknowledged: nothing else tells that it was there."""
    return path.parent.name == "queue" and not (path.parent / "parts" / "acknowledged" / path.name).exists()


def _is_named(path: str, told: str) -> bool:
    """Whether a message names a file: by its path, or by a folder and the way from there."""
    cuts = [at for at, letter in enumerate(path) if letter == "/" and at]
    return path in told or any(path[:at] in told and path[at + 1 :] in told for at in cuts)


def _is_kept(path: Path, folder: str) -> bool:
    """Whether a file is the engine's: not what a sink has made visible, nor the aside of a note, or another one."""
    top, *below = path.relative_to(folder).parts
    return (top != "out" or HIDDEN in below) and not _ASIDE.search(path.name)
