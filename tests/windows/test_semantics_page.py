"""The page of semantics names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "semantics.md"


def test_the_tests_that_the_page_names_exist():
    named = re.findall(r"`(test_\w+)\.(test_\w+)`", PAGE.read_text())
    assert named
    there = {
        (path.stem, name)
        for path in TESTS.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)\(", path.read_text(), re.MULTILINE)
    }
    assert [name for name in named if name not in there] == []


def test_every_row_of_the_page_has_a_rule_and_a_column_for_its_test():
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    for row in rows:
        assert re.fullmatch(r"\| .+ \|( \S.*)? \||\| --- \| --- \||\| Rule \| Test \|", row), row
