"""Source code that is generated a line at a time, and remembers which field each line is about.

An error in generated code then costs nothing until it happens: the line says which field it was, and the
variables of the frame which element of a list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

from datastream.errors import ValidationError, cut

#: A step into a value: a field's name, or a pair of variables: (list, element) or (dict, key).
Step = str | tuple[str, str]

_FILE = "<avro codec>"
#: Blocks in blocks that one function may have; Python itself refuses more than 20 loops.
_DEEPEST = 8


class Code:
    """A module of generated functions.

    Attributes:
        scope: What the functions see.
    """

    def __init__(self, scope: dict[str, Any]) -> None:
        self.scope = dict(scope)
        self._lines: list[str] = []
        self._paths: list[tuple[Step, ...]] = []
        self._done: list[tuple[list[str], list[tuple[Step, ...]]]] = []
        self._path: tuple[Step, ...] = ()
        self._depth = 0
        self._count = 0

    def line(self, text: str) -> None:
        """Add a line at the present depth."""
        self._lines.append("    " * self._depth + text)
        self._paths.append(self._path)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Lines inside ``head:``."""
        self.line(head + ":")
        self._depth += 1
        yield
        self._depth -= 1

    @contextmanager
    def inside(self, step: Step) -> Iterator[None]:
        """Lines about a part of the value."""
        before = self._path
        self._path = (*before, step)
        yield
        self._path = before

    @contextmanager
    def function(self, head: str) -> Iterator[None]:
        """Lines of a function of its own, wherever the lines before stand."""
        before = self._lines, self._paths, self._path, self._depth
        self._lines, self._paths, self._path, self._depth = [], [], (), 0
        with self.block(head):
            yield
        self._done.append((self._lines, self._paths))
        self._lines, self._paths, self._path, self._depth = before

    def deep(self) -> bool:
        """Whether a function of its own is due."""
        return self._depth >= _DEEPEST

    def variable(self, prefix: str = "v") -> str:
        """A name that is not used yet."""
        self._count += 1
        return f"{prefix}{self._count}"

    def bind(self, thing: Any, prefix: str = "k") -> str:
        """A name for an object."""
        name = self.variable(prefix)
        self.scope[name] = thing
        return name

    def compiled(self, name: str) -> Callable[..., Any]:
        """A function of the module."""
        lines = [line for part in self._done for line in part[0]]
        self.scope["__paths__"] = [path for part in self._done for path in part[1]]
        exec(compile("\n".join(lines) + "\n", _FILE, "exec"), self.scope)
        found: Callable[..., Any] = self.scope[name]
        return found


@contextmanager
def bounded() -> Iterator[None]:
    """Turns the end of Python's stack into an error that says what the schema is.

    Raises:
        ValidationError: it is nested too deeply.
    """
    try:
        yield
    except RecursionError:
        raise ValidationError("the Avro schema is nested too deeply") from None


def place(trace: TracebackType | None) -> str:
    """Where in a record generated code raised, such as ``items[0].price``; empty: in the record itself."""
    text = ""
    while trace is not None:
        frame = trace.tb_frame
        if frame.f_code.co_filename == _FILE:
            for step in frame.f_globals["__paths__"][trace.tb_lineno - 1]:
                text += _step(step, frame)
        trace = trace.tb_next
    return text.removeprefix(".")


def local(trace: TracebackType | None, name: str) -> Any:
    """The variable of the outermost generated function."""
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _FILE:
            return trace.tb_frame.f_locals.get(name)
        trace = trace.tb_next
    return None


def _step(step: Step, frame: FrameType) -> str:
    if isinstance(step, str):
        return f".{step}"
    whole, element = (frame.f_locals.get(name) for name in step)
    if isinstance(whole, dict):
        return f"[{cut(element)}]"
    if step[1] == "":  # reading: the element is not in the list yet
        return f"[{len(whole) if isinstance(whole, list) else '?'}]"
    for index, item in enumerate(whole if isinstance(whole, (list, tuple)) else ()):
        if item is element:  # the first identical one: it would have failed at once
            return f"[{index}]"
    return "[?]"
