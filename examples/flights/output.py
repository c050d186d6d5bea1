"""What the job wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def lines_of(output: Path) -> Iterator[str]:
    """All lines of the files in a folder. What is hidden in it is not finished and not read."""
    for path in sorted(output.rglob("*")):
        hidden = any(part.startswith((".", "_")) for part in path.relative_to(output).parts)
        if not hidden and path.is_file():
            with path.open(newline="", encoding="utf-8") as file:
                yield from file
