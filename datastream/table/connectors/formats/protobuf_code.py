"""Generates functions from Protobuf messages to tuples of columns, and back.

Absent fields and NULL are as in Flink: a field that is absent is NULL, and so is an empty list or map. In proto3 a
single value that is no message is never absent: it has its zero value. NULL is an absent field; within a list or map it
is the zero value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from datastream.codegen import SourceText
from datastream.formats.protobuf.attributes import assignment, attribute
from datastream.table.types.logical_types import ArrayType, DataType, IntType, MapType, is_nullable
from datastream.table.types.row_type import RowType

from .format import WrongValue
from .protobuf_fields import BYTES, ENUM

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor

_UINT32, _UINT64 = 3, 4
#: By FieldDescriptor.cpp_type: the zero value.
_ZERO: dict[int, Any] = {1: 0, 2: 0, 3: 0, 4: 0, 5: 0.0, 6: 0.0, 7: False}
#: What Java has for the name of a number that an enum has not.
_UNRECOGNIZED = "UNRECOGNIZED"


def message_reader(descriptor: Descriptor, kind: RowType, defaults: bool) -> Callable[[Any], tuple[Any, ...]]:
    """A function: a message -> the values of columns as they are inside.

    Args:
        descriptor: Of the messages.
        kind: The columns; they fit.
        defaults: Whether absent fields have their defaults.
    """
    reader = _Reader(defaults)
    return reader.code.compiled(reader.function(descriptor, kind, ""), "Protobuf reader")


def message_writer(descriptor: Descriptor, kind: RowType, null: str) -> Callable[[Any, tuple[Any, ...]], None]:
    """A function: (empty message, values of columns as they are inside): fills the message.

    Args:
        descriptor: Of the messages.
        kind: The columns; they fit.
        null: Stands for NULL among strings.
    """
    writer = _Writer(null)
    return writer.code.compiled(writer.function(descriptor, kind, ""), "Protobuf writer")


class _Reader:
    def __init__(self, defaults: bool) -> None:
        self.code = SourceText(absent=_absent)
        self._defaults = defaults

    def function(self, descriptor: Descriptor, kind: RowType, path: str) -> str:
        """The name of the function of the messages of some rows."""
        name = self.code.variable("read")
        values = [
            self._field(descriptor.fields_by_name[each.name], each.data_type, f"{path}{each.name}") for each in kind
        ]
        with self.code.function(f"def {name}(m)"):
            self.code.line(f"return ({', '.join(values)}{',' if len(values) == 1 else ''})")
        return name

    def _field(self, field: FieldDescriptor, kind: DataType, path: str) -> str:
        found = attribute("m", field.name)
        if isinstance(kind, MapType):
            key, value = (field.message_type.fields_by_name[name] for name in ("key", "value"))
            made = f"{self._one(key, kind.key_type, 'k', path)}: {self._one(value, kind.value_type, 'v', path)}"
            read, is_there = f"{{{made} for k, v in {found}.items()}}", found
        elif isinstance(kind, ArrayType):
            one = self._one(field, kind.element_type, "v", path)
            read = f"tuple({found})" if one == "v" else f"tuple([{one} for v in {found}])"
            is_there = found
        else:
            read, is_there = self._one(field, kind, found, path), f"m.HasField({field.name!r})"
            if not field.has_presence or (field.message_type is None and _is_proto3(field)):
                return read
        if self._defaults:
            return read
        missing = "None" if is_nullable(kind) else f"absent({path!r})"
        return f"({read} if {is_there} else {missing})"

    def _one(self, field: FieldDescriptor, kind: DataType, found: str, path: str) -> str:
        """The expression of one value, of an expression."""
        if isinstance(kind, RowType):
            return f"{self.function(field.message_type, kind, f'{path}.')}({found})"
        if field.cpp_type == ENUM and not isinstance(kind, IntType):
            names = {number: value.name for number, value in field.enum_type.values_by_number.items()}
            return f"{self.code.bind(names)}.get({found}, {_UNRECOGNIZED!r})"
        if field.cpp_type in (_UINT32, _UINT64):
            half = 1 << (31 if field.cpp_type == _UINT32 else 63)
            return f"(({found} ^ {half}) - {half})"
        return found


class _Writer:
    def __init__(self, null: str) -> None:
        self.code = SourceText(wrong=_wrong)
        self._null = null

    def function(self, descriptor: Descriptor, kind: RowType, path: str) -> str:
        """The name of the function that fills the messages of some rows."""
        name = self.code.variable("write")
        with self.code.function(f"def {name}(m, r)"):
            for place, each in enumerate(kind):
                self.code.line(f"x = r[{place}]")
                with self.code.block("if x is not None"):
                    self._field(descriptor.fields_by_name[each.name], each.data_type, f"{path}{each.name}")
            self.code.line("return None")
        return name

    def _field(self, field: FieldDescriptor, kind: DataType, path: str) -> None:
        target = attribute("m", field.name)
        with self.code.block("try"):
            if isinstance(kind, MapType):
                self._map(field, kind, target, path)
            elif isinstance(kind, ArrayType):
                self._list(field, kind, target, path)
            elif isinstance(kind, RowType):
                self.code.lines(f"{target}.SetInParent()", f"{self._fill(field, kind, path)}({target}, x)")
            else:
                self.code.line(assignment(target, self._one(field, kind, "x")))
        with self.code.block("except Exception as error"):
            self.code.line(f"wrong(error, {path!r}, x)")

    def _list(self, field: FieldDescriptor, kind: ArrayType, target: str, path: str) -> None:
        if isinstance(kind.element_type, RowType):
            fill = self._fill(field, kind.element_type, path)
            with self.code.block("for v in x"):
                self.code.line(f"e = {target}.add()")
                with self.code.block("if v is not None"):
                    self.code.line(f"{fill}(e, v)")
        else:
            self.code.line(f"{target}.extend([{self._element(field, kind.element_type, 'v')} for v in x])")

    def _map(self, field: FieldDescriptor, kind: MapType, target: str, path: str) -> None:
        entry = field.message_type.fields_by_name
        key, value = self._element(entry["key"], kind.key_type, "k"), entry["value"]
        if isinstance(kind.value_type, RowType):
            fill = self._fill(value, kind.value_type, path)
            with self.code.block("for k, v in x.items()"):
                self.code.line(f"e = {target}[{key}]")
                with self.code.block("if v is not None"):
                    self.code.line(f"{fill}(e, v)")
        else:
            with self.code.block("for k, v in x.items()"):
                self.code.line(f"{target}[{key}] = {self._element(value, kind.value_type, 'v')}")

    def _fill(self, field: FieldDescriptor, kind: RowType, path: str) -> str:
        return self.function(field.message_type, kind, f"{path}.")

    def _element(self, field: FieldDescriptor, kind: DataType, value: str) -> str:
        """The expression of a value within a list or map, where NULL is the zero value."""
        if field.cpp_type == ENUM:
            zero = field.enum_type.values[0].number
        else:
            zero = b"" if field.type == BYTES else _ZERO.get(field.cpp_type, self._null)
        return f"({self._one(field, kind, value)} if {value} is not None else {zero!r})"

    def _one(self, field: FieldDescriptor, kind: DataType, value: str) -> str:
        if field.cpp_type == ENUM:
            values = field.enum_type.values
            known = {(each.number if isinstance(kind, IntType) else each.name): each.number for each in values}
            return f"{self.code.bind(_Numbers(field.enum_type.full_name, known))}[{value}]"
        if field.cpp_type in (_UINT32, _UINT64):
            return f"({value} & {(1 << (32 if field.cpp_type == _UINT32 else 64)) - 1})"
        return value


class _Numbers(dict[Any, int]):
    """The numbers of the values of an enum, by their names or by themselves."""

    def __init__(self, name: str, known: dict[Any, int]) -> None:
        super().__init__(known)
        self._name = name

    def __missing__(self, value: Any) -> int:
        raise ValueError(f"the enum {self._name} has no value {value!r}")


def _is_proto3(field: FieldDescriptor) -> bool:
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    file = FileDescriptorProto()
    field.file.CopyToProto(file)
    return bool(file.syntax == "proto3")


def _absent(path: str) -> Any:
    raise WrongValue("it is NOT NULL, and the message has no such field", path, None)


def _wrong(error: Exception, path: str, value: Any) -> None:
    if isinstance(error, WrongValue):
        raise error
    raise WrongValue(str(error), path, value) from error
