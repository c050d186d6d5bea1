"""What introspection sees of PyFlink beside plain methods: its own interpreter prints tests/data/pyflink_surface.json.

cd / && PATH=$PYFLINK/bin:$PATH python $CHECKOUT/tests/names/surface.py > $CHECKOUT/tests/data/pyflink_surface.json
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from types import ModuleType
from typing import Any

_NO_API = ("bin", "examples", "fn_execution", "gen_protos", "lib", "log", "proto", "shell", "testing", "tests", "util")
#: Special methods of every object or every class; what else a class has is there to be used.
_OF_ALL = {
    *dir(type("Plain", (), {})),
    *("__abstractmethods__", "__annotations__", "__orig_bases__", "__parameters__", "__slots__", "__getstate__"),
    *("__setstate__", "__reduce__", "__reduce_ex__", "__final__", "__signature__"),
} - {"__eq__", "__hash__", "__repr__", "__str__", "__lt__", "__le__", "__gt__", "__ge__"}


def modules() -> list[str]:
    """The modules of PyFlink that have an API."""
    import pyflink

    found = [module.name for module in pkgutil.walk_packages(pyflink.__path__, "pyflink.")]
    return [name for name in found if not {*name.split(".")} & {*_NO_API}]


def exported(module: ModuleType) -> list[str]:
    """What `from module import *` gives, but modules; without `__all__`, nothing."""
    names = getattr(module, "__all__", [])
    return sorted(name for name in names if not inspect.ismodule(getattr(module, name)))


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def special(cls: type[Any]) -> list[str]:
    """The special methods of a class that the ones below `object` and Python's own classes do not have."""
    owners = [each for each in cls.__mro__ if each.__module__.partition(".")[0] in ("datastream", "pyflink", "typing")]
    found = {name for owner in owners for name, value in vars(owner).items() if _is_special(name) and value is not None}
    return sorted(found - _OF_ALL)


def parameters(function: Any) -> list[str]:
    """The parameters of a function, with ``=`` behind those that have a default."""
    return list(map(_written, inspect.signature(function).parameters.values()))


def _written(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    return stars + parameter.name + ("" if parameter.default is parameter.empty else "=")


def surface(names: list[str]) -> dict[str, dict[str, list[str]]]:
    """Of modules: what they export, the special methods of their classes, the parameters of their functions."""
    found: dict[str, dict[str, list[str]]] = {"exported": {}, "special": {}, "parameters": {}}
    for name in names:
        module = importlib.import_module(name)
        if not exported(module):
            continue
        found["exported"][name] = exported(module)
        for each in exported(module):
            value = getattr(module, each)
            if inspect.isclass(value) and special(value):
                found["special"][f"{name}.{each}"] = special(value)
            elif inspect.isfunction(value):
                found["parameters"][f"{name}.{each}"] = parameters(value)
    return found


if __name__ == "__main__":
    print(json.dumps(surface(modules()), indent=1))
