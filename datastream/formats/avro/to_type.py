"""The row type of an Avro schema, as Flink's AvroSchemaConverter derives it."""

from __future__ import annotations

from datastream.errors import ValidationError
from datastream.formats.avro.code import bounded
from datastream.formats.avro.nodes import (
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
from datastream.formats.avro.schema import AvroSchema
from datastream.types import RowTypeInfo, TypeInformation, Types

#: Types that a derived type may hold: records that hold each other twice grow without bound.
_MOST = 20_000

_PLAIN = {
    "null": Types.VOID(),
    "boolean": Types.BOOLEAN(),
    "int": Types.INT(),
    "long": Types.LONG(),
    "float": Types.FLOAT(),
    "double": Types.DOUBLE(),
    "bytes": Types.PRIMITIVE_ARRAY(Types.BYTE()),
    "string": Types.STRING(),
}
_LOGICAL = {
    "date": Types.SQL_DATE(),
    "time-millis": Types.SQL_TIME(),
    "time-micros": Types.SQL_TIME(),
    "timestamp-millis": Types.SQL_TIMESTAMP(),
    "timestamp-micros": Types.SQL_TIMESTAMP(),
    "timestamp-nanos": Types.INSTANT(),
    "local-timestamp-millis": Types.LOCAL_DATE_TIME(),
    "local-timestamp-micros": Types.LOCAL_DATE_TIME(),
    "decimal": Types.BIG_DEC(),
    "uuid": Types.STRING(),
    "python-pickle": Types.PICKLED_BYTE_ARRAY(),
}
BIG_INTEGER = "java.math.BigInteger"


def to_row_type(schema: AvroSchema) -> RowTypeInfo:
    """The type of the rows of a schema whose top is a record.

    A union with null has the type of the other branch, as any field may be None. Unions of more than one other type,
    and a record inside itself, have the type PICKLED_BYTE_ARRAY: any value of theirs, rows for records.

    Raises:
        ValidationError: the top is no record, or the type would be too large.
    """
    node = schema.node
    if not isinstance(node, Record):
        raise ValidationError(f"Rows need an Avro schema whose top is a record, got {name_of(node)}.")
    found = natural_type(node)
    assert isinstance(found, RowTypeInfo)
    return found


def natural_type(node: Node) -> TypeInformation:
    """The type of a node's values in rows; see `to_row_type`."""
    with bounded():
        return _Types().of(node, ())


class _Types:
    def __init__(self) -> None:
        self._left = _MOST

    def of(self, node: Node, inside: tuple[Record, ...]) -> TypeInformation:
        self._left -= 1
        if self._left < 0:
            raise ValidationError(
                f"The Avro schema's row type would hold more than {_MOST:,} types: use generic records instead."
            )
        match node:
            case Primitive(kind, logical, java_class=java_class):
                if java_class == BIG_INTEGER and kind == "string":
                    return Types.BIG_INT()
                return _PLAIN[kind] if logical is None else _LOGICAL[logical]
            case Fixed(logical=logical):
                return Types.BIG_DEC() if logical else Types.PRIMITIVE_ARRAY(Types.BYTE())
            case Enumeration():
                return Types.STRING()
            case Array(items):
                return Types.OBJECT_ARRAY(self.of(items, inside))
            case Map(values):
                return Types.MAP(Types.STRING(), self.of(values, inside))
            case Union(branches):
                only = branches[0] if len(branches) == 1 else node.nullable()
                return self.of(only, inside) if only is not None else Types.PICKLED_BYTE_ARRAY()
            case Record(fields=fields):
                if any(node is outer for outer in inside):
                    return Types.PICKLED_BYTE_ARRAY()
                deeper = (*inside, node)
                return Types.ROW_NAMED([f.name for f in fields], [self.of(f.node, deeper) for f in fields])
        raise AssertionError(node)
