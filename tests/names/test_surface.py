"""What PyFlink's modules and classes look like: names for `import *`, attributes of classes, parameters of calls."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import pytest

from tests.names.comparison import compared, functions, missed, row
from tests.names.differences import ACCEPTED, PAGE, listed
from tests.names.here import ABSENT, found
from tests.names.reference import SURFACE

pytestmark = pytest.mark.usefixtures("pyflink")


def is_listed(module: str, name: str) -> bool:
    """Whether docs/differences.md says that a name is absent, or that its module comes later."""
    return name in listed("absent") or module.rpartition(".")[2] in listed("later")


@pytest.mark.parametrize("module", [name for name, content in SURFACE.items() if content["exported"]])
def test_a_star_brings_the_names_of_pyflink_and_no_others(module: str) -> None:
    names: dict[str, Any] = {}
    exec(f"from {module} import *", names)
    there = names.keys() - {"__builtins__"}
    wanted = {*SURFACE[module]["exported"]}
    assert there <= wanted
    assert not [name for name in wanted - there if not is_listed(module, name)]


@pytest.mark.parametrize("module", SURFACE)
def test_attributes_of_classes(module: str) -> None:
    rows = [row(module, cls) for cls in SURFACE[module]["classes"] if found(module, cls) is not ABSENT]
    assert {each.cls: each.unexplained for each in rows if each.unexplained} == {}
    assert all(each.share >= 98 for each in rows)


def test_variables_for_hints() -> None:
    every = [(module, name) for module, content in SURFACE.items() for name in content["variables"]]
    absent = [f"{module}.{name}" for module, name in every if not isinstance(found(module, name), TypeVar)]
    assert [each for each in absent if each.split(".")[-2] not in listed("later")] == []


def test_parameters_of_functions() -> None:
    assert {each.path: each.missed for each in functions() if each.missed} == {}


def test_each_accepted_difference_is_one() -> None:
    differ = {path for each in compared() for path in row(*each).reasons}
    assert [pattern for pattern in ACCEPTED if not any(re.fullmatch(pattern, path) for path in differ)] == []
    differ |= {f"{name}({path.partition('(')[2]}" for path in differ for name in [path.partition("(")[0]]}
    assert [each for each in listed("parameters") if each not in differ] == []


def test_the_page_gives_the_figures() -> None:
    rows = [row(*each) for each in compared()]
    figures = len(rows), sum(r.attributes for r in rows), sum(r.here for r in rows), sum(r.fit for r in rows)
    said = re.search(
        r"versions of the (\d+) classes that are here have (\S+)\. Of these (\S+) are here, and (\S+) take each call",
        " ".join(PAGE.read_text().split()),
    )
    assert said, "docs/differences.md does not give the figures"
    assert tuple(int(each.replace(",", "")) for each in said.groups()) == figures


@pytest.mark.parametrize(
    ("theirs", "ours", "expected"),
    [
        ("(a, b=1)", "(a, b=1)", []),
        ("(a, b=1)", "(a, b=1, c=None)", []),
        ("(a, b)", "(a=None, b=None)", []),
        ("(a=[])", "(a=None)", []),
        ("(*a, **b)", "(*c, **d)", []),
        ("(a, *, b=1)", "(a, *, c=2, b=1)", []),
        ("(a, b=1)", "(a, b=2)", ["b"]),
        ("(a, b=1)", "(a, b)", ["b"]),
        ("(a, b)", "(b, a)", ["a", "b"]),
        ("(a, b)", "(a)", ["b"]),
        ("(a)", "(a, b)", ["b"]),
        ("(a)", "(c)", ["a", "c"]),
        ("(*a)", "(b=1)", ["a"]),
        ("(*a)", "(b, *a)", ["b"]),
        ("(**a)", "()", ["a"]),
        ("(a)", "(a, /)", ["a"]),
        ("(a)", "(*, a)", ["a"]),
        ("(a)", "(a, *, b)", ["b"]),
    ],
)
def test_a_call_of_pyflink_that_would_fail_here_is_found(theirs: str, ours: str, expected: list[str]) -> None:
    assert missed(theirs, ours) == expected


def test_version() -> None:
    import pyflink
    from pyflink.version import __version__

    assert pyflink.__version__ == __version__ == "2.3.0"
