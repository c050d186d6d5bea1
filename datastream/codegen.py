"""Generated functions: source text collected line by line, compiled once, readable in tracebacks.

A generated function sees the objects that it needs as variables of the function around it, never as globals. Each
line may carry a note, such as the field or the operator that it is about. Notes cost nothing until an error is
explained with `generated_frames`.
"""

from __future__ import annotations

import linecache
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from types import FrameType, TracebackType
from typing import Any, NamedTuple

#: What the file names of generated functions start with.
FILE_PREFIX = "<generated "

_NOTES = "__notes__"
_numbers = count(1)


class Line(NamedTuple):
    """A line of source text.

    Attributes:
        depth: How many blocks it is in.
        text: Its text, without indentation.
        note: What it is about; None: nothing in particular.
    """

    depth: int
    text: str
    note: Any


class SourceText:
    """The source text of functions that are compiled together.

    Args:
        bound: Objects that the functions use, by name.

    Attributes:
        bound: All objects that the functions use, by name.
        depth: How many blocks the next line is in.
        note: The note of lines that are given none.
    """

    def __init__(self, **bound: Any) -> None:
        self.bound = bound
        self.depth = 0
        self.note: Any = None
        self._lines: list[Line] = []
        self._functions: list[Line] = []
        self._names: dict[int, str] = {}
        self._count = 0

    def line(self, text: str, note: Any = None) -> None:
        """Add a line at the present depth."""
        self._lines.append(Line(self.depth, text, self.note if note is None else note))

    def lines(self, *texts: str) -> None:
        """Add several lines at the present depth."""
        for text in texts:
            self.line(text)

    def indented(self, texts: Iterable[str]) -> None:
        """Add lines from the present depth on; each may begin with four spaces for each block that it is in."""
        depth = self.depth
        for each in texts:
            text = each.lstrip(" ")
            self.depth = depth + (len(each) - len(text)) // 4
            self.line(text)
        self.depth = depth

    @contextmanager
    def block(self, head: str, note: Any = None) -> Iterator[None]:
        """Lines inside ``head:``."""
        self.line(head + ":", note)
        self.depth += 1
        yield
        self.depth -= 1

    @contextmanager
    def collected(self) -> Iterator[list[Line]]:
        """Lines that are kept out of the text, from depth 0 on; `insert` puts them in."""
        before = self._lines, self.depth, self.note
        self._lines, self.depth, self.note = [], 0, None
        yield self._lines
        self._lines, self.depth, self.note = before

    def insert(self, lines: list[Line]) -> None:
        """Add collected lines at the present depth."""
        self._lines += [Line(self.depth + depth, text, note) for depth, text, note in lines]

    @contextmanager
    def function(self, head: str) -> Iterator[None]:
        """Lines of a function, wherever the lines before stand: ``def name(arguments)``."""
        with self.collected() as lines, self.block(head):
            yield
        self._functions += lines

    def variable(self, prefix: str = "v") -> str:
        """A name that no other call returns."""
        self._count += 1
        return f"{prefix}{self._count}"

    def bind(self, thing: Any, prefix: str = "k") -> str:
        """The name of an object; the same object has one name."""
        name = self._names.get(id(thing))
        if name is None:
            name = self._names[id(thing)] = self.variable(prefix)
            self.bound[name] = thing
        return name

    def compiled(self, name: str, title: str) -> Callable[..., Any]:
        """One of the functions.

        Args:
            name: The function's name.
            title: What it is called in tracebacks.
        """
        lines = [Line(0, f"def make({', '.join(self.bound)}):", None)]
        lines += [Line(depth + 1, text, note) for depth, text, note in self._functions]
        lines.append(Line(1, f"return {name}", None))
        text = "".join(f"{'    ' * depth}{text}\n" for depth, text, _ in lines)
        filename = f"{FILE_PREFIX}{title} {next(_numbers)}>"
        scope: dict[str, Any] = {_NOTES: [note for _, _, note in lines]}
        exec(compile(text, filename, "exec"), scope)
        made: Callable[..., Any] = scope["make"](**self.bound)
        linecache.cache[filename] = len(text), None, text.splitlines(True), filename
        weakref.finalize(made, linecache.cache.pop, filename, None).atexit = False
        return made


def note_of(frame: FrameType) -> Any:
    """The note of the line that a frame is at; None if the frame's function is not a generated one."""
    notes = frame.f_globals.get(_NOTES)
    return None if notes is None else notes[frame.f_lineno - 1]


def generated_frames(trace: TracebackType | None) -> Iterator[tuple[TracebackType, Any]]:
    """The entries of a traceback that stand in generated functions, outermost first, each with its line's note."""
    while trace is not None:
        notes = trace.tb_frame.f_globals.get(_NOTES)
        if notes is not None:
            yield trace, notes[trace.tb_lineno - 1]
        trace = trace.tb_next
