"""The public names of this project, with their signatures, as one text: `tests/data/public_api.txt`.

``python -m tests.names.public`` writes that file anew; what changed in it is a change of the public surface.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from enum import EnumMeta
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "data" / "public_api.txt"

#: What users import from. What lies below them is not public.
_BELOW = (
    "api", "api.joins", "client", "config", "connectors.cassandra", "connectors.delta", "connectors.elasticsearch",
    "connectors.files", "connectors.hybrid_source", "connectors.iceberg", "connectors.jdbc",
    "connectors.jdbc.changes", "connectors.http", "connectors.kafka", "connectors.dynamic_kafka", "connectors.kinesis",
    "connectors.mqtt", "connectors.nifi", "connectors.pubsub", "connectors.pulsar", "connectors.rabbitmq",
    "connectors.redis", "connectors.spark", "connectors.twitter", "formats", "formats.avro", "formats.csv",
    "formats.json", "formats.protobuf", "functions", "io", "metrics", "prometheus", "spark.state_view",
    "state", "state_processor", "table", "table.catalog", "table.connectors", "table.descriptors", "table.expression",
    "table.expressions", "table.udf", "testing", "testing.connectors", "time", "types", "windows",
)  # fmt: skip
MODULES = ("datastream", *(f"datastream.{name}" for name in _BELOW))
_PLAIN = {bool, int, float, str, tuple, type(None)}


def surface() -> str:
    """The text: a line for each name, and each member of a class."""
    return "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    told: dict[int, str] = {}
    exported = {
        id(getattr(module, each)) for module in map(importlib.import_module, MODULES) for each in module.__all__
    }
    for name in sorted(MODULES, key=lambda name: (-name.count("."), name)):
        module = importlib.import_module(name)
        for each in sorted(module.__all__):
            thing, path = getattr(module, each), f"{name}.{each}"
            home = told.setdefault(id(thing), path)
            if home != path:
                yield f"{path} = {home}"
            elif inspect.isclass(thing):
                yield f"{path}{_bases(thing)}"
                for member in sorted(_members(thing, exported)):
                    yield f"{path}.{member}"
            else:
                yield path + (_signature(thing) if callable(thing) else "")


def _bases(cls: type) -> str:
    names = [base.__name__ for base in cls.__bases__ if base is not object]
    return f"({', '.join(names)})" if names else ""


def _members(cls: type, exported: set[int]) -> Iterator[str]:
    """Its own, and those of its bases that have no line of their own."""
    if isinstance(cls, EnumMeta):
        yield from cls.__members__
        return
    if "__init__" in cls.__dict__:
        yield f"__init__{_signature(cls.__init__)}"  # type: ignore[misc]
    bases = [base for base in cls.__mro__[1:] if id(base) not in exported and base.__module__.startswith("datastream")]
    found = {name: thing for owner in (*reversed(bases), cls) for name, thing in vars(owner).items()}
    for name, thing in found.items():
        if name.startswith("_") or not hasattr(cls, name):  # names of fields that rows have learnt
            continue
        function = getattr(thing, "__func__", thing)
        if isinstance(thing, property) or not callable(function) or inspect.isclass(function):
            yield name
        else:
            kind = {classmethod: " of the class", staticmethod: " static"}.get(type(thing), "")
            yield f"{name}{_signature(function)}{kind}"


def _signature(function: Any) -> str:
    """Defaults that are no plain values are ``...``: their texts are those of a machine or a process."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    parameters = [
        each if each.default is each.empty or type(each.default) in _PLAIN else each.replace(default=...)
        for each in signature.parameters.values()
    ]
    return str(signature.replace(parameters=parameters)).replace("Ellipsis", "...")


if __name__ == "__main__":
    FILE.write_text(surface())
