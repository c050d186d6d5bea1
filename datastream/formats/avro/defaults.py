"""The default of a field, from the schema's JSON to Avro's bytes, which any reader of the field can read."""

from __future__ import annotations

import struct
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats.avro.nodes import (
    NO_DEFAULT,
    Array,
    Enumeration,
    Fixed,
    Map,
    Node,
    Primitive,
    Record,
    Union,
    name_of,
)
from datastream.formats.avro.varints import varint

#: Values that one default may stand for: records whose fields have defaults themselves may grow without bound.
_MOST = 10_000
_FLOATS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def default_bytes(node: Node, value: Any, left: list[int] | None = None) -> bytes:
    """The bytes of a default value.

    Args:
        node: The field's type.
        value: As in JSON. Bytes are text of the characters U+0000 to U+00FF.
        left: How many values it may stand for, in a list of one; counted down.

    Raises:
        ValidationError: it is not of the type.
    """
    left = [_MOST] if left is None else left
    left[0] -= 1
    if left[0] < 0:
        raise ValidationError(f"it represents more than {_MOST:,} values")
    match node:
        case Primitive(kind):
            found = _primitive(kind, value)
        case Enumeration(symbols=symbols) if value in symbols:
            found = varint(symbols.index(value))
        case Fixed(size=size) if isinstance(value, str) and len(value) == size:
            found = _latin(value)
        case Array(items) if isinstance(value, list):
            found = _block([default_bytes(items, item, left) for item in value])
        case Map(values) if isinstance(value, dict):
            found = _block([_text(key) + default_bytes(values, item, left) for key, item in value.items()])
        case Record() if isinstance(value, dict):
            return _record(node, value, left)
        case Union(branches):
            found = _union(branches, value, left)
        case _:
            found = None
    if found is None:
        raise ValidationError(f"{cut(value)} is no {name_of(node)}")
    return found


def _primitive(kind: str, value: Any) -> bytes | None:
    is_int = type(value) is int
    match kind:
        case "null" if value is None:
            return b""
        case "boolean" if isinstance(value, bool):
            return bytes((value,))
        case "int" if is_int and -(1 << 31) <= value < 1 << 31:
            return varint(value)
        case "long" if is_int and -(1 << 63) <= value < 1 << 63:
            return varint(value)
        case "float" | "double" if is_int or isinstance(value, float) or (isinstance(value, str) and value in _FLOATS):
            try:
                return struct.pack("<f" if kind == "float" else "<d", _FLOATS.get(value, value))
            except (OverflowError, struct.error):
                return None
        case "bytes" if isinstance(value, str):
            data = _latin(value)
            return None if data is None else varint(len(data)) + data
        case "string" if isinstance(value, str):
            return _text(value)
    return None


def _text(value: str) -> bytes:
    try:
        data = value.encode()
    except UnicodeEncodeError:
        raise ValidationError(f"{cut(value)} is no text: it holds a lone surrogate") from None
    return varint(len(data)) + data


def _latin(value: str) -> bytes | None:
    try:
        return value.encode("latin-1")
    except UnicodeEncodeError:
        return None


def _block(items: list[bytes]) -> bytes:
    return varint(len(items)) + b"".join(items) + b"\0" if items else b"\0"


def _record(node: Record, value: dict[str, Any], left: list[int]) -> bytes:
    parts = []
    for field in node.fields:
        item = value.get(field.name, field.default)
        if item is NO_DEFAULT:
            raise ValidationError(f"{cut(value)} lacks the field {field.name!r} of the {name_of(node)}")
        parts.append(default_bytes(field.node, item, left))
    return b"".join(parts)


def _union(branches: tuple[Node, ...], value: Any, left: list[int]) -> bytes | None:
    # The first branch by the older versions of the specification, any by the newer ones.
    for index, branch in enumerate(branches):
        try:
            return varint(index) + default_bytes(branch, value, left)
        except ValidationError:
            continue
    return None
