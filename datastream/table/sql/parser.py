"""From SQL text to statements and expressions.

The grammar is Flink's; it takes what it knows and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from datastream.errors import ValidationError, cut
from datastream.table.plan.expressions import Cast, Expression
from datastream.table.sql.errors import SqlError
from datastream.table.sql.nesting import allow_nesting
from datastream.table.sql.statements import Statement
from datastream.table.types.logical_types import DataType

if TYPE_CHECKING:
    from datastream.table.sql.grammar import StatementGrammar


def parse(text: str) -> list[Statement]:
    """The statements of a text, which have semicolons between them.

    Raises:
        SqlError: It is not Flink's SQL, or uses something that is not known here.
    """
    return [statement for statement, _ in parse_script(text)]


def parse_script(text: str) -> list[tuple[Statement, str]]:
    """The statements of a text, each with its own text.

    Raises:
        SqlError: As `parse`.
    """
    grammar = _grammar(text)
    try:
        return grammar.statements()
    except RecursionError:
        raise grammar.error("the text is nested too deeply") from None


def next_words(text: str) -> list[str]:
    """The words that may follow a text, as far as the grammar looks for some there; empty where the text is wrong."""
    from datastream.table.sql.grammar import StatementGrammar

    allow_nesting()
    try:
        grammar = StatementGrammar(text)
    except SqlError:
        return []
    try:
        grammar.statements()
    except (SqlError, RecursionError):
        if grammar.token.kind != "end":
            return []
    return [each for each in grammar.sought if each.replace(" ", "").replace("_", "").isalpha() and each.isupper()]


def parse_expression(text: str) -> Expression:
    """An expression, such as that of a computed column: ``a * 2``. An alias may follows it: ``a AS b``.

    Raises:
        SqlError: It is none.
    """
    grammar = _grammar(text)
    try:
        return grammar.one_expression()
    except RecursionError:
        raise grammar.error("the text is nested too deeply") from None


def parse_type(text: str) -> DataType:
    """A data type, such as ``ROW<a INT>``.

    Raises:
        SqlError: It is none.
    """
    grammar = _grammar(f"CAST(NULL AS {text})")
    grammar.exact = True
    try:
        cast = grammar.one_expression()
    except RecursionError:
        raise grammar.error("the text is nested too deeply") from None
    assert isinstance(cast, Cast)
    return cast.to


def parse_data_type(text: str) -> DataType:
    """The data type that a text such as ``BIGINT`` or ``ROW<a INT>`` names.

    Raises:
        ValidationError: it names none.
    """
    try:
        return parse_type(text)
    except SqlError as error:
        raise ValidationError(f"data type {cut(text)}: {error.message}") from None


def _grammar(text: str) -> StatementGrammar:
    from datastream.table.sql.grammar import StatementGrammar  # at the first text

    allow_nesting()
    return StatementGrammar(text)
