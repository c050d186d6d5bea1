"""The reference page of functions: ``python -m datastream.table.functions.docs`` prints it."""

from __future__ import annotations

from collections.abc import Iterator

from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.functions.library import FIELDS, entries

_HEAD = """\
# Functions of SQL and the Table API

These {count} functions and operators work in SQL and, by the name in the second column, in the Table API. They have the
names, arguments and result types of Flink's.

- A function returns NULL where an argument is NULL, unless its description states something else.
- A whole number that leaves its type is an error. It does not wrap around.
- Computed DECIMALs are rounded half up. A DECIMAL with too many digits is an error.
- Text that cannot be cast is an error. `TRY_CAST` returns NULL instead.
- `TIMESTAMP_LTZ` becomes text, a date or a `TIMESTAMP` in the session's time zone (`table.local-time-zone`).
- Regular expressions are Java's. Possessive quantifiers and unions of character classes are not supported.
- JSON paths have no filters.

In an aggregate, rows with NULL do not count, unless the description states something else. "Updates" shows whether the
function works on an input with updates, such as the result of another GROUP BY.
"""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _arguments(entry: Entry | AggregateEntry) -> str:
    least, most = entry.arity
    if most is None:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


def _rows(title: str, functions: tuple[Entry | AggregateEntry, ...]) -> Iterator[str]:
    updates = any(isinstance(entry, AggregateEntry) for entry in functions)
    yield f"\n## {title}\n"
    yield "| SQL | Table API | Arguments | Result |" + (" Updates |" if updates else "")
    yield "| --- | --- | --- | --- |" + (" --- |" if updates else "")
    for entry in functions:
        names = ", ".join(f"`{_cell(name)}`" for name in entry.sql)
        row = f"| {names} | `{entry.name}` | {_arguments(entry)} | {_cell(entry.doc)} |"
        if isinstance(entry, AggregateEntry):
            row += " yes |" if entry.retract else " no |"
        yield row


def page() -> str:
    """Give the text of the page, in Markdown."""
    lines = [_HEAD.format(count=sum(1 for _ in entries())).rstrip("\n")]
    for title, functions in FIELDS.items():
        lines += _rows(title, functions)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
