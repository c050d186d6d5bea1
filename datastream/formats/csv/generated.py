"""The loops over records, generated for a type: the usual values inline, all others by their `Column`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from datastream.codegen import SourceText
from datastream.types import Row, RowKind

from .columns import Column
from .options import COMMENT, CsvOptions
from .quoting import MOST_BARE, Quoting
from .times import NAMES

#: (things, what takes each result): a result is added for each thing, in order.
Loop = Callable[[Iterable[Any], Callable[[Any], None]], None]

_BOUND: dict[str, Any] = {**NAMES, "Row": Row, "new": object.__new__, "INSERT": RowKind.INSERT}
_ROW = ("row = new(Row)", "row._fields = names", "row._values = fields", "row._row_kind = INSERT", "add(row)")


def reading_loop(columns: list[Column], names: tuple[str, ...] | None, is_row: bool, plain: bool) -> Loop:
    """The loop from lists of fields to records. Rows keep the lists.

    Args:
        columns: One a field.
        names: Of the rows.
        is_row: Whether the records are rows; else tuples.
        plain: Whether all texts are ASCII without underscores.

    Raises (the loop):
        ValueError, LookupError, ArithmeticError: a record is not of the type; its list may be half converted.
    """
    code = SourceText(**_BOUND, names=names)
    with code.function("def loop(things, add)"), code.block("for fields in things"):
        code.line(f"{', '.join(_names(columns))}, = fields")
        for i, column in enumerate(columns):
            code.bound[f"read{i}"], code.bound[f"null{i}"] = column.text.read, column.null
            code.lines(*_reading(i, column, plain))
        code.lines(*(_ROW if is_row else ["add(tuple(fields))"]))
    return code.compiled("loop", "CSV reader")


def _reading(i: int, column: Column, plain: bool) -> list[str]:
    v, text = f"v{i}", column.text
    read = (text.fast_read or "{read}({v})").format(v=v, read=f"read{i}")
    if text.guarded and not plain:
        read = f"read{i}({v}) if '_' in {v} or not {v}.isascii() else {read}"
    value = [] if read == v else [f"fields[{i}] = {read}"]
    if column.null is None:
        return value
    null = f"fields[{i}] = None" if column.nullable else "raise ValueError"
    lines = [f"if {v} == null{i}:" if column.null else f"if not {v}:"]
    if column.ambiguous is not None:
        lines += [f"    if type({v}) is not str: fields[{i}] = read{i}(str({v}))", f"    else: {null}"]
    else:
        lines.append("    " + null)
    return lines + [f"else: {line}" for line in value]


def writing_loop(columns: list[Column], names: tuple[str, ...] | None, is_row: bool, options: CsvOptions) -> Loop:
    """The loop from records in the type's own form to lines.

    Raises (the loop):
        ValueError: a record has another form, or text that is not UTF-8.
        FormatError, TypeMismatch: a field cannot be written.
    """
    special = {f"special{i}": char for i, char in enumerate(sorted(options.special))}
    code = SourceText(**_BOUND, **special, names=names)
    quoting = Quoting(options)
    code.bound.update(quoted=quoting.quoted, plain=quoting.plain)
    test = "type(thing) is tuple"
    if is_row:
        test = "type(thing) is Row"
        if names is not None:
            test += " and (thing._fields == names or thing._fields is None)"
    line = _literal(options.delimiter).join(f"{{{name}}}" for name in _names(columns)) + _literal(options.line_end)
    with code.function("def loop(things, add)"), code.block("for thing in things"):
        code.line(f"if not ({test}): raise ValueError")
        code.line(f"{', '.join(_names(columns))}, = thing{'._values' if is_row else ''}")
        for i, column in enumerate(columns):
            code.bound[f"write{i}"], code.bound[f"null{i}"] = column.write, column.null
            code.line(f"v{i} = {_writing(i, column, options)}")
        code.line(f"add(f'{line}'.encode())")
    return code.compiled("loop", "CSV writer")


def _writing(i: int, column: Column, options: CsvOptions) -> str:
    v, text = f"v{i}", column.text
    other = f"write{i}({v})"
    if not text.fits or (text.alphabet is not None and not column.bare):
        return other
    fits = [text.fits.format(v=v)]
    if text.alphabet is None:
        if options.quote is None:
            fits += [f"special{j} not in {v}" for j in range(len(options.special))]
        else:
            fits.append(_plain(v, Quoting(options).highest or ""))
        if column.ambiguous is not None:
            fits.append(f"{v} != null{i}")
        if column.first:
            fits.append(f"{v}[:1] != {COMMENT!r}")
        if options.quote is not None:
            other = f"quoted({v}) if {fits[0]} else {other}"
    if column.nullable and column.null is not None:
        other = f"null{i} if {v} is None else {other}"
    return f"{text.fast_write.format(v=v)} if {' and '.join(fits)} else {other}"


def _plain(v: str, highest: str) -> str:
    """The condition for a text to stand without quotes; most are told by their letters."""
    quick = f"({v}.isascii() and {v}.isalnum())" if highest < "0" else f"({v}.isascii() and {v}.isalpha())"
    return f"({quick} or plain({v})) and len({v}) <= {MOST_BARE}" if highest < "A" else f"plain({v})"


def _literal(text: str) -> str:
    """A text inside a literal of generated source."""
    return "".join(f"\\U{ord(char):08x}" for char in text)


def _names(columns: list[Column]) -> list[str]:
    return [f"v{i}" for i in range(len(columns))]
