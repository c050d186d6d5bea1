"""Generates the writer of a schema: one function that turns a block of rows or dicts into messages.

Every value is checked by its exact class in passing; what is not of it goes the careful way of
`datastream.types.conversion`. It writes twice as fast as fastavro's compiled writer, which checks less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from datastream.formats.avro.choosing import choices, may_be_null, named_choices
from datastream.formats.avro.code import bounded
from datastream.formats.avro.defaults import default_bytes
from datastream.formats.avro.kinds import Kind, NaturalTypes, element_kind, field_kinds, is_pickle, passed
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
    is_null,
    most_items,
    name_of,
)
from datastream.formats.avro.reading import message_reader
from datastream.formats.avro.resolution import describes
from datastream.formats.avro.varints import varint
from datastream.formats.avro.writing_leaves import LeafWriter
from datastream.types import (
    MapTypeInfo,
    PickledBytesTypeInfo,
    RowTypeInfo,
    TupleTypeInfo,
    TypeInformation,
    Types,
)

#: write(values, head): the bytes of each value, with `head` before them.
WriteMessages = Callable[[Sequence[Any], bytes], list[bytes]]


def message_writer(node: Node, kind: TypeInformation | None) -> WriteMessages:
    """The writer of a schema's values.

    Args:
        node: The schema.
        kind: The type of the values; None: generic values.
    """
    compiler = _Compiler()
    code = compiler.code
    with bounded(), code.function("def write(values, head)"):
        code.line("out = []")
        code.line("append = out.append")
        with code.block("for v in values"):
            parts = compiler.value(node, kind, "v")
            code.line(f"append({_joined(['head', *parts])})")
        code.line("return out")
    return code.compiled("write", "Avro writer")


def _joined(parts: list[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    return f"b''.join(({', '.join(parts)}))" if parts else "b''"


class _Compiler(LeafWriter):
    """The code checks the value in a variable; the expressions that it gives are its bytes, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self._functions: dict[tuple[int, bool], str] = {}
        self._natural = NaturalTypes()
        self._kept: list[Node] = []

    def value(self, node: Node, kind: Kind, v: str) -> list[str]:
        """Code for a value of a type; the expressions of its bytes."""
        if isinstance(node, Union):
            return self._union(node, kind, v)
        if isinstance(kind, PickledBytesTypeInfo) and not is_pickle(node):
            kind = self._natural.of(node)
        outlined = isinstance(node, Record) and (node.recursive or node.uses > 1)
        if describes(node) and (outlined or self.code.deep()):
            part = self.code.variable("p")
            self.code.line(f"{part} = {self._function(node, kind)}({v})")
            return [part]
        return self._inline(node, kind, v)

    def _function(self, node: Node, kind: Kind) -> str:
        key = (id(node), kind is None)
        if key not in self._functions:
            name = self._functions[key] = self.code.variable("f")
            self._kept.append(node)
            with self.code.function(f"def {name}(v)"):
                self.code.line(f"return {_joined(self._inline(node, kind, 'v'))}")
        return self._functions[key]

    def _inline(self, node: Node, kind: Kind, v: str) -> list[str]:
        match node:
            case Array():
                return self._array(node, kind, v)
            case Map():
                return self._map(node, kind, v)
            case Record():
                return self._record(node, kind, v)
            case Enumeration():
                return self.enumeration(node, v)
            case Fixed():
                return self.fixed(node, v)
            case Primitive():
                return self.primitive(node, kind, v)
        raise AssertionError(node)

    # -- values made of values ------------------------------------------------------------------------

    def _union(self, node: Union, kind: Kind, v: str) -> list[str]:
        other = node.nullable()
        if len(node.branches) == 1:
            return ["b'\\0'", *self.value(node.branches[0], kind, v)]
        part = self.code.variable("p")
        if other is not None:
            null = 0 if is_null(node.branches[0]) else 1
            with self.code.block(f"if {v} is None"):
                self.code.line(f"{part} = {varint(null)!r}")
            with self.code.block("else"):
                self.code.line(f"{part} = {_joined([repr(varint(1 - null)), *self.value(other, kind, v)])}")
            return [part]
        self._choice(node, kind, v)
        for index, branch in enumerate(node.branches):
            with self.code.block(f"{'el' if index else ''}if k == {index}"):
                inner = kind if kind is None or is_null(branch) else Types.PICKLED_BYTE_ARRAY()
                parts = self.value(branch, Types.VOID() if is_null(branch) else inner, v)
                self.code.line(f"{part} = {_joined([repr(varint(index)), *parts])}")
        return [part]

    def _choice(self, node: Union, kind: Kind, v: str) -> None:
        line, block = self.code.line, self.code.block
        word = "if"
        names = dict(named_choices(node))
        if names:
            with block(f"if type({v}) is tuple and len({v}) == 2 and {v}[0] in {self.code.bind(frozenset(names))}"):
                line(f"k = {self.code.bind(names)}[{v}[0]]")
                line(f"{v} = {v}[1]")
            word = "elif"
        for test, index in choices(self.code, node, kind, v):
            with block(f"{word} {test}"):
                line(f"k = {index}")
            word = "elif"
        with block("else"):
            line(f"bad(f'expected one of {name_of(node)}, found {{type({v}).__name__}} {{cut({v})}}')")

    def _array(self, node: Array, kind: Kind, v: str) -> list[str]:
        if isinstance(kind, MapTypeInfo):
            return self._entries(node, kind, v)
        found, item = self.code.variable("l"), self.code.variable()
        self._check_container(v, "list", kind)
        self._check_count(node.items, v)
        self.code.line(f"{found} = []")
        with self.code.block(f"for {item} in {v}"), self.code.inside((v, item)):
            self._append(found, self.value(node.items, element_kind(kind), item))
        return self._block_of(found, v)

    def _entries(self, node: Array, kind: MapTypeInfo, v: str) -> list[str]:
        found, key, item = self.code.variable("l"), self.code.variable(), self.code.variable()
        assert isinstance(node.items, Record)
        self._check_container(v, "dict", kind)
        self._check_count(node.items, v)
        self.code.line(f"{found} = []")
        key_field, value_field = node.items.fields
        with self.code.block(f"for {key}, {item} in {v}.items()"), self.code.inside((v, key)):
            parts = self.value(key_field.node, kind.key_type, key)
            self._append(found, parts + self.value(value_field.node, kind.value_type, item))
        return self._block_of(found, v)

    def _map(self, node: Map, kind: Kind, v: str) -> list[str]:
        found, key, item = self.code.variable("l"), self.code.variable(), self.code.variable()
        self._check_container(v, "dict", kind)
        self.code.line(f"{found} = []")
        inner = kind.value_type if isinstance(kind, MapTypeInfo) else passed(kind)
        with self.code.block(f"for {key}, {item} in {v}.items()"), self.code.inside((v, key)):
            self.check(f"type({key}) is not str", key, Types.STRING())
            parts = self.with_length(f"{key}.encode()")
            self._append(found, parts + self.value(node.values, inner, item))
        return self._block_of(found, v)

    def _check_container(self, v: str, name: str, kind: Kind) -> None:
        if kind is None:
            with self.code.block(f"if type({v}) is not {name}"):
                self.code.line(f"{v} = {name}_of({v})")
        else:
            self.check(f"type({v}) is not {name}", v, kind)

    def _check_count(self, items: Node, v: str) -> None:
        most = most_items(items)
        if most is not None:
            with self.code.block(f"if len({v}) > {most}"):
                self.code.line(f"bad(f'{{len({v})}} items without bytes, of which readers take at most {most}')")

    def _append(self, found: str, parts: list[str]) -> None:
        if len(parts) == 1:
            self.code.line(f"{found}.append({parts[0]})")
        elif parts:
            self.code.line(f"{found} += ({', '.join(parts)})")

    def _block_of(self, found: str, v: str) -> list[str]:
        part = self.code.variable("p")
        self.code.line(f"{part} = varint(len({v})) + b''.join({found}) + b'\\0' if {v} else b'\\0'")
        return [part]

    def _record(self, node: Record, kind: Kind, v: str) -> list[str]:
        fields = [self.code.variable() for _ in node.fields]
        kinds = field_kinds(kind, len(fields))
        if not isinstance(kind, (RowTypeInfo, TupleTypeInfo)):
            self._check_dict(node, v)
        else:
            self._unpack(kind, fields, v)
        parts: list[str] = []
        for field, inner, variable in zip(node.fields, kinds, fields, strict=True):
            with self.code.inside(field.name):
                if kind is None:
                    self.code.line(f"{variable} = {v}[{field.name!r}]")
                parts += self.value(field.node, inner, variable)
        return parts

    def _unpack(self, kind: RowTypeInfo | TupleTypeInfo, fields: list[str], v: str) -> None:
        count = len(fields)
        values = v
        if isinstance(kind, TupleTypeInfo):
            self.check(f"type({v}) is not tuple or len({v}) != {count}", v, kind)
        else:
            values = f"{v}._values"
            wrong = f"type({v}) is not Row or len({values}) != {count}"
            names = self.code.bind(kind.field_names)
            wrong += f" or (n := {v}._fields) is not {names} and n is not None and n != {names}"
            self.check(wrong, v, kind)
        if fields:
            self.code.line(f"{', '.join(fields)}, = {values}")

    def _check_dict(self, node: Record, v: str) -> None:
        defaults: dict[str, Callable[[], Any]] = {}
        for field in node.fields:
            if field.default is not NO_DEFAULT:
                data = default_bytes(field.node, field.default)
                value = message_reader(field.node, field.node, None)((data,), 0)[0]
                defaults[field.name] = partial(deepcopy, value)
            elif may_be_null(field.node):
                defaults[field.name] = lambda: None
        wanted, ready = self.code.bind(node), self.code.bind(defaults)
        with self.code.block(f"if type({v}) is not dict or len({v}) != {len(node.fields)}"):
            self.code.line(f"{v} = complete({v}, {wanted}, {ready})")
