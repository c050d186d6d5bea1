"""Statements with question marks, as JDBC has them, in the form of a driver."""

from __future__ import annotations

import re
from dataclasses import dataclass

from datastream.errors import ValidationError, cut

#: What a question mark is no parameter in: texts, names, comments; and PostgreSQL's texts between dollar signs.
_PARTS = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | --[^\n]* | /\*.*?\*/ | (\$\w*\$).*?\1
    | (?P<twice>\?\?) | (?P<one>\?) | %""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Statement:
    """A statement.

    Attributes:
        sql: As the user wrote it.
        parameters: How many it has.
    """

    sql: str
    parameters: int

    def of_driver(self, parameter: str) -> str:
        """The statement in a driver's form.

        Args:
            parameter: How it marks one: ``?`` or ``%s``.
        """

        def written(part: re.Match[str]) -> str:
            if part["one"]:
                return parameter
            if part["twice"]:  # JDBC's way to write an operator
                return "?"
            return part[0].replace("%", "%%") if parameter == "%s" else part[0]

        return _PARTS.sub(written, self.sql)


def parse(sql: str, of: str = "JdbcSink") -> Statement:
    """A statement of the user's.

    Args:
        sql: The statement.
        of: Whose it is, for errors.

    Raises:
        ValidationError: It is no text, or has no parameter.
    """
    if not isinstance(sql, str) or not sql.strip():
        raise ValidationError(f"{of}: expected a statement such as 'INSERT INTO t (a) VALUES (?)', got {cut(sql)}")
    count = sum(part["one"] is not None for part in _PARTS.finditer(sql))
    if not count:
        raise ValidationError(f"{of}: the statement has no parameter: write a '?' for each field: {cut(sql)}")
    return Statement(sql, count)
