"""Types of records: `Types` and `TypeInformation`, and the `Row` with its `RowKind`.

Names and meanings are those of `pyflink.common.typeinfo` and `pyflink.common.types`.
"""

from datastream.types.arrays import BasicArrayTypeInfo, ObjectArrayTypeInfo, PrimitiveArrayTypeInfo
from datastream.types.basic import BasicType, BasicTypeInfo, DecimalTypeInfo
from datastream.types.factories import Types
from datastream.types.list_and_map import ListTypeInfo, MapTypeInfo
from datastream.types.pickled import PickledBytesTypeInfo
from datastream.types.row import Row
from datastream.types.row_kind import RowKind
from datastream.types.row_type import RowTypeInfo
from datastream.types.serializers import PickleSerializer, TypeSerializer
from datastream.types.sql_time import DateTypeInfo, LocalTimeKind, LocalTimeTypeInfo, TimestampTypeInfo, TimeTypeInfo
from datastream.types.tuple_type import TupleTypeInfo
from datastream.types.type_information import TypeInformation

__all__ = [
    "BasicArrayTypeInfo",
    "BasicType",
    "BasicTypeInfo",
    "DateTypeInfo",
    "DecimalTypeInfo",
    "ListTypeInfo",
    "LocalTimeKind",
    "LocalTimeTypeInfo",
    "MapTypeInfo",
    "ObjectArrayTypeInfo",
    "PickleSerializer",
    "PickledBytesTypeInfo",
    "PrimitiveArrayTypeInfo",
    "Row",
    "RowKind",
    "RowTypeInfo",
    "TimeTypeInfo",
    "TimestampTypeInfo",
    "TupleTypeInfo",
    "TypeInformation",
    "TypeSerializer",
    "Types",
]
