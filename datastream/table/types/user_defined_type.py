"""Types that users define: objects of a class, kept as values of a type of SQL."""

from __future__ import annotations

from typing import Any

from datastream.table.types.logical_types import ArrayType, DataType, MapType, MultisetType, is_nullable
from datastream.table.types.row_type import RowField, RowType
from datastream.types import TypeInformation


class UserDefinedType(DataType):
    """Objects of a class of a user. In a table they are values of `sql_type`.

    A subclass defines `sql_type`, `serialize` and `deserialize`. A class names its type by an attribute `__UDT__`,
    which `from_elements` reads where no schema is given.
    """

    @classmethod
    def type_name(cls) -> str:
        """Return the class's name in lower case."""
        return cls.__name__.lower()

    @classmethod
    def sql_type(cls) -> DataType:
        """Return the type of the values that stand in a table."""
        raise NotImplementedError("UDT must implement sql_type().")

    @classmethod
    def module(cls) -> str:
        """Return the module of the type."""
        raise NotImplementedError("UDT must implement module().")

    @classmethod
    def java_udt(cls) -> str:
        """Return the name of the class of Java that belongs to it. Has no effect."""
        return ""

    def serialize(self, obj: Any) -> Any:
        """Return the value of `sql_type` for an object."""
        raise NotImplementedError("UDT must implement serialize().")

    def deserialize(self, datum: Any) -> Any:
        """Return the object of a value of `sql_type`."""
        raise NotImplementedError("UDT must implement deserialize().")

    def to_type_info(self) -> TypeInformation:
        return stored(self).to_type_info()

    def _converts(self) -> bool:
        return True

    def _to_sql(self, value: Any) -> Any:
        return self.sql_type().to_sql_type(self.serialize(value))

    def _from_sql(self, value: Any) -> Any:
        return self.deserialize(self.sql_type().from_sql_type(value))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


def stored(kind: DataType) -> DataType:
    """The type with those that stand in a table in place of users' own."""
    nullable = is_nullable(kind)
    match kind:
        case UserDefinedType():
            return stored(kind.sql_type()).nullable()
        case ArrayType(element_type=element):
            return ArrayType(stored(element), nullable)
        case MultisetType(element_type=element):
            return MultisetType(stored(element), nullable)
        case MapType(key_type=key, value_type=value):
            return MapType(stored(key), stored(value), nullable)
        case RowType(fields=fields):
            made = [RowField(each.name, stored(each.data_type), each.description) for each in fields]
            return RowType(made, nullable)
    return kind
