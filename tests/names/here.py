"""What stands behind a name of PyFlink here, through the aliases of `datastream.compat`."""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
from functools import reduce
from types import SimpleNamespace
from typing import Any

from datastream.errors import UnsupportedOperation
from tests.names.reference import Name, Parameter, parameters

ABSENT = object()
#: Module of the Table API -> its names that defaults of others refer to.
_IN_DEFAULTS = {
    "pyflink.table": ("DataTypes",),
    "pyflink.table.expression": ("JsonQueryOnEmptyOrError", "JsonQueryWrapper", "JsonValueOnEmptyOrError"),
}


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
    except (OSError, TypeError, SyntaxError):
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


def from_java(name: Name) -> bool:
    """Whether only PyFlink itself calls a method, with an object of Java."""
    return any(p.name.startswith(("j_", "_j_", "java_")) for p in parameters(name.signature or ""))


def differing_parameters(name: Name) -> list[str]:
    """The parameters of a method that a call as in PyFlink would miss, or would find with another default."""
    if from_java(name):
        return []
    wanted = parameters(name.signature or "")
    what = found(name.module, name.path)
    owner = found(name.module, name.cls or "")
    if isinstance(inspect.getattr_static(owner, name.path.rpartition(".")[2]), property):
        return []
    own = [p for p in inspect.signature(what).parameters.values() if p.name not in ("self", "cls")]
    if name.path.endswith(".__init__") and what is object.__init__:
        own = []
    by_place = [p for p in own if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    missed = []
    for i, parameter in enumerate(wanted):
        if parameter.kind == "*":
            fits = any(p.kind is p.VAR_POSITIONAL for p in own)
        elif parameter.kind == "**":
            fits = any(p.kind is p.VAR_KEYWORD for p in own)
        elif parameter.kind == "keyword":
            fits = any(p.name == parameter.name and _same_default(name, parameter, p) for p in own)
        else:
            p = by_place[i] if i < len(by_place) else None
            fits = p is not None and p.name == parameter.name and _same_default(name, parameter, p)
        if not fits:
            missed.append(parameter.name)
    known = {parameter.name for parameter in wanted}
    needed = [p.name for p in own if p.default is p.empty and p.kind < 2 and p.name not in known]
    return missed + (needed if not any(w.kind == "*" for w in wanted) else [])


def _same_default(name: Name, theirs: Parameter, ours: inspect.Parameter) -> bool:
    if theirs.default is None:
        return True  # what PyFlink needs may have a default here
    if ours.default is ours.empty:
        return False
    try:
        expected = eval(theirs.default, vars(_Names(name.module)))
    except Exception:  # a default that is an object of PyFlink's inside
        return False
    return bool(ours.default == expected) or (expected in ([], None) and not ours.default)


class _Names:
    """The names that defaults refer to."""

    def __init__(self, module: str) -> None:
        self.Semantic = found("pyflink.datastream.connectors.kafka", "Semantic")
        self.KafkaOffsetResetStrategy = found("pyflink.datastream.connectors.kafka", "KafkaOffsetResetStrategy")
        # What PyFlink gives these constants.
        self.DayTimeIntervalType = SimpleNamespace(DEFAULT_DAY_PRECISION=2, DEFAULT_FRACTIONAL_PRECISION=6)
        self.YearMonthIntervalType = SimpleNamespace(DEFAULT_PRECISION=2)
        for of_module, of_it in _IN_DEFAULTS.items():
            for each in of_it:
                setattr(self, each, found(of_module, each))
