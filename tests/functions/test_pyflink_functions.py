"""Every class and method of PyFlink's functions, windows and times is here, or refused for a reason."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
from pathlib import Path

import pytest

#: PyFlink's module -> its classes with their methods' parameters, and its functions; of PyFlink 2.3.
API = json.loads((Path(__file__).parent / "pyflink_functions_api.json").read_text())
HOMES = {
    "pyflink.datastream.window": "datastream.windows",
    "pyflink.datastream.functions": "datastream.functions",
    "pyflink.datastream.async_retry_predicates": "datastream.functions",
    "pyflink.datastream.async_retry_strategies": "datastream.functions",
    "pyflink.datastream.output_tag": "datastream.functions",
    "pyflink.common.watermark_strategy": "datastream.time",
    "pyflink.datastream.timerservice": "datastream.time",
    "pyflink.datastream.time_domain": "datastream.time",
}
JAVA = "wraps an object of Java"
HASHING = "part of the hash of PyFlink's TimeWindow"

#: Classes, methods as Class.method, and functions that are not here.
REFUSED = {
    "AssignerWithPeriodicWatermarksWrapper": JAVA,
    "OutputTag.get_java_output_tag": JAVA,
    "long_to_int_with_bit_mixing": HASHING,
    "mod_inverse": HASHING,
}

#: Methods whose parameters are Java objects; only PyFlink itself calls them.
OF_JAVA = {"WatermarkStrategy.__init__"}

CLASSES = [(module, name) for module in API for name in API[module]["classes"]]
FUNCTIONS = [(module, name) for module in API for name in API[module]["functions"]]


def found(module: str, name: str) -> type | None:
    outer, _, inner = name.partition(".")
    cls = getattr(importlib.import_module(HOMES[module]), outer, None)
    return getattr(cls, inner, None) if inner else cls


def parameters_of(text: str) -> list[str]:
    """The names of the parameters in a signature."""
    arguments = ast.parse(f"def f({text}): ...").body[0].args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return [name for name in names if name not in ("self", "cls")]


@pytest.mark.parametrize(("module", "name"), CLASSES, ids=[name for _, name in CLASSES])
def test_classes_and_methods_are_there_or_refused(module, name):
    cls = found(module, name)
    if name in REFUSED:
        assert cls is None, f"{name} is here: take it out of REFUSED"
        return
    assert cls is not None, f"{module}.{name} is missing"
    methods = API[module]["classes"][name]
    missing = {method for method in methods if not hasattr(cls, method)}
    assert missing == {m for m in methods if f"{name}.{m}" in REFUSED}, "missing, but not in REFUSED"
    for method in methods.keys() - missing:
        if f"{name}.{method}" in OF_JAVA:
            continue
        expected = parameters_of(methods[method])
        own = [p.name for p in inspect.signature(getattr(cls, method)).parameters.values() if p.name != "self"]
        if method == "__init__" and not expected:
            continue  # object's own takes anything
        assert own[: len(expected)] == expected, f"{name}.{method} has other parameters"


@pytest.mark.parametrize(("module", "name"), FUNCTIONS, ids=[name for _, name in FUNCTIONS])
def test_functions_are_there_or_refused(module, name):
    assert (found(module, name) is None) == (name in REFUSED)


def test_what_is_refused_exists_in_pyflink():
    known = {name for _, name in CLASSES + FUNCTIONS}
    known |= {f"{name}.{method}" for module, name in CLASSES for method in API[module]["classes"][name]}
    assert set(REFUSED) | OF_JAVA <= known
