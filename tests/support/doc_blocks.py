"""The blocks of code of a page of the docs, and its commands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r'^```(\w*)(?: title="([^"]+)")?$')


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        page: Its page, relative to the checkout.
        line: The line of its opening fence, from 1.
        language: What the fence names.
        title: Name of the file that it shows, or "".
        text: What is in it.
    """

    page: str
    line: int
    language: str
    title: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(path: Path, root: Path) -> list[Block]:
    """The blocks of a page.

    Raises:
        ValueError: code that is not in a fence at the line's start, or a fence with unknown words: nobody would run it.
    """
    page = str(path.relative_to(root))
    found: list[Block] = []
    opened: tuple[int, str, str] | None = None
    lines: list[str] = []
    before = ""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if opened is not None:
            if line == "```":
                found.append(Block(page, *opened, "".join(f"{line}\n" for line in lines)))
                opened, lines = None, []
            else:
                lines.append(line)
        elif line.startswith("```"):
            match = _FENCE.match(line)
            if match is None or not match.group(1):
                raise ValueError(f"{page}:{number}: a fence needs a language, and perhaps a title: {line}")
            opened = number, match.group(1), match.group(2) or ""
        elif line.lstrip().startswith("```") or (line.startswith("    ") and not before):
            raise ValueError(f"{page}:{number}: code that is not in a fence at the start of a line: {line}")
        before = line
    if opened is not None:
        raise ValueError(f"{page}:{opened[0]}: a fence that is not closed")
    return found


def commands(text: str) -> list[str]:
    """The commands of a shell block, each in one line."""
    return [line for line in re.sub(r"\\\n\s*", "", text).splitlines() if line.strip()]


def session(text: str) -> list[tuple[str, list[str]]]:
    """The commands of a console block, each with the lines that it shows."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found
