"""What stands behind a name of PyFlink here, through the aliases of `datastream.compat`."""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
from functools import reduce
from typing import Any

from datastream.errors import UnsupportedOperation
from tests.names.reference import Name

ABSENT = object()


def found(module: str, path: str) -> Any:
    """What a name stands for, or `ABSENT`."""
    try:
        return reduce(getattr, path.split("."), importlib.import_module(module))
    except (AttributeError, ImportError):
        return ABSENT


def state(name: Name) -> str:
    """One of ``absent``, ``refused`` (seen by its code), ``without effect`` and ``there``."""
    what = found(name.module, name.path)
    if what is ABSENT:
        return "absent"
    if inspect.isclass(what):
        if what.__dict__.get("without_effect"):
            return "without effect"
        # A class that only refuses has no constructor but a raise; subclasses are not refused with it.
        own = what.__dict__.get("__init__") or what.__dict__.get("__new__")
        return "refused" if own is not None and refuses(own, what.__name__) else "there"
    if refuses(what):
        return "refused"
    return "without effect" if getattr(what, "without_effect", None) and name.path[-9:] != ".__init__" else "there"


def refuses(function: Any, cls: str | None = None) -> bool:
    """Whether a function does nothing but raise `UnsupportedOperation`; or does so first for the class `cls` itself."""
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body[0].body  # type: ignore[attr-defined]
    except (OSError, TypeError, SyntaxError, AttributeError):  # there is no text of it, or it is a lambda
        return False
    first = next((s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))), None)
    if cls is not None and isinstance(first, ast.If) and ast.unparse(first.test) == f"cls is {cls}":
        first = first.body[0]
    return isinstance(first, ast.Raise) and "UnsupportedOperation" in ast.unparse(first)


def call(name: Name) -> None:
    """Call what a name stands for, with None for what it needs."""
    what = found(name.module, name.path)
    if inspect.isclass(what) or name.cls is None:
        target = what
    else:
        owner = found(name.module, name.cls)
        target = what.__get__(object.__new__(owner)) if inspect.isfunction(what) else what
    needed = [p for p in inspect.signature(target).parameters.values() if p.default is p.empty and p.kind < 2]
    target(*([None] * len(needed)))


def is_refused_when_called(name: Name) -> bool:
    """Whether calling it raises `UnsupportedOperation` with advice."""
    try:
        call(name)
    except UnsupportedOperation as error:
        return len(str(error)) > 20
    except Exception:  # any other error is no refusal
        return False
    return False
