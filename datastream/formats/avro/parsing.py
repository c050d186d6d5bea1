"""From the JSON of a schema to its nodes, or to what is wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats.avro.code import bounded
from datastream.formats.avro.nodes import (
    NO_DEFAULT,
    PRIMITIVES,
    Array,
    Enumeration,
    Field,
    Fixed,
    Map,
    Named,
    Node,
    Primitive,
    Record,
    Union,
    values_inside,
)

#: Values that a record may hold: records that hold each other twice grow without bound.
_MOST = 100_000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

#: Logical types that we know, by the type below. Avro says to ignore others.
_LOGICAL = {
    "int": ("date", "time-millis"),
    "long": (
        "time-micros",
        "timestamp-millis",
        "timestamp-micros",
        "timestamp-nanos",
        "local-timestamp-millis",
        "local-timestamp-micros",
    ),
    "string": ("uuid",),
    "bytes": ("decimal", "python-pickle"),
    "fixed": ("decimal",),
}


def parse(text: str, references: Sequence[str] = ()) -> Node:
    """The type that a schema's JSON describes.

    Args:
        text: The JSON.
        references: The JSON of schemas whose names it may mention, in the order in which they mention each other.

    Raises:
        ValidationError: it is no JSON or no schema; the message says where and why.
    """
    parser = _Parser()
    with bounded():
        for other in references:
            parser.node(_content(other), "", "")
        node = parser.node(_content(text), "", "")
        _mark_recursive(parser.named)
        _check_size(parser.named)
        parser.check_defaults()
    return node


def _content(text: str) -> Any:
    if not isinstance(text, str):
        raise ValidationError(f"An Avro schema is a str of JSON, got {type(text).__name__}: {cut(text)}.")
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValidationError(f"An Avro schema must be JSON: {error}; got {cut(text)}.") from None


class _Parser:
    def __init__(self) -> None:
        self.named: dict[str, Named] = {}
        self._defaults: list[tuple[Field, str]] = []

    def node(self, content: Any, namespace: str, path: str) -> Node:
        if isinstance(content, str):
            return self._by_name(content, namespace, path)
        if isinstance(content, list):
            return self._union(content, namespace, path)
        if not isinstance(content, dict):
            raise _wrong(path, f"a type is a name, an object or a list of types, got {cut(content)}")
        kind = content.get("type")
        if isinstance(kind, (dict, list)):  # {"type": {...}}
            return self.node(kind, namespace, path)
        if not isinstance(kind, str):
            raise _wrong(path, f'an object needs a "type", got {cut(content)}')
        match kind:
            case "record" | "error":
                return self._record(content, namespace, path)
            case "enum":
                return self._enumeration(content, namespace, path)
            case "fixed":
                return self._fixed(content, namespace, path)
            case "array":
                return Array(self._inner(content, "items", namespace, path))
            case "map":
                return Map(self._inner(content, "values", namespace, path))
        if kind in PRIMITIVES:
            return _primitive(content, kind)
        return self._by_name(kind, namespace, path)

    def check_defaults(self) -> None:
        from datastream.formats.avro.defaults import default_bytes

        for field, path in self._defaults:
            try:
                default_bytes(field.node, field.default)
            except ValidationError as error:
                raise _wrong(path, f"the default {cut(field.default)} does not fit: {error}") from None

    def _by_name(self, name: str, namespace: str, path: str) -> Node:
        if name in PRIMITIVES:
            return Primitive(name)
        found = self.named.get(f"{namespace}.{name}" if namespace and "." not in name else name)
        found = found or self.named.get(name)
        if found is None:
            raise _wrong(path, f"there is no type {cut(name)}: it is no primitive type, and is not defined before")
        if isinstance(found, Record):
            found.uses += 1
        return found

    def _inner(self, content: dict[str, Any], key: str, namespace: str, path: str) -> Node:
        if key not in content:
            raise _wrong(path, f'an {content["type"]} needs "{key}", got {cut(content)}')
        return self.node(content[key], namespace, f"{path}[]")

    def _union(self, content: list[Any], namespace: str, path: str) -> Union:
        branches = tuple(self.node(branch, namespace, path) for branch in content)
        if not branches:
            raise _wrong(path, "a union needs at least one type")
        seen = set()
        for branch in branches:
            if isinstance(branch, Union):
                raise _wrong(path, "a union must not hold another union directly")
            key = branch.name if isinstance(branch, Named) else getattr(branch, "kind", type(branch).__name__.lower())
            if key in seen:
                raise _wrong(path, f"a union must not hold {key} twice")
            seen.add(key)
        return Union(branches)

    def _record(self, content: dict[str, Any], namespace: str, path: str) -> Record:
        record = Record(*self._naming(content, namespace, path))
        self._define(record, path)
        fields = content.get("fields")
        if not isinstance(fields, list):
            raise _wrong(path, f'a record needs "fields", a list, got {cut(content)}')
        inside = record.name.rpartition(".")[0]
        seen: set[str] = set()
        for field in fields:
            if not isinstance(field, dict) or "type" not in field:
                raise _wrong(path, f'a field is an object with "name" and "type", got {cut(field)}')
            name = _name(field.get("name"), path)
            if name in seen:
                raise _wrong(path, f"the record {record.name} has two fields {name!r}")
            seen.add(name)
            where = f"{path}.{name}" if path else name
            default = field.get("default", NO_DEFAULT)
            # A logical type beside "type" of the field itself has no meaning in Avro: it belongs into the type.
            made = Field(name, self.node(field["type"], inside, where), default, _names(field, "aliases", where))
            record.fields.append(made)
            if default is not NO_DEFAULT:
                self._defaults.append((made, where))
        return record

    def _enumeration(self, content: dict[str, Any], namespace: str, path: str) -> Enumeration:
        name, aliases = self._naming(content, namespace, path)
        symbols = _names(content, "symbols", path)
        if len(set(symbols)) != len(symbols):
            raise _wrong(path, f"the symbols of the enum {name} must differ, got {cut(symbols)}")
        for symbol in symbols:
            _name(symbol, path)
        default = content.get("default")
        if default is not None and default not in symbols:
            raise _wrong(path, f"the default {cut(default)} of the enum {name} is not one of its symbols")
        found = Enumeration(name, aliases, symbols, default)
        self._define(found, path)
        return found

    def _fixed(self, content: dict[str, Any], namespace: str, path: str) -> Fixed:
        name, aliases = self._naming(content, namespace, path)
        size = content.get("size")
        if type(size) is not int or not 0 <= size < 1 << 31:
            raise _wrong(path, f'the fixed {name} needs a "size" of 0 bytes or more, got {cut(size)}')
        logical, precision, scale = _logical(content, "fixed")
        if logical == "decimal" and 10**precision > 1 << max(8 * size - 1, 0):
            logical = None  # more digits than the bytes hold: Avro says to ignore the logical type
        found = Fixed(name, aliases, size, logical, precision, scale)
        self._define(found, path)
        return found

    def _naming(self, content: dict[str, Any], namespace: str, path: str) -> tuple[str, tuple[str, ...]]:
        name, own = content.get("name"), content.get("namespace", namespace)
        if not isinstance(name, str) or not isinstance(own, str):
            raise _wrong(path, f'a {content["type"]} needs a "name", a str, got {cut(name)} in {cut(own)}')
        full = name if "." in name or not own else f"{own}.{name}"
        for part in full.split("."):
            _name(part, path)
        inside = full.rpartition(".")[0]
        aliases = _names(content, "aliases", path)
        return full, tuple(a if "." in a or not inside else f"{inside}.{a}" for a in aliases)

    def _define(self, node: Named, path: str) -> None:
        if node.name in PRIMITIVES or node.name in self.named:
            raise _wrong(path, f"the name {node.name} is defined twice; mention it by its name the second time")
        self.named[node.name] = node


def _primitive(content: dict[str, Any], kind: str) -> Primitive:
    java_class = content.get("java-class")
    return Primitive(kind, *_logical(content, kind), java_class if isinstance(java_class, str) else None)


def _logical(content: dict[str, Any], kind: str) -> tuple[str | None, int, int]:
    logical = content.get("logicalType")
    if logical not in _LOGICAL.get(kind, ()):
        return None, 0, 0
    if logical != "decimal":
        return logical, 0, 0
    precision, scale = content.get("precision"), content.get("scale", 0)
    if type(precision) is not int or type(scale) is not int or not 0 <= scale <= precision or not 0 < precision < 10**5:
        return None, 0, 0  # Avro: a logical type that is wrong is ignored
    return logical, precision, scale


def _names(content: dict[str, Any], key: str, path: str) -> tuple[str, ...]:
    names = content.get(key, [] if key == "aliases" else None)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _wrong(path, f'"{key}" is a list of str, got {cut(names)}')
    return tuple(names)


def _name(name: Any, path: str) -> str:
    if not isinstance(name, str) or not _NAME.match(name):
        raise _wrong(path, f"a name is letters, digits and _, and does not start with a digit, got {cut(name)}")
    return name


def _wrong(path: str, text: str) -> ValidationError:
    return ValidationError(f"The Avro schema is not valid{f' at {path}' if path else ''}: {text}.")


def _check_size(named: dict[str, Named]) -> None:
    known: dict[int, int] = {}
    for node in named.values():
        if values_inside(node, known) > _MOST:
            raise ValidationError(
                f"The Avro schema is too large: the record {node.name} holds more than {_MOST:,} values."
            )


def _mark_recursive(named: dict[str, Named]) -> None:
    for node in named.values():
        if isinstance(node, Record):
            node.recursive = any(_reaches(field.node, node, set()) for field in node.fields)


def _reaches(node: Node, target: Record, seen: set[int]) -> bool:
    if node is target:
        return True
    if id(node) in seen:
        return False
    seen.add(id(node))
    match node:
        case Record(fields=fields):
            return any(_reaches(field.node, target, seen) for field in fields)
        case Array(inner) | Map(inner):
            return _reaches(inner, target, seen)
        case Union(branches):
            return any(_reaches(branch, target, seen) for branch in branches)
    return False
