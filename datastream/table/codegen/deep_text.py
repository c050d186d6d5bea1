"""Parts of deep expressions as functions: Python reads at most 200 parentheses inside of each other."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: So deep is the text of an expression at most; what is put around it is less deep than the rest.
_DEEPEST = 60


@dataclass
class Part:
    """A function: the variables of a text -> its value.

    Args:
        text: An expression.
        variables: What it reads.
        names: What else it refers to.
    """

    text: str
    variables: tuple[str, ...]
    names: dict[str, Any]
    _run: Any = field(default=None, repr=False, compare=False)

    def __call__(self, *values: Any) -> Any:
        run = self._run
        if run is None:
            run = self._run = eval(f"lambda {', '.join(self.variables)}: {self.text}", dict(self.names))
        return run(*values)

    def __getstate__(self) -> dict[str, Any]:
        return {"text": self.text, "variables": self.variables, "names": self.names, "_run": None}


def is_deep(text: str) -> bool:
    """Whether no more may be put around a text."""
    if text.count("(") < _DEEPEST:
        return False
    depth = deepest = 0
    for letter in text:
        if letter == "(":
            depth += 1
            deepest = max(deepest, depth)
        elif letter == ")":
            depth -= 1
    return deepest >= _DEEPEST


def part(text: str, bound: Mapping[str, Any]) -> Part:
    """The function that a text is.

    Args:
        text: An expression.
        bound: The objects that it may refer to by name.
    """
    read: dict[str, None] = {}
    own: set[str] = set()
    for node in ast.walk(ast.parse(text.strip(), mode="eval")):
        if isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)
        elif isinstance(node, ast.Name):
            read[node.id] = None
    names = {name: bound[name] for name in read if name in bound}
    variables = [name for name in read if name not in bound and name not in own and not hasattr(builtins, name)]
    return Part(text, tuple(variables), names)
