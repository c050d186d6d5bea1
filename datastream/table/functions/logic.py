"""AND, OR, NOT and the tests of conditions, with three values: TRUE, FALSE and NULL."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.table.functions.entry import Entry
from datastream.table.functions.signatures import rule
from datastream.table.plan.expressions import Expression
from datastream.table.types.logical_types import BooleanType

_BOOLEAN = BooleanType()


def _places(args: Sequence[Expression]) -> list[str]:
    return [f"{{{place}}}" for place in range(len(args))]


def _and_text(args: Sequence[Expression]) -> str:
    places = _places(args)
    false = " or ".join(f"{place} is False" for place in places)
    unknown = " or ".join(f"{place} is None" for place in places)
    return f"(False if {false} else None if {unknown} else True)"


def _or_text(args: Sequence[Expression]) -> str:
    places = _places(args)
    unknown = " or ".join(f"{place} is None" for place in places)
    return f"(True if {' or '.join(places)} else None if {unknown} else False)"


def _test(name: str, sql: str, python: str, doc: str) -> Entry:
    resolve = rule(sql, "boolean", _BOOLEAN, False)
    return Entry(name, (sql,), (1, 1), resolve, python, python, strict=False, doc=doc)


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "and",
        ("AND",),
        (2, None),
        rule("AND", "boolean, boolean, boolean*", _BOOLEAN),
        _and_text,
        lambda args: f"({' and '.join(_places(args))})",
        strict=False,
        lazy=True,
        doc="Whether all conditions are TRUE; FALSE where one is FALSE, else NULL where one is NULL.",
    ),
    Entry(
        "or",
        ("OR",),
        (2, None),
        rule("OR", "boolean, boolean, boolean*", _BOOLEAN),
        _or_text,
        lambda args: f"({' or '.join(_places(args))})",
        strict=False,
        lazy=True,
        doc="Whether a condition is TRUE; else NULL where one is NULL.",
    ),
    Entry(
        "not",
        ("NOT",),
        (1, 1),
        rule("NOT", "boolean", _BOOLEAN),
        "(not {0})",
        doc="TRUE for FALSE, FALSE for TRUE.",
    ),
    _test("isTrue", "IS TRUE", "({0} is True)", "Whether the condition is TRUE."),
    _test("isFalse", "IS FALSE", "({0} is False)", "Whether the condition is FALSE."),
    _test("isNotTrue", "IS NOT TRUE", "({0} is not True)", "Whether the condition is FALSE or NULL."),
    _test("isNotFalse", "IS NOT FALSE", "({0} is not False)", "Whether the condition is TRUE or NULL."),
)
