"""Generated source text that remembers which field of a record each line is about.

An error in generated code then costs nothing until it happens: the line says which field it was, and the
variables of the frame which element of a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

from datastream.codegen import SourceText, generated_frames
from datastream.errors import ValidationError, cut

#: A step into a value: a field's name, or a pair of variables: (list, element) or (dict, key).
Step = str | tuple[str, str]

#: Blocks in blocks that one function may have; Python itself refuses more than 20 loops.
_DEEPEST = 8


class Code(SourceText):
    """Functions whose lines carry the steps to the part of the record that they are about."""

    @contextmanager
    def inside(self, step: Step) -> Iterator[None]:
        """Lines about a part of the value."""
        before = self.note
        self.note = (*(before or ()), step)
        yield
        self.note = before

    def deep(self) -> bool:
        """Whether a function of its own is due."""
        return self.depth >= _DEEPEST


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
    steps = ((step, entry.tb_frame) for entry, path in generated_frames(trace) for step in path or ())
    return "".join(_step(step, frame) for step, frame in steps).removeprefix(".")


def local(trace: TracebackType | None, name: str) -> Any:
    """The variable of the outermost generated function."""
    return next((entry.tb_frame.f_locals.get(name) for entry, _ in generated_frames(trace)), None)


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
