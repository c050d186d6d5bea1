"""The ways through the code on the page of the architecture: each file and function that they name is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "contributing" / "architecture.md"


def _steps() -> list[tuple[str, str]]:
    """File and function of each step."""
    section = PAGE.read_text().split("\n## Two ways through the code\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| .* \| `(\S+\.py)` \| (.*) \|$", section, re.MULTILINE)
    return [(file, name) for file, functions in rows for name in re.findall(r"`([\w.]+)`", functions)]


def _functions(file: Path) -> set[str]:
    found = set()
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{each.name}" for each in node.body if isinstance(each, ast.FunctionDef)}
    return found


@pytest.mark.parametrize(("file", "function"), _steps())
def test_a_function_of_the_ways_through_the_code_is_there(file: str, function: str) -> None:
    assert function in _functions(ROOT / file)


def test_there_are_two_ways() -> None:
    assert len({file for file, _ in _steps()}) > 20
