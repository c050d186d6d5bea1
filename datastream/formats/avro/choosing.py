"""Which branch of a union a value is of: Python expressions that tell it by the value's class and size."""

from __future__ import annotations

from datastream.formats.avro.code import Code
from datastream.formats.avro.kinds import Kind
from datastream.formats.avro.nodes import (
    NO_DEFAULT,
    Array,
    Enumeration,
    Fixed,
    Map,
    Named,
    Node,
    Primitive,
    Record,
    Union,
    is_null,
)

_LOGICAL = {
    "date": "type({v}) is date",
    "time-millis": "type({v}) is time",
    "time-micros": "type({v}) is time",
    "decimal": "isinstance({v}, Decimal)",
    "timestamp-nanos": "type({v}) is Instant",
    "local-timestamp-millis": "isinstance({v}, datetime) and {v}.tzinfo is None",
    "local-timestamp-micros": "isinstance({v}, datetime) and {v}.tzinfo is None",
    "python-pickle": "True",
}
_PRIMITIVE = {
    "null": "{v} is None",
    "boolean": "type({v}) is bool",
    "int": "type({v}) is int and -0x80000000 <= {v} <= 0x7FFFFFFF",
    "long": "type({v}) is int",
    "float": "type({v}) is float",
    "double": "type({v}) is float",
    "bytes": "type({v}) is bytes",
    "string": "type({v}) is str",
}


def choices(code: Code, union: Union, kind: Kind, value: str) -> list[tuple[str, int]]:
    """Pairs of a test and the branch to take if it is the first that holds.

    Args:
        code: Where names are bound.
        union: The union.
        kind: None for generic values, else rows.
        value: The variable.
    """
    numbered = list(enumerate(union.branches))
    # A float of Python is a double: float is only taken where there is no double.
    numbered.sort(key=lambda pair: isinstance(pair[1], Primitive) and pair[1].kind == "float")
    found = [(_exact(code, node, kind, value), index) for index, node in numbered]
    for index, node in numbered:
        if isinstance(node, Record) and kind is None:
            names, needed = (code.bind(frozenset(some)) for some in _field_names(node))
            found.append((f"accepts({value}, {names}, {needed})", index))
        elif isinstance(node, Record):  # a row without names, or with them in another order
            found.append((f"type({value}) is Row and len({value}._values) == {len(node.fields)}", index))
        elif isinstance(node, Primitive) and node.kind in ("float", "double"):
            found.append((f"type({value}) is int", index))
        elif not isinstance(node, Named):
            found.append((_loose(node, value), index))
    return [(test, index) for test, index in found if test]


def named_choices(union: Union) -> list[tuple[str, int]]:
    """Full name and branch of the types that a pair (name, value) may name."""
    return [(node.name, index) for index, node in enumerate(union.branches) if isinstance(node, Named)]


def _exact(code: Code, node: Node, kind: Kind, v: str) -> str:
    match node:
        case Primitive(base, logical):
            return _primitive(base, logical, kind).format(v=v)
        case Fixed(size=size, logical=logical):
            return _LOGICAL["decimal"].format(v=v) if logical else f"type({v}) is bytes and len({v}) == {size}"
        case Enumeration(symbols=symbols):
            return f"type({v}) is str and {v} in {code.bind(frozenset(symbols))}"
        case Array():
            return f"type({v}) is list"
        case Map():
            return f"type({v}) is dict and all(type(k) is str for k in {v})" if kind is not None else ""
        case Record(fields=fields) if kind is None:
            return f"type({v}) is dict and {v}.keys() == {code.bind(frozenset(f.name for f in fields))}"
        case Record(fields=fields):
            return f"type({v}) is Row and {v}._fields == {code.bind(tuple(f.name for f in fields))}"
    raise AssertionError(node)


def _primitive(base: str, logical: str | None, kind: Kind) -> str:
    if logical in ("timestamp-millis", "timestamp-micros"):
        return f"isinstance({{v}}, datetime) and {{v}}.tzinfo is {'not None' if kind is None else 'None'}"
    if logical == "uuid" and kind is None:
        return "type({v}).__name__ == 'UUID'"
    return _PRIMITIVE[base] if logical is None else _LOGICAL.get(logical, _PRIMITIVE[base])


def _loose(node: Node, v: str) -> str:
    if isinstance(node, Map):
        return f"isinstance({v}, dict)"
    if isinstance(node, Array):
        return f"isinstance({v}, (list, tuple))"
    if isinstance(node, Primitive) and node.kind == "bytes" and node.logical is None:
        return f"isinstance({v}, (bytes, bytearray, memoryview))"
    return ""


def _field_names(record: Record) -> tuple[list[str], list[str]]:
    every: list[str] = [field.name for field in record.fields]
    needed = [f.name for f in record.fields if f.default is NO_DEFAULT and not may_be_null(f.node)]
    return every, needed


def may_be_null(node: Node) -> bool:
    """Whether None is a value of the type."""
    return is_null(node) or (isinstance(node, Union) and any(map(is_null, node.branches)))
