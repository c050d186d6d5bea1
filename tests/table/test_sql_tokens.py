"""SQL in tokens."""

from __future__ import annotations

import pytest

from datastream.table.sql.errors import SqlError
from datastream.table.sql.tokens import tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a_1 $b é", [("word", "a_1"), ("word", "$b"), ("word", "é")]),
        ("`a b` `a``b`", [("name", "a b"), ("name", "a`b")]),
        ("'it''s' ''''", [("string", "it's"), ("string", "'")]),
        ("X'4d' x''", [("bytes", "4d"), ("bytes", "")]),
        ("U&'\\0041' u&'a'", [("unicode", "\\0041"), ("unicode", "a")]),
        ("1 1.5 1. 2e-3 3E4", [("number", each) for each in ["1", "1.5", "1.", "2e-3", "3E4"]]),
        ("a<>b", [("word", "a"), ("symbol", "<>"), ("word", "b")]),
        ("<= >= => != || <", [("symbol", each) for each in ["<=", ">=", "=>", "!=", "||", "<"]]),
        ("a--b\nc//d\r\ne/*f\n'*/g", [("word", "a"), ("word", "c"), ("word", "e"), ("word", "g")]),
        ("t /*+ x('a') */ /* b */", [("word", "t"), ("hint", "/*+ x('a') */")]),
        (
            "t /*+ x('*/', 'it''s*/', `*/`) */ b",
            [
                ("word", "t"),
                ("hint", "/*+ x('*/', 'it''s*/', `*/`) */"),
                ("word", "b"),
            ],
        ),
        ("t /*+ x(*) **/ b", [("word", "t"), ("hint", "/*+ x(*) **/"), ("word", "b")]),
        ("'--' /*'*/", [("string", "--")]),
        ("x 'a'", [("word", "x"), ("string", "a")]),
        ("", []),
    ],
)
def test_tokens(text: str, tokens: list[tuple[str, str]]) -> None:
    *found, end = tokenize(text)
    assert [(token.kind, token.text) for token in found] == tokens
    assert end.kind == "end"
    assert "".join(text[token.start : token.end] for token in found) != "" or not tokens


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("a 'b", 3, "expected a closing '"),
        ("a 'b''", 3, "expected a closing '"),
        ("x'4d", 1, "expected a closing '"),
        ("`a``", 1, "expected a closing `"),
        ("a /* b", 3, "expected a closing */"),
        ("a /*+ b", 3, "expected a closing */"),
        ("a /*+ 'b' *", 3, "expected a closing */"),
        ("a /*+ b('c) */", 9, "expected a closing '"),
        ("a /*+ b('c', `d) */", 14, "expected a closing `"),
        ("+ /*+ b */", 3, "a hint is allowed only after SELECT or the name of a table"),
        ("1a", 2, "a name does not begin with a digit"),
        ("1e", 1, "1e is no number"),
        ("0x4d", 1, "bytes are written X'4d'"),
        ('a "b"', 3, "use single quotes for strings and backticks for names"),
        ("N'b'", 1, "use single quotes for strings and backticks for names"),
        ("a 😀", 3, "unexpected text"),
    ],
)
def test_what_is_no_token(text: str, column: int, message: str) -> None:
    with pytest.raises(SqlError) as caught:
        tokenize(text)
    assert message in str(caught.value)
    assert (caught.value.line, caught.value.column) == (1, column)


def test_positions_and_parts() -> None:
    found = tokenize("a\r\n  b\n'c\nd' e", 3)
    assert [(token.text, token.position.line, token.position.column) for token in found] == [
        ("b", 2, 3), ("c\nd", 3, 1), ("e", 4, 4), ("", 4, 5),
    ]  # fmt: skip
