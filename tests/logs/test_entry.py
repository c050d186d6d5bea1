"""Lines of the log."""

from __future__ import annotations

import json

import pytest

from datastream.logs.entry import LONGEST, add_own, shortened, to_json, to_text

FIRST = {"timestamp": "2026-01-01T00:00:00.000000Z", "level": "info", "logger": "mine", "event": "hello"}
CIRCLE: list = []
CIRCLE.append(CIRCLE)


class Odd:
    def __repr__(self) -> str:
        raise ValueError("no")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (1.5, 1.5),
        ("Łódź", "Łódź"),
        ("two\nlines", "two\nlines"),
        (b"\xff", "b'\\xff'"),
        (float("nan"), "nan"),
        (2**70, 2**70),
        ({1: 2}, {"1": 2}),
        ({(1, 2): 3}, "{(1, 2): 3}"),
        (CIRCLE, "[[...]]"),
        ("\ud800", "\ud800"),
        (Odd(), "<Odd whose repr failed: ValueError>"),
    ],
)
def test_any_value_becomes_one_line(value: object, told: object) -> None:
    line = to_json({**FIRST, "value": value})
    assert b"\n" not in line
    assert json.loads(line) == {**FIRST, "value": told}


def test_a_line_is_bounded() -> None:
    many = {f"field {n}": "x" * 5000 for n in range(100)}
    assert len(to_json({**FIRST, **many})) < 200_000
    assert len(shortened("x" * 10**6)) < LONGEST + 100
    assert shortened("a" + "x" * 10**6 + "z").endswith("xz")


def test_own_fields_do_not_hide_those_of_the_job() -> None:
    entry = {**FIRST, "job": "j", "operator": "o"}
    add_own(entry, {"operator": "x", "exception": "y", "job": "j", "mine": 1})
    assert entry == {**FIRST, "job": "j", "operator": "o", "operator_": "x", "exception_": "y", "mine": 1}


def test_text_for_people() -> None:
    place = {"job": "j", "operator": "sum", "uid": "sum", "subtask": 1, "epoch": 7, "line": "job.py:3"}
    text = to_text({**FIRST, **place, "exception": "Traceback ...\nZeroDivisionError: by zero"}, colors=False)
    head, *trace = text.splitlines()
    assert head.split() == [FIRST["timestamp"], "[info", "]", "hello", "[mine]", "operator=sum", "subtask=1", "epoch=7"]
    assert trace == ["  Traceback ...", "  ZeroDivisionError: by zero"]
