"""`Types`: where users get type information from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.old_names import warn_of_old
from datastream.types.arrays import BasicArrayTypeInfo, ObjectArrayTypeInfo, PrimitiveArrayTypeInfo
from datastream.types.basic import BasicType, BasicTypeInfo
from datastream.types.list_and_map import ListTypeInfo, MapTypeInfo
from datastream.types.pickled import PickledBytesTypeInfo
from datastream.types.row_type import RowTypeInfo
from datastream.types.sql_time import DateTypeInfo, LocalTimeKind, LocalTimeTypeInfo, TimestampTypeInfo, TimeTypeInfo
from datastream.types.tuple_type import TupleTypeInfo
from datastream.types.type_information import TypeInformation


class _ByOtherCase(type):
    """Finds a name in other letters, such as ``String``, as the first drafts of the API wrote it."""

    def __getattr__(cls, name: str) -> Any:
        upper = name.upper()
        if upper == name or name.startswith("_") or upper not in cls.__dict__:
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}", name=name, obj=cls)
        warn_of_old(f"{cls.__name__}.{name}", f"{cls.__name__}.{upper}")
        return getattr(cls, upper)


class Types(metaclass=_ByOtherCase):
    """Creates the type information of every supported type, named as in PyFlink."""

    @staticmethod
    def STRING() -> TypeInformation:
        """Type of a str."""
        return BasicTypeInfo(BasicType.STRING)

    @staticmethod
    def BYTE() -> TypeInformation:
        """Type of an int of 8 bits, signed."""
        return BasicTypeInfo(BasicType.BYTE)

    @staticmethod
    def BOOLEAN() -> TypeInformation:
        """Type of a bool."""
        return BasicTypeInfo(BasicType.BOOLEAN)

    @staticmethod
    def SHORT() -> TypeInformation:
        """Type of an int of 16 bits, signed."""
        return BasicTypeInfo(BasicType.SHORT)

    @staticmethod
    def INT() -> TypeInformation:
        """Type of an int of 32 bits, signed."""
        return BasicTypeInfo(BasicType.INT)

    @staticmethod
    def LONG() -> TypeInformation:
        """Type of an int of 64 bits, signed."""
        return BasicTypeInfo(BasicType.LONG)

    @staticmethod
    def FLOAT() -> TypeInformation:
        """Type of a float of 32 bits."""
        return BasicTypeInfo(BasicType.FLOAT)

    @staticmethod
    def DOUBLE() -> TypeInformation:
        """Type of a float of 64 bits."""
        return BasicTypeInfo(BasicType.DOUBLE)

    @staticmethod
    def CHAR() -> TypeInformation:
        """Type of a str of one character."""
        return BasicTypeInfo(BasicType.CHAR)

    @staticmethod
    def BIG_INT() -> TypeInformation:
        """Type of an int of any size."""
        return BasicTypeInfo(BasicType.BIG_INT)

    @staticmethod
    def BIG_DEC() -> TypeInformation:
        """Type of a `decimal.Decimal`."""
        return BasicTypeInfo(BasicType.BIG_DEC)

    @staticmethod
    def INSTANT() -> TypeInformation:
        """Type of an `Instant`."""
        return BasicTypeInfo(BasicType.INSTANT)

    @staticmethod
    def SQL_DATE() -> TypeInformation:
        """Type of a `datetime.date`."""
        return DateTypeInfo()

    @staticmethod
    def SQL_TIME() -> TypeInformation:
        """Type of a `datetime.time`."""
        return TimeTypeInfo()

    @staticmethod
    def SQL_TIMESTAMP() -> TypeInformation:
        """Type of a `datetime.datetime`."""
        return TimestampTypeInfo()

    @staticmethod
    def LOCAL_DATE() -> TypeInformation:
        """Type of a `datetime.date` (FLIP-130; not in PyFlink)."""
        return LocalTimeTypeInfo(LocalTimeKind.LOCAL_DATE)

    @staticmethod
    def LOCAL_TIME() -> TypeInformation:
        """Type of a `datetime.time` without a time zone (FLIP-130; not in PyFlink)."""
        return LocalTimeTypeInfo(LocalTimeKind.LOCAL_TIME)

    @staticmethod
    def LOCAL_DATE_TIME() -> TypeInformation:
        """Type of a `datetime.datetime` without a time zone (FLIP-130; not in PyFlink)."""
        return LocalTimeTypeInfo(LocalTimeKind.LOCAL_DATE_TIME)

    @staticmethod
    def VOID() -> TypeInformation:
        """Type of None (FLIP-130; not in PyFlink)."""
        return BasicTypeInfo(BasicType.VOID)

    @staticmethod
    def PICKLED_BYTE_ARRAY() -> TypeInformation:
        """Type of any Python object that pickle can write."""
        return PickledBytesTypeInfo()

    @staticmethod
    def ROW(field_types: Sequence[TypeInformation]) -> RowTypeInfo:
        """Type of a `Row` with fields of these types, without names."""
        return RowTypeInfo(field_types)

    @staticmethod
    def ROW_NAMED(field_names: Sequence[str], field_types: Sequence[TypeInformation]) -> RowTypeInfo:
        """Type of a `Row` with fields of these names and types."""
        return RowTypeInfo(field_types, field_names)

    @staticmethod
    def TUPLE(field_types: Sequence[TypeInformation]) -> TupleTypeInfo:
        """Type of a tuple with fields of these types."""
        return TupleTypeInfo(field_types)

    @staticmethod
    def PRIMITIVE_ARRAY(element_type: TypeInformation) -> TypeInformation:
        """Type of an array of numbers, booleans or characters without None.

        Raises:
            TypeMismatch: The element type is not a primitive one.
        """
        return PrimitiveArrayTypeInfo(element_type)

    @staticmethod
    def BASIC_ARRAY(element_type: TypeInformation) -> TypeInformation:
        """Type of an array of numbers, booleans, characters or strings that may be None.

        Raises:
            TypeMismatch: The element type is not a basic one.
        """
        return BasicArrayTypeInfo(element_type)

    @staticmethod
    def OBJECT_ARRAY(element_type: TypeInformation) -> TypeInformation:
        """Type of an array of values of any type."""
        return ObjectArrayTypeInfo(element_type)

    @staticmethod
    def MAP(key_type_info: TypeInformation, value_type_info: TypeInformation) -> TypeInformation:
        """Type of a dict."""
        return MapTypeInfo(key_type_info, value_type_info)

    @staticmethod
    def LIST(element_type_info: TypeInformation) -> TypeInformation:
        """Type of a list."""
        return ListTypeInfo(element_type_info)

    @staticmethod
    def from_hint(annotation: Any) -> TypeInformation:
        """Type of the values that a Python annotation allows. An addition to PyFlink's names.

        int is LONG, float DOUBLE, bytes an array of bytes, datetime SQL_TIMESTAMP; list[T], dict[K, V] and
        tuple[A, B] are LIST, MAP and TUPLE; X | None is X, since fields and elements may be None;
        Annotated[T, Types.INT()] is what it says. What is wider than one type, and every class whose objects
        are no plain values (dataclasses, named tuples, enums), is PICKLED_BYTE_ARRAY: see `row_of`.

        Raises:
            ValidationError: The annotation holds a name, as a string, that is not a built-in one.
        """
        from datastream.types.hints import type_of_hint

        return type_of_hint(annotation)

    @staticmethod
    def row_of(cls: type) -> RowTypeInfo:
        """Type of a `Row` with the fields of a dataclass, NamedTuple or TypedDict; of such fields too.

        It is a type of rows, not of the objects of the class. An addition to PyFlink's names.

        Raises:
            ValidationError: The class is of another kind, or holds itself.
        """
        from datastream.types.hints import row_of_class

        return row_of_class(cls)
