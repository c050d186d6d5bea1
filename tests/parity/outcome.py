"""What a script did: the lines it printed, the files it left, how it failed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

#: Scripts write into folders of this name in their working folder.
OUTPUT = "out"

_HEADER = re.compile(r"== (printed|file (?P<file>.+)|error)")
_SUBTASK = re.compile(r"^((?:\S+:)?)\d+> ")
_PART = re.compile(
    r"-(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16}-\d+|\d+)(?:-task)?-\d+(?:(?:-file)?-\d+)?"
)


@dataclass(frozen=True)
class Outcome:
    """What a script did.

    Attributes:
        printed: Lines of stdout.
        files: Path below `OUTPUT`, with ``*`` for what differs in each run -> its lines.
        error: None, or one line: ``in a function: Type: message``, ``while running: ...`` or ``when built: ...``.
    """

    printed: list[str]
    files: dict[str, list[str]] = field(default_factory=dict)
    error: str | None = None

    def text(self) -> str:
        """The form in which outcomes are kept."""
        parts = ["== printed", *self.printed]
        for name, lines in sorted(self.files.items()):
            parts += [f"== file {name}", *lines]
        if self.error is not None:
            parts += ["== error", self.error]
        return "\n".join(parts) + "\n"

    @classmethod
    def parse(cls, text: str) -> Outcome:
        printed: list[str] = []
        files: dict[str, list[str]] = {}
        error: list[str] = []
        lines = printed
        for line in text.removesuffix("\n").split("\n"):
            header = _HEADER.fullmatch(line)
            if header is None:
                lines.append(line)
            elif header["file"]:
                lines = files.setdefault(header["file"], [])
            else:
                lines = error if header[1] == "error" else printed
        return cls(printed, files, error[0] if error else None)


def files_in(folder: Path) -> dict[str, list[str]]:
    """The lines of each file below `OUTPUT`; parts of one folder whose names differ only by what is random are one."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob(f"{OUTPUT}*/**/*")):
        place = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in place.parts):
            name = _PART.sub("-*", str(place))
            found.setdefault(name, []).extend(path.read_text(errors="backslashreplace").splitlines())
    return found


def differences(real: Outcome, ours: Outcome, any_order: bool) -> dict[str, list[str]]:
    """Where two outcomes differ: ``printed``, ``files`` or ``error`` -> lines of a diff; empty where they are equal.

    Args:
        real: Flink's.
        ours: This project's.
        any_order: Lines may come in any order, and from any subtask.
    """
    pairs = {
        "printed": (_comparable(real.printed, any_order), _comparable(ours.printed, any_order)),
        "files": (list(_of_files(real, any_order)), list(_of_files(ours, any_order))),
        "error": ([_kind(real.error)], [_kind(ours.error)]),
    }
    diffs = {what: list(difflib.unified_diff(*pair, n=1, lineterm=""))[3:] for what, pair in pairs.items()}
    if diffs["error"]:
        diffs["error"] = [f"-{real.error}", f"+{ours.error}"]
    return {what: diff for what, diff in diffs.items() if diff}


def _comparable(lines: list[str], any_order: bool) -> list[str]:
    return sorted(_SUBTASK.sub(r"\1N> ", line) for line in lines) if any_order else lines


def _of_files(outcome: Outcome, any_order: bool) -> Iterator[str]:
    for name, lines in sorted(outcome.files.items()):
        yield f"== {name}"
        yield from _comparable(lines, any_order)


def _kind(error: str | None) -> str:
    """A function's own error is the same to the letter; engines word theirs differently."""
    if error is None or error.startswith("in a function:"):
        return error or ""
    return error.partition(":")[0]
