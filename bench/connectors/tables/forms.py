"""What rows are in messages, as a person writes and reads them with the usual libraries."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import fastavro

from bench.ready_rows import COLUMNS, DECLARED

Row = tuple[Any, ...]
_TYPES = {"id": "long", "item": "string", "price": "double", "qty": "int", "ts": "long"}
#: Of rows.
AVRO = {
    "type": "record",
    "name": "record",
    "namespace": "org.apache.flink.avro.generated",
    "fields": [{"name": name, "type": ["null", kind], "default": None} for name, kind in _TYPES.items()],
}
_PARSED = fastavro.parse_schema(AVRO)


def values_of(fields: Sequence[str]) -> Row:
    """The values of a line's fields."""
    return int(fields[0]), fields[1], float(fields[2]), int(fields[3]), int(fields[4])


class Form(NamedTuple):
    """A format.

    Attributes:
        encode: The message of a row.
        decode: The rows of a message, where changes have their kind in front.
        columns: What a table declares.
        picked: The columns.
        options: Of the format.
        changes: A message that changes a row, of the row before and after; None: rows are added only.
    """

    encode: Callable[[Row], Any]
    decode: Callable[[Any], list[Row]]
    columns: str = DECLARED
    picked: tuple[str, ...] = COLUMNS
    options: dict[str, str] = {}
    changes: Callable[[Row, Row], Any] | None = None


def as_json(row: Row) -> bytes:
    """An object with the names of the columns."""
    return json.dumps(dict(zip(COLUMNS, row, strict=True))).encode()


def of_json(message: bytes) -> Row:
    """The values of an object."""
    return _values(json.loads(message))


def _values(found: dict[str, Any]) -> Row:
    return tuple(map(found.get, COLUMNS))


def _as_csv(row: Row) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(row)
    return line.getvalue().encode()


def _as_avro(row: Row) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, _PARSED, dict(zip(COLUMNS, row, strict=True)))
    return out.getvalue()


def _of_avro(message: bytes) -> Row:
    return _values(fastavro.schemaless_reader(io.BytesIO(message), _PARSED, None))  # type: ignore[arg-type]


def _object(row: Row) -> dict[str, Any]:
    return dict(zip(COLUMNS, row, strict=True))


def _dump(found: dict[str, Any]) -> bytes:
    return json.dumps(found).encode()


def debezium(message: dict[str, Any]) -> list[Row]:
    """The changes of an event."""
    match message["op"]:
        case "c" | "r":
            return [(0, *_values(message["after"]))]
        case "u":
            return [(1, *_values(message["before"])), (2, *_values(message["after"]))]
        case _:
            return [(3, *_values(message["before"]))]


def debezium_event(before: Row | None, after: Row) -> dict[str, Any]:
    """An event that adds or changes a row."""
    if before is None:
        return {"before": None, "after": _object(after), "op": "c"}
    return {"before": _object(before), "after": _object(after), "op": "u"}


def _canal(message: bytes) -> list[Row]:
    found = json.loads(message)
    kind = found["type"]
    if kind == "UPDATE":
        changed: list[Row] = []
        for old, new in zip(found["old"], found["data"], strict=True):
            changed += [(1, *_values({**new, **old})), (2, *_values(new))]
        return changed
    return [(0 if kind == "INSERT" else 3, *_values(each)) for each in found["data"]]


def _maxwell(message: bytes) -> list[Row]:
    found = json.loads(message)
    kind, data = found["type"], found["data"]
    if kind == "update":
        return [(1, *_values({**data, **found["old"]})), (2, *_values(data))]
    return [(0 if kind == "insert" else 3, *_values(data))]


def _ogg(message: bytes) -> list[Row]:
    found = json.loads(message)
    match found["op_type"]:
        case "I":
            return [(0, *_values(found["after"]))]
        case "U":
            return [(1, *_values(found["before"])), (2, *_values(found["after"]))]
        case _:
            return [(3, *_values(found["before"]))]


def _differences(before: Row, after: Row) -> dict[str, Any]:
    return {name: old for name, old, new in zip(COLUMNS, before, after, strict=True) if old != new}


FORMS = {
    "json": Form(as_json, lambda message: [of_json(message)]),
    "csv": Form(_as_csv, lambda message: [values_of(next(csv.reader([message.decode()])))]),
    "raw": Form(lambda row: row[1].encode(), lambda message: [(message.decode(),)], "item STRING", ("item",)),
    "avro": Form(_as_avro, lambda message: [_of_avro(message)]),
    "debezium-json": Form(
        lambda row: _dump(debezium_event(None, row)),
        lambda message: debezium(json.loads(message)),
        changes=lambda before, after: _dump(debezium_event(before, after)),
    ),
    "canal-json": Form(
        lambda row: _dump({"data": [_object(row)], "type": "INSERT"}),
        _canal,
        changes=lambda before, after: _dump(
            {"data": [_object(after)], "old": [_differences(before, after)], "type": "UPDATE"}
        ),
    ),
    "maxwell-json": Form(
        lambda row: _dump({"data": _object(row), "type": "insert"}),
        _maxwell,
        changes=lambda before, after: _dump(
            {"data": _object(after), "old": _differences(before, after), "type": "update"}
        ),
    ),
    "ogg-json": Form(
        lambda row: _dump({"after": _object(row), "op_type": "I"}),
        _ogg,
        changes=lambda before, after: _dump({"before": _object(before), "after": _object(after), "op_type": "U"}),
    ),
}
