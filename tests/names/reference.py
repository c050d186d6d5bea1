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
#: Module -> what introspection sees of it; see `tests.names.surface`.
SURFACE: dict[str, dict[str, Any]] = json.loads((DATA / "pyflink_surface.json").read_text())


@dataclass(frozen=True)
class Name:
    """A class, a method of one, or a function.

    Attributes:
        module: Of PyFlink.
        path: Such as ``Types``, ``Types.ROW`` or ``StateTtlConfig.Builder.build``.
        cls: The class, or what holds the method; None for a function.
    """

    module: str
    path: str
    cls: str | None = None

    @property
    def qualified(self) -> str:
        """The path behind the last part of the module: ``descriptors.Schema``."""
        return f"{self.module.rpartition('.')[2]}.{self.path}"


@dataclass(frozen=True)
class Parameter:
    """A parameter; ``kind``: ``""``, ``"/"``, ``"keyword"``, ``"*"`` or ``"**"``; ``default`` is Python text."""

    name: str
    kind: str = ""
    default: str | None = None


def names(api: dict[str, dict[str, dict[str, Any]]]) -> list[Name]:
    """All names, classes before their methods."""
    found = []
    for module, content in api.items():
        for cls, methods in content["classes"].items():
            found.append(Name(module, cls, cls))
            found += [Name(module, f"{cls}.{method}", cls) for method in methods]
        found += [Name(module, function) for function in content["functions"]]
    return found


def parameters(signature: str) -> list[Parameter]:
    """The parameters of a signature as text: ``(func, output_type=None)``."""
    arguments = ast.parse(f"def f{signature}: ...").body[0].args  # type: ignore[attr-defined]
    plain = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    kinds = ["/"] * len(arguments.posonlyargs) + [""] * len(arguments.args)
    each = zip(plain, kinds, defaults, strict=True)
    found = [Parameter(a.arg, kind, d and ast.unparse(d)) for a, kind, d in each]
    if arguments.vararg:
        found.append(Parameter(arguments.vararg.arg, "*"))
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    found += [Parameter(a.arg, "keyword", d and ast.unparse(d)) for a, d in pairs]
    if arguments.kwarg:
        found.append(Parameter(arguments.kwarg.arg, "**"))
    return found
