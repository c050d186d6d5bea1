"""What introspection sees of PyFlink: its own interpreter prints tests/data/pyflink_surface.json.

cd / && PATH=$PYFLINK/bin:$PATH python $CHECKOUT/tests/names/surface.py > $CHECKOUT/tests/data/pyflink_surface.json

An attribute is written as

- ``(func, output_type=None)``: a method, by its parameters but ``self``; behind ``class`` or ``static`` one of these;
- ``property``, ``class`` (one inside another), ``member`` (of an enumeration);
- ``= 4``: a constant; ``attribute``: any other object; ``special``: a method of Python's.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any, TypeVar

#: Folders and modules that have no API, or that docs/differences.md leaves out as a whole.
_NO_API = {
    *("bin", "examples", "fn_execution", "gen_protos", "lib", "log", "ml", "proto", "shell", "testing", "tests"),
    *("java_gateway", "find_flink_home", "java_utils", "api_stability_decorators"),
    *("pyflink_callback_server", "pyflink_gateway_server"),
}
_OWN_USE = {
    *("pyflink.common.utils", "pyflink.serializers", "pyflink.table.functions", "pyflink.table.serializers"),
    *("pyflink.common.constants", "pyflink.version"),
}
#: Special methods of every object or every class; what else a class has is there to be used.
_OF_ALL = {
    *dir(type("Plain", (), {})),
    *("__abstractmethods__", "__annotations__", "__orig_bases__", "__parameters__", "__slots__", "__getstate__"),
    *("__setstate__", "__reduce__", "__reduce_ex__", "__final__", "__signature__"),
} - {"__init__", "__eq__", "__hash__", "__repr__", "__str__", "__lt__", "__le__", "__gt__", "__ge__"}


def modules() -> list[str]:
    """The modules of PyFlink that have an API."""
    import pyflink

    found = [module.name for module in pkgutil.walk_packages(pyflink.__path__, "pyflink.")]
    return [name for name in found if not {*name.split(".")} & _NO_API and name not in _OWN_USE]


def exported(module: ModuleType) -> list[str]:
    """What `from module import *` gives, but modules; without `__all__`, nothing."""
    names = getattr(module, "__all__", [])
    return sorted(name for name in names if not inspect.ismodule(getattr(module, name)))


def attributes(cls: type[Any]) -> dict[str, str]:
    """The public attributes and special methods of a class, but what classes that are recorded themselves give it."""
    found: dict[str, str] = {}
    for owner in reversed(cls.__mro__):
        if not _is_own(owner) or (owner is not cls and _is_recorded(owner)):
            continue
        found |= {name: written(value) for name, value in vars(owner).items() if _is_public(name, value)}
    return dict(sorted(found.items()))


def _is_own(cls: type[Any]) -> bool:
    return cls.__module__.partition(".")[0] in ("datastream", "pyflink", "typing")


def _is_recorded(cls: type[Any]) -> bool:
    return cls.__module__.startswith("pyflink.") and not cls.__qualname__.startswith("_")


def _is_public(name: str, value: Any) -> bool:
    if name.startswith("__") and name.endswith("__"):
        return name not in _OF_ALL and value is not None
    return not name.startswith("_")


def written(value: Any) -> str:
    """An attribute as it is recorded, from what stands in its class."""
    match value:
        case staticmethod() | classmethod():
            kind = "static" if isinstance(value, staticmethod) else "class"
            return f"{kind} {signature(value.__func__, bound=kind == 'class')}"
        case property():
            return "property"
        case type():
            return "class"
        case enum.Enum():
            return "member"
        case None | bool() | int() | float() | str() | bytes():
            return f"= {value!r}"
    return signature(value, bound=True) if inspect.isfunction(value) else "attribute"


def signature(function: Any, *, bound: bool = False) -> str:
    """The parameters of a function without their types; of a method that is `bound`, without the first one."""
    found = [*inspect.signature(function).parameters.values()]
    if bound and found[0].kind < inspect.Parameter.VAR_POSITIONAL:
        del found[0]
    return str(inspect.Signature([p.replace(annotation=p.empty, default=_default(p)) for p in found]))


def _default(parameter: inspect.Parameter) -> Any:
    return parameter.empty if parameter.default is parameter.empty else _Written(parameter.default)


class _Written:
    """A default that is written as Python text, whatever its class says."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        match self.value:
            case enum.Enum():
                return f"{type(self.value).__qualname__}.{self.value.name}"
            case None | bool() | int() | float() | str() | bytes() | tuple() | list() | dict():
                return repr(self.value)
            case type():
                return self.value.__qualname__
        return f"{type(self.value).__qualname__}({str(self.value)!r})"


def classes(module: ModuleType) -> Iterator[type[Any]]:
    """The public classes that a module defines, with those inside them."""
    todo = [value for name, value in vars(module).items() if inspect.isclass(value) and not name.startswith("_")]
    for cls in todo:
        if cls.__module__ == module.__name__:
            yield cls
            inside = [value for name, value in vars(cls).items() if inspect.isclass(value) and not name.startswith("_")]
            todo += [each for each in inside if each.__qualname__.startswith(f"{cls.__qualname__}.")]


def surface(module: ModuleType) -> dict[str, Any]:
    """Of a module: what it exports and defines, its type variables, and the attributes of its classes."""
    functions = {name: value for name, value in vars(module).items() if inspect.isfunction(value)}
    return {
        "exported": exported(module),
        "variables": sorted(name for name, value in vars(module).items() if isinstance(value, TypeVar)),
        "functions": {
            name: signature(value)
            for name, value in functions.items()
            if value.__module__ == module.__name__ and not name.startswith("_")
        },
        "classes": {
            cls.__qualname__: {
                "bases": [
                    f"{c.__module__}:{c.__qualname__}" for c in cls.__mro__[1:] if _is_own(c) and _is_recorded(c)
                ],
                "attributes": attributes(cls),
            }
            for cls in classes(module)
        },
    }


if __name__ == "__main__":
    print(json.dumps({name: surface(importlib.import_module(name)) for name in modules()}, indent=1))
