"""The public names of PyFlink 2.3, from tests/data."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"

#: Module -> its classes with their methods' parameters, and its functions.
API: dict[str, dict[str, dict[str, Any]]] = json.loads((DATA / "pyflink_api.json").read_text())
#: The same of the Table API.
TABLES: dict[str, dict[str, dict[str, Any]]] = json.loads((DATA / "pyflink_table_api.json").read_text())
#: The same of the metrics, which `API` leaves out.
METRICS: dict[str, dict[str, dict[str, Any]]] = json.loads((DATA / "pyflink_metrics_api.json").read_text())
#: Module -> class -> its enum's members and its constants.
CONSTANTS: dict[str, dict[str, list[str]]] = json.loads((DATA / "pyflink_constants.json").read_text())


@dataclass(frozen=True)
class Name:
    """A class, a method of one, or a function.

    Attributes:
        module: Of PyFlink.
        path: Such as ``Types``, ``Types.ROW`` or ``StateTtlConfig.Builder.build``.
        cls: The class, or what holds the method; None for a function.
        signature: The parameters of a method as text; None for all else.
    """

    module: str
    path: str
    cls: str | None = None
    signature: str | None = None

    @property
    def qualified(self) -> str:
        """The path behind the last part of the module: ``descriptors.Schema``."""
        return f"{self.module.rpartition('.')[2]}.{self.path}"


@dataclass(frozen=True)
class Parameter:
    """A parameter; ``kind`` is one of ``""``, ``"*"``, ``"**"`` and ``"keyword"``; ``default`` is Python text."""

    name: str
    kind: str = ""
    default: str | None = None


def names(api: dict[str, dict[str, dict[str, Any]]]) -> list[Name]:
    """All names, classes before their methods."""
    found = []
    for module, content in api.items():
        for cls, methods in content["classes"].items():
            found.append(Name(module, cls, cls))
            found += [Name(module, f"{cls}.{method}", cls, _without_mark(text)) for method, text in methods.items()]
        found += [Name(module, function) for function in content["functions"]]
    return found


def _without_mark(signature: str) -> str | None:
    """The parameters; None for what is marked as a property."""
    return None if signature == "(property)" else signature


def parameters(signature: str) -> list[Parameter]:
    """The parameters but ``self``."""
    arguments = ast.parse(f"def f({signature}): ...").body[0].args  # type: ignore[attr-defined]
    plain = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    found = [Parameter(a.arg, "", d and ast.unparse(d)) for a, d in zip(plain, defaults, strict=True)]
    if arguments.vararg:
        found.append(Parameter(arguments.vararg.arg, "*"))
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    found += [Parameter(a.arg, "keyword", d and ast.unparse(d)) for a, d in pairs]
    if arguments.kwarg:
        found.append(Parameter(arguments.kwarg.arg, "**"))
    return [parameter for parameter in found if parameter.name not in ("self", "cls")]
