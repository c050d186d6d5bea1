"""Every public name of PyFlink is here, or docs/differences.md says what became of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.names.differences import PAGE, listed
from tests.names.figures import counts, of_now, share
from tests.names.here import ABSENT, found, is_refused_when_called, state
from tests.names.reference import API, SURFACE, TABLES, Name, names

#: Where the reference lies beside a checkout.
REFERENCE = Path(__file__).parents[3] / "shared" / "reference"
EVERY = API | TABLES
CLASSES = sorted({(name.module, name.cls or name.path) for name in of_now(EVERY)})


pytestmark = pytest.mark.usefixtures("pyflink")


def says(what: str, name: Name) -> bool:
    """Whether the page lists a name; an absent class is listed without its methods, and so is one with its module."""
    known = listed(what)
    if name.qualified in known or f"{name.module.rpartition('.')[2]}.{name.cls}" in known:
        return True
    if what == "absent" and name.cls is not None and name.cls in known:
        return True
    return name.path in known


@pytest.mark.parametrize(("module", "owner"), CLASSES, ids=[f"{m.removeprefix('pyflink.')}.{o}" for m, o in CLASSES])
def test_names_are_there_or_listed(module, owner):
    for name in names({module: EVERY[module]}):
        if (name.cls or name.path) != owner:
            continue
        now = state(name)
        for what in ("absent", "refused", "without effect"):
            if now == what:
                assert says(what, name), f"{name.path} is {what}: docs/differences.md does not list it"
            else:
                assert not says(what, name), f"{name.path} is {now}: docs/differences.md lists it as {what}"


def test_what_is_listed_exists_in_pyflink():
    known = {path for name in names(EVERY) for path in (name.path, name.qualified)}
    for content in SURFACE.values():
        known |= {f"{cls}.{name}" for cls, of_it in content["classes"].items() for name in of_it["attributes"]}
    for what in ("absent", "refused", "without effect"):
        assert set(listed(what)) <= known
    assert {entry.partition("(")[0] for entry in listed("parameters")} <= known


def test_what_is_refused_says_what_to_do():
    refused = [name for name in of_now(EVERY) if says("refused", name)]
    assert [name.path for name in refused if not is_refused_when_called(name)] == []


def test_later_connectors_are_not_there_and_say_so():
    for module in listed("later"):
        for name in names({module: API[f"pyflink.datastream.connectors.{module}"]}):
            if name.cls == name.path:
                assert found(f"pyflink.datastream.connectors.{module}", name.path) is ABSENT, f"{name.path} is there"
                with pytest.raises(ImportError, match=f"{name.path.partition('.')[0]} is not in datastream yet"):
                    exec(f"from pyflink.datastream.connectors.{module} import {name.path.partition('.')[0]}")


@pytest.mark.parametrize(("title", "api", "least"), [("`pyflink.common`", API, 95), ("`pyflink.table`", TABLES, 90)])
def test_most_names_are_there_and_the_page_gives_the_figures(title, api, least):
    figures = counts(api)
    assert share(figures) >= least
    row = re.search(
        rf"^\| {title}[^|]*\| (\d[\d,]*) \| (\d[\d,]*) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", PAGE.read_text(), re.M
    )
    assert row, "docs/differences.md has no row of figures"
    keys = ("names", "there", "without effect", "refused", "absent", "later")
    assert [int(cell.replace(",", "")) for cell in row.groups()] == [figures[key] for key in keys]


def test_the_copy_of_the_reference_is_true():
    if REFERENCE.exists():  # only beside some checkouts
        assert json.loads((REFERENCE / "pyflink_api.json").read_text()) == API
        assert json.loads((REFERENCE / "pyflink_table_api.json").read_text()) == TABLES
