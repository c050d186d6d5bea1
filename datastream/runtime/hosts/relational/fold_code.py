"""Generated functions of accumulators."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from datastream.codegen import SourceText
from datastream.graph.operators.relational import FoldCode
from datastream.runtime.pickled_keys import user_key

INSERT, BEFORE, AFTER, DELETE = range(4)


def source_text(fold: FoldCode) -> SourceText:
    """The text of functions that fold."""
    return SourceText(user_key=user_key, **fold.bound)


def write(code: SourceText, lines: Iterable[str]) -> None:
    """Add lines; each may begin with four spaces for each block that it is in."""
    depth = code.depth
    for line in lines:
        text = line.lstrip(" ")
        code.depth = depth + (len(line) - len(text)) // 4
        code.line(text)
    code.depth = depth


def value_of(fold: FoldCode) -> Callable[[Any], tuple[Any, ...]]:
    """A function: accumulator -> its results."""
    code = source_text(fold)
    with code.function("def value(acc)"):
        code.line(f"return {fold.value}")
    return code.compiled("value", "results of aggregates")
