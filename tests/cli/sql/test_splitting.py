"""Statements of a text: where they end."""

from __future__ import annotations

import pytest

from datastream.cli.sql.whole import is_whole
from datastream.driver.sql.splitting import split
from datastream.table.sql.errors import pointed


def texts(source: str) -> list[str]:
    return [each.text for each in split(source)[0]]


def test_semicolons_in_quotes_and_comments_end_nothing() -> None:
    source = "SELECT 'a;''b;' AS `c;``d`; -- a; comment\n/* one; more */ SHOW TABLES // last;\n; "
    assert texts(source) == ["SELECT 'a;''b;' AS `c;``d`", "SHOW TABLES"]


def test_a_hint_belongs_to_its_statement() -> None:
    source = "SELECT a FROM t /*+ OPTIONS('path'='/a*/b;c') */; SELECT 1 /*+ x */ /* no hint */"
    statements, rest = split(source)
    assert [each.text for each in statements] == ["SELECT a FROM t /*+ OPTIONS('path'='/a*/b;c') */"]
    assert rest is not None and rest.text == "SELECT 1 /*+ x */"


def test_lines_and_columns() -> None:
    statements, rest = split("SELECT 1;  SELECT 2;\r\n\n  SELECT\n3; SELECT 4")
    assert [(each.line, each.column) for each in statements] == [(1, 1), (1, 12), (3, 3)]
    assert rest is not None and (rest.line, rest.column, rest.text) == (4, 4, "SELECT 4")
    assert statements[2].placed == "\n\n  SELECT\n3"


def test_a_statement_set_is_one_statement_with_its_inserts() -> None:
    block = (
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT CASE WHEN b THEN 1 END FROM t; INSERT INTO c SELECT 1; END"
    )
    assert texts(f"{block}; SHOW TABLES;") == [block, "SHOW TABLES"]
    gathered = ["BEGIN STATEMENT SET", "INSERT INTO a SELECT 1", "END"]
    assert texts("".join(f"{each};\n" for each in gathered)) == gathered


def test_a_long_line_is_shown_around_the_place() -> None:
    shown, caret = pointed("a" * 1_000 + "b" + "c" * 1_000, 1, 1_001).split("\n")
    assert shown[caret.index("^")] == "b" and len(shown) < 320
    assert shown.startswith("  ...a") and shown.endswith("c...")
    assert pointed("SELECT b", 1, 8) == "  SELECT b\n         ^"


@pytest.mark.parametrize(
    ("source", "whole"),
    [
        ("", True),
        ("-- nothing", True),
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1; SELECT", False),
        ("SELECT 'a;", False),
        ("SELECT /* a;", False),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1;", False),
        ("quit", True),
        ("Help ;", True),
        ("quit now", False),
    ],
)
def test_whether_another_line_is_needed(source: str, whole: bool) -> None:
    assert is_whole(source) is whole
