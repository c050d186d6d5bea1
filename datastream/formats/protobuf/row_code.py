"""Generates functions from messages to rows and back, one pair a message type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from datastream.formats.avro.code import Code
from datastream.formats.avro.malformed import Malformed, malformed
from datastream.formats.avro.writing_values import fixed_up
from datastream.formats.protobuf.attributes import assignment, attribute
from datastream.formats.protobuf.row_types import is_map, is_timestamp, row_type, single_type
from datastream.time import Instant
from datastream.types import Row, RowKind, RowTypeInfo, TypeInformation, Types
from datastream.types.conversion import FLOAT_MAX

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor

_EARLIEST, _LATEST = -62_135_596_800, 253_402_300_799
_ENUM = 8
#: Type -> what is wrong with a value of the variable {v}.
_WRONG = {
    Types.INT(): "type({v}) is not int or not -0x80000000 <= {v} <= 0x7FFFFFFF",
    Types.LONG(): "type({v}) is not int or not -0x8000000000000000 <= {v} <= 0x7FFFFFFFFFFFFFFF",
    Types.BIG_INT(): "type({v}) is not int",
    Types.DOUBLE(): "type({v}) is not float",
    Types.FLOAT(): "type({v}) is not float or not -FLOAT_MAX <= {v} <= FLOAT_MAX",
    Types.BOOLEAN(): "type({v}) is not bool",
    Types.STRING(): "type({v}) is not str",
    Types.PRIMITIVE_ARRAY(Types.BYTE()): "type({v}) is not bytes",
}


def instant_of(message: Any) -> Instant:
    """The point in time of a google.protobuf.Timestamp."""
    seconds, nanos = message.seconds, message.nanos
    _check_range(seconds, nanos)
    return Instant(seconds, nanos)


def set_instant(message: Any, value: Instant) -> None:
    """Make a google.protobuf.Timestamp that point in time."""
    _check_range(value.seconds, value.nanos)
    message.seconds, message.nanos = value.seconds, value.nanos


def _check_range(seconds: int, nanos: int) -> None:
    if not _EARLIEST <= seconds <= _LATEST or not 0 <= nanos < 1_000_000_000:
        raise Malformed(f"{seconds} s and {nanos} ns are no google.protobuf.Timestamp: its years are 1 to 9999")


_SCOPE = {
    "FLOAT_MAX": FLOAT_MAX,
    "INSERT": RowKind.INSERT,
    "Instant": Instant,
    "Row": Row,
    "bad": malformed,
    "fixed_up": fixed_up,
    "instant_of": instant_of,
    "new": object.__new__,
    "set_instant": set_instant,
}


def row_reader(descriptor: Descriptor) -> Callable[[Any], Row]:
    """A function from a message to its row."""
    reader = _Reader()
    return reader.code.compiled(reader.function(descriptor), "Protobuf reader")


def row_writer(descriptor: Descriptor) -> Callable[[Any, Any], None]:
    """A function that fills an empty message with a row."""
    writer = _Writer()
    return writer.code.compiled(writer.function(descriptor), "Protobuf writer")


class _Reader:
    def __init__(self) -> None:
        self.code = Code(**_SCOPE)
        self._functions: dict[str, str] = {}

    def function(self, descriptor: Descriptor) -> str:
        """The name of the function of a message type."""
        if descriptor.full_name not in self._functions:
            name = self._functions[descriptor.full_name] = self.code.variable("read")
            with self.code.function(f"def {name}(m)"):
                values = [self._field(field) for field in descriptor.fields]
                line = self.code.line
                line("row = new(Row)")
                line(f"row._fields = {self.code.bind(tuple(field.name for field in descriptor.fields))}")
                line(f"row._values = [{', '.join(values)}]")
                line("row._row_kind = INSERT")
                line("return row")
        return self._functions[descriptor.full_name]

    def _field(self, field: FieldDescriptor) -> str:
        found = attribute("m", field.name)
        with self.code.inside(field.name):
            if is_map(field):
                return self._map(field, found)
            if field.is_repeated:
                return self._list(field, found)
            v = self.code.variable()
            if field.has_presence:
                self.code.line(f"{v} = {self._single(field, found)} if m.HasField({field.name!r}) else None")
            else:
                self.code.line(f"{v} = {self._single(field, found)}")
            self._check_enum(field, v, found)
        return v

    def _list(self, field: FieldDescriptor, found: str) -> str:
        v, item = self.code.variable(), self.code.variable()
        if field.message_type is None and field.cpp_type != _ENUM:
            self.code.line(f"{v} = list({found})")
            return v
        self.code.line(f"{v} = []")
        with self.code.block(f"for {item} in {found}"), self.code.inside((v, "")):
            made = self.code.variable()
            self.code.line(f"{made} = {self._single(field, item)}")
            self._check_enum(field, made, item)
            self.code.line(f"{v}.append({made})")
        return v

    def _map(self, field: FieldDescriptor, found: str) -> str:
        inner = field.message_type.fields_by_name["value"]
        v, key, item = self.code.variable(), self.code.variable(), self.code.variable()
        self.code.line(f"{v} = {{}}")
        with self.code.block(f"for {key}, {item} in {found}.items()"), self.code.inside((v, key)):
            made = self.code.variable()
            self.code.line(f"{made} = {self._single(inner, item)}")
            self._check_enum(inner, made, item)
            self.code.line(f"{v}[{key}] = {made}")
        return v

    def _single(self, field: FieldDescriptor, found: str) -> str:
        if is_timestamp(field):
            return f"instant_of({found})"
        if field.message_type is not None:
            return f"{self.function(field.message_type)}({found})"
        if field.cpp_type == _ENUM:
            names = {number: value.name for number, value in field.enum_type.values_by_number.items()}
            return f"{self.code.bind(names)}.get({found}, False)"
        return found

    def _check_enum(self, field: FieldDescriptor, v: str, found: str) -> None:
        if field.cpp_type == _ENUM:
            with self.code.block(f"if {v} is False"):
                self.code.line(f"bad(f'the enum {field.enum_type.full_name} has no value of number {{{found}}}')")


class _Writer:
    def __init__(self) -> None:
        self.code = Code(**_SCOPE)
        self._functions: dict[str, str] = {}

    def function(self, descriptor: Descriptor) -> str:
        """The name of the function of a message type."""
        if descriptor.full_name not in self._functions:
            name = self._functions[descriptor.full_name] = self.code.variable("write")
            kind = row_type(descriptor)
            with self.code.function(f"def {name}(m, v)"):
                self._unpack(descriptor, kind)
                for index, field in enumerate(descriptor.fields):
                    with self.code.inside(field.name):
                        self._field(field, f"x{index}")
                self.code.line("return None")
        return self._functions[descriptor.full_name]

    def _unpack(self, descriptor: Descriptor, kind: RowTypeInfo) -> None:
        names, count = self.code.bind(kind.field_names), len(kind.field_types)
        wrong = f"type(v) is not Row or len(v._values) != {count}"
        wrong += f" or (n := v._fields) is not {names} and n is not None and n != {names}"
        self._check(wrong, "v", kind)
        if count:
            self.code.line(f"{', '.join(f'x{i}' for i in range(count))}, = v._values")
        variables = {field.name: f"x{i}" for i, field in enumerate(descriptor.fields)}
        for oneof in descriptor.oneofs:
            if len(oneof.fields) > 1:
                members = [field.name for field in oneof.fields]
                given = " + ".join(f"({variables[name]} is not None)" for name in members)
                with self.code.block(f"if {given} > 1"):
                    self.code.line(f"bad('of the oneof {oneof.name} only one may be there: {', '.join(members)}')")

    def _field(self, field: FieldDescriptor, x: str) -> None:
        target = attribute("m", field.name)
        if is_map(field):
            self._map(field, x, target)
        elif field.is_repeated:
            self._list(field, x, target)
        elif field.has_presence:
            with self.code.block(f"if {x} is not None"):
                self._single(field, x, target)
        else:
            with self.code.block(f"if {x} is None"):
                self.code.line("bad('the field is never absent: write its zero value, or declare it optional')")
            self._single(field, x, target)

    def _single(self, field: FieldDescriptor, x: str, target: str) -> None:
        if field.message_type is not None:
            child = self.code.variable()
            self.code.line(f"{child} = {target}")
            self.code.line(f"{child}.SetInParent()")
            self._message(field, child, x)
        else:
            self.code.line(assignment(target, self._checked(field, x)))

    def _message(self, field: FieldDescriptor, target: str, x: str) -> None:
        if is_timestamp(field):
            self._check(f"type({x}) is not Instant", x, Types.INSTANT())
            self.code.line(f"set_instant({target}, {x})")
        else:
            self.code.line(f"{self.function(field.message_type)}({target}, {x})")

    def _checked(self, field: FieldDescriptor, x: str) -> str:
        """Code that checks a value; the expression of what protobuf takes."""
        kind = single_type(field)
        self._check(_WRONG[kind].format(v=x), x, kind)
        if field.cpp_type != _ENUM:
            return x
        numbers = {name: value.number for name, value in field.enum_type.values_by_name.items()}
        bound = self.code.bind(numbers)
        with self.code.block(f"if {x} not in {bound}"):
            self.code.line(f"bad(f'the enum {field.enum_type.full_name} has no value {{{x}!r}}')")
        return f"{bound}[{x}]"

    def _list(self, field: FieldDescriptor, x: str, target: str) -> None:
        self._check(f"type({x}) is not list", x, Types.LIST(Types.PICKLED_BYTE_ARRAY()))
        item, found = self.code.variable(), self.code.variable()
        self.code.line(f"{found} = {target}")
        with self.code.block(f"for {item} in {x}"), self.code.inside((x, item)):
            if field.message_type is not None:
                self._message(field, f"{found}.add()", item)
            else:
                self.code.line(f"{found}.append({self._checked(field, item)})")

    def _map(self, field: FieldDescriptor, x: str, target: str) -> None:
        entry = field.message_type.fields_by_name
        self._check(f"type({x}) is not dict", x, Types.MAP(Types.PICKLED_BYTE_ARRAY(), Types.PICKLED_BYTE_ARRAY()))
        key, item, found = self.code.variable(), self.code.variable(), self.code.variable()
        self.code.line(f"{found} = {target}")
        with self.code.block(f"for {key}, {item} in {x}.items()"), self.code.inside((x, key)):
            k = self._checked(entry["key"], key)
            if entry["value"].message_type is not None:
                self._message(entry["value"], f"{found}[{k}]", item)
            else:
                self.code.line(f"{found}[{k}] = {self._checked(entry['value'], item)}")

    def _check(self, wrong: str, v: str, kind: TypeInformation) -> None:
        with self.code.block(f"if {wrong}"):
            self.code.line(f"{v} = fixed_up({v}, {self.code.bind(kind, 't')})")
