"""What is no plain method: names for `import *`, special methods, parameters of functions. PyFlink's are recorded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.names.differences import listed
from tests.names.here import ABSENT, found
from tests.names.reference import DATA
from tests.names.surface import parameters

SURFACE: dict[str, dict[str, list[str]]] = json.loads((DATA / "pyflink_surface.json").read_text())

#: Special methods that are not here -> why.
LEFT_OUT = {
    "PlanReference": "each of its subclasses has them",
    "ResolvedExpression": "a part of a schema; no query takes it",
    "CsvSchema.__str__": "the text of a class of Java's Jackson",
    "CompletableFuture.__str__": "the address of an object of Java",
    "FileSystemCheckpointStorage.__str__": "the address of an object of Java",
}


pytestmark = pytest.mark.usefixtures("pyflink")


def is_listed(module: str, name: str) -> bool:
    """Whether docs/differences.md says that a name is absent, or that its module comes later."""
    return name in listed("absent") or module.rpartition(".")[2] in listed("later")


def has(cls: type, name: str) -> bool:
    return any(name in vars(owner) for owner in cls.__mro__ if owner is not object)


@pytest.mark.parametrize("module", SURFACE["exported"])
def test_a_star_brings_the_names_of_pyflink_and_no_others(module: str) -> None:
    names: dict[str, Any] = {}
    exec(f"from {module} import *", names)
    there = names.keys() - {"__builtins__"}
    wanted = {*SURFACE["exported"][module]}
    assert there <= wanted
    assert not [name for name in wanted - there if not is_listed(module, name)]


@pytest.mark.parametrize("name", SURFACE["special"])
def test_special_methods(name: str) -> None:
    module, _, cls = name.rpartition(".")
    here = found(module, cls)
    if here is ABSENT:
        assert is_listed(module, cls)
        return
    missing = [each for each in SURFACE["special"][name] if not has(here, each)]
    assert not [each for each in missing if f"{cls}.{each}" not in LEFT_OUT and cls not in LEFT_OUT]


@pytest.mark.parametrize("name", SURFACE["parameters"])
def test_parameters_of_functions(name: str) -> None:
    here = found(*name.rsplit(".", 1))
    wanted, there = SURFACE["parameters"][name], parameters(here)
    assert there[: len(wanted)] == wanted
    assert all(each.endswith("=") for each in there[len(wanted) :])


def test_version() -> None:
    import pyflink
    from pyflink.version import __version__

    assert pyflink.__version__ == __version__ == "2.3.0"
