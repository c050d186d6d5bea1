"""The page of semantics: each rule names tests that exist, and that run on both executors, or says why none does."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "contributing" / "semantics.md"
NAME = re.compile(r"`(test_\w+)\.(test_\w+)`")
HEAD = ["| Rule | In jobs, on both executors | Of a class |", "| --- | --- | --- |"]

#: What a rule may say in place of a test on both executors; a colon and the test on Spark, or the reason, follows.
REASONS = ("Class only: ", "None: ", "Spark only, as ")

ROWS = [line for line in PAGE.read_text().splitlines() if line.startswith("|") and line not in HEAD]


@cache
def functions() -> dict[tuple[str, str], tuple[Path, ast.FunctionDef]]:
    """Every test there is, by module and name."""
    return {
        (path.stem, node.name): (path, node)
        for path in sorted(TESTS.rglob("test_*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def runs_on_both(module: str, name: str) -> bool:
    """Whether a test is a `case` of `datastream.testing`, or takes the fixture `run`."""
    path, node = functions()[module, name]
    cases = [ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list]
    return path.parent.name == "semantics" and ("case" in cases or "run" in [arg.arg for arg in node.args.args])


def columns(row: str) -> list[str]:
    return [column.strip() for column in row.strip("|").split(" |")]


def test_there_are_rules():
    assert len(ROWS) > 100


def test_each_rule_stands_once():
    rules = [columns(row)[0] for row in ROWS]
    assert sorted(set(rules)) == sorted(rules)


@pytest.mark.parametrize("row", ROWS, ids=[columns(row)[0][:60] for row in ROWS])
def test_each_rule_has_a_test_on_both_executors_or_says_why_not(row):
    assert re.fullmatch(r"\| .+ \| .+ \|( \S.*)? \|", row)
    _, jobs, of_class = columns(row)
    missing = [name for name in NAME.findall(row) if name not in functions()]
    assert missing == []
    assert re.fullmatch(r"(`test_\w+\.test_\w+`(, )?)*", of_class)
    if jobs.startswith(REASONS):
        assert jobs.startswith("None: ") or NAME.search(jobs) or NAME.search(of_class), "a test of the class at least"
        return
    assert re.fullmatch(r"`test_\w+\.test_\w+`(, `test_\w+\.test_\w+`)*", jobs)
    assert [name for name in NAME.findall(jobs) if not runs_on_both(*name)] == []
