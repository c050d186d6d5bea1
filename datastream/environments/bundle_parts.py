"""What is in a bundle, for those who write it and those who read it."""

from __future__ import annotations

import os
from typing import Any

from .needs import Archive, CachedFile, Needs

NEEDS = "needs.json"


def needs_of(read: dict[str, Any], folder: str) -> Needs:
    """The needs of a bundle that is unpacked in a folder."""

    def within(path: str | None) -> str | None:
        return None if path is None else os.path.join(folder, path)

    return Needs(
        files=tuple(os.path.join(folder, path) for path in read["files"]),
        requirements=within(read["requirements"]),
        wheels=within(read["wheels"]),
        archives=tuple(Archive(os.path.join(folder, one["path"]), one["target"]) for one in read["archives"]),
        executable=read["executable"],
        cached=tuple(
            CachedFile(os.path.join(folder, one["path"]), one["name"], one["executable"]) for one in read["cached"]
        ),
        constraints=tuple(read["constraints"]),
    )
