"""Every class and method of PyFlink's types, serializers and formats is here, or refused for a reason."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
from pathlib import Path

import pytest

import datastream.compat as compat

#: Module -> class -> method -> its parameters, of PyFlink 2.3.
API = json.loads((Path(__file__).parents[1] / "data" / "pyflink_common_api.json").read_text())
JAVA = "wraps an object of Java"

#: Classes, and methods as Class.method, that are not here.
REFUSED = {
    "RowKind.to_j_row_kind": JAVA,
}

#: Parameters that are not here: Class.method -> name -> why.
REFUSED_PARAMETERS: dict[str, dict[str, str]] = {}

CLASSES = [(module, name) for module, classes in API.items() for name in classes]


@pytest.fixture(autouse=True)
def aliases():
    was = compat.installed()
    assert compat.install()
    yield
    if not was:
        compat.uninstall()


def found(module: str, name: str) -> type | None:
    outer, _, inner = name.partition(".")
    cls = getattr(importlib.import_module(module), outer, None)
    return getattr(cls, inner, None) if inner else cls


@pytest.mark.parametrize(("module", "name"), CLASSES, ids=[name for _, name in CLASSES])
def test_classes_and_methods_are_there_or_refused(module, name):
    cls = found(module, name)
    if name in REFUSED:
        assert cls is None, f"{name} is here: take it out of REFUSED"
        return
    assert cls is not None, f"{module}.{name} is missing"
    methods = {method for method in API[module][name] if not hasattr(cls, method)}
    assert methods == {m for m in API[module][name] if f"{name}.{m}" in REFUSED}, "missing, but not in REFUSED"
    for method in API[module][name].keys() - methods:
        full = f"{name}.{method}"
        if "j_" in API[module][name][method]:
            continue  # only PyFlink itself calls it, with an object of Java
        expected = [p for p in parameters_of(API[module][name][method]) if p not in REFUSED_PARAMETERS.get(full, {})]
        own = [p for p in inspect.signature(getattr(cls, method)).parameters.values() if p.name != "self"]
        if all(p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in own):
            assert [p.name for p in own][: len(expected)] == expected, f"{full} has other parameters"


def parameters_of(text: str) -> list[str]:
    """The names of the parameters in a signature."""
    arguments = ast.parse(f"def f({text}): ...").body[0].args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return [name for name in names if name not in ("self", "cls")]


def test_what_is_refused_exists_in_pyflink():
    known = {name for _, name in CLASSES}
    known |= {f"{name}.{method}" for module, name in CLASSES for method in API[module][name]}
    assert set(REFUSED) | set(REFUSED_PARAMETERS) <= known
    assert all(REFUSED.values())
