"""Types of columns of databases, as types of SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from datastream.errors import UnsupportedOperation
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType

_MOST_DIGITS = 38


class ColumnOfDatabase(NamedTuple):
    """A column, as ``information_schema`` has it.

    Attributes:
        name: Its name.
        kind: Its type: PostgreSQL's own name, MySQL's with size and sign.
        nullable: Whether it may be NULL.
        length: Characters at most.
        digits: Of a number.
        scale: Digits after the point.
        fraction: Digits of seconds.
    """

    name: str
    kind: str
    nullable: bool
    length: int | None = None
    digits: int | None = None
    scale: int | None = None
    fraction: int | None = None


Made = Callable[[ColumnOfDatabase], DataType]


def _decimal(column: ColumnOfDatabase) -> DataType:
    if column.digits is None:
        return DataTypes.DECIMAL(_MOST_DIGITS, 18, column.nullable)
    return DataTypes.DECIMAL(column.digits, column.scale or 0, column.nullable)


def _text(column: ColumnOfDatabase) -> DataType:
    return DataTypes.STRING(column.nullable)


def _varchar(column: ColumnOfDatabase) -> DataType:
    return _text(column) if column.length is None else DataTypes.VARCHAR(column.length, column.nullable)


def _char(column: ColumnOfDatabase) -> DataType:
    return DataTypes.CHAR(column.length or 1, column.nullable)


def _seconds(column: ColumnOfDatabase) -> int:
    return 6 if column.fraction is None else column.fraction


_POSTGRES: dict[str, Made] = {
    "bool": lambda column: DataTypes.BOOLEAN(column.nullable),
    "bytea": lambda column: DataTypes.BYTES(column.nullable),
    "int2": lambda column: DataTypes.SMALLINT(column.nullable),
    "int4": lambda column: DataTypes.INT(column.nullable),
    "int8": lambda column: DataTypes.BIGINT(column.nullable),
    "float4": lambda column: DataTypes.FLOAT(column.nullable),
    "float8": lambda column: DataTypes.DOUBLE(column.nullable),
    "numeric": _decimal,
    "bpchar": _char,
    "varchar": _varchar,
    "text": _text,
    "date": lambda column: DataTypes.DATE(column.nullable),
    "time": lambda column: DataTypes.TIME(0, column.nullable),
    "timestamp": lambda column: DataTypes.TIMESTAMP(_seconds(column), column.nullable),
    "timestamptz": lambda column: DataTypes.TIMESTAMP_LTZ(_seconds(column), column.nullable),
}
_MYSQL: dict[str, Made] = {
    "bit(1)": lambda column: DataTypes.BOOLEAN(column.nullable),
    "tinyint(1)": lambda column: DataTypes.BOOLEAN(column.nullable),
    "tinyint": lambda column: DataTypes.TINYINT(column.nullable),
    "tinyint unsigned": lambda column: DataTypes.SMALLINT(column.nullable),
    "smallint": lambda column: DataTypes.SMALLINT(column.nullable),
    "smallint unsigned": lambda column: DataTypes.INT(column.nullable),
    "mediumint": lambda column: DataTypes.INT(column.nullable),
    "mediumint unsigned": lambda column: DataTypes.INT(column.nullable),
    "int": lambda column: DataTypes.INT(column.nullable),
    "int unsigned": lambda column: DataTypes.BIGINT(column.nullable),
    "bigint": lambda column: DataTypes.BIGINT(column.nullable),
    "bigint unsigned": lambda column: DataTypes.DECIMAL(20, 0, column.nullable),
    "float": lambda column: DataTypes.FLOAT(column.nullable),
    "double": lambda column: DataTypes.DOUBLE(column.nullable),
    "decimal": _decimal,
    "char": _char,
    "varchar": _varchar,
    **dict.fromkeys(("tinytext", "text", "mediumtext", "longtext", "json"), _text),
    **dict.fromkeys(
        ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"),
        lambda column: DataTypes.BYTES(column.nullable),
    ),
    "date": lambda column: DataTypes.DATE(column.nullable),
    "time": lambda column: DataTypes.TIME(0, column.nullable),
    "datetime": lambda column: DataTypes.TIMESTAMP(column.fraction or 0, column.nullable),
    "timestamp": lambda column: DataTypes.TIMESTAMP(column.fraction or 0, column.nullable),
}


def postgres_type(column: ColumnOfDatabase, place: str) -> DataType:
    """The type of SQL of a column of PostgreSQL.

    Args:
        column: The column.
        place: Names the table in errors.

    Raises:
        UnsupportedOperation: There is none.
    """
    return _made(_POSTGRES.get(column.kind), column, place)


def mysql_type(column: ColumnOfDatabase, place: str) -> DataType:
    """The type of SQL of a column of MySQL; see `postgres_type`."""
    kind = column.kind.lower().removesuffix(" zerofill")
    if kind not in _MYSQL:
        name, _, rest = kind.partition("(")
        kind = name + (" unsigned" if rest.endswith(" unsigned") and f"{name} unsigned" in _MYSQL else "")
        kind = kind if kind in _MYSQL else kind.removesuffix(" unsigned")
    return _made(_MYSQL.get(kind), column, place)


def _made(make: Made | None, column: ColumnOfDatabase, place: str) -> DataType:
    if make is None:
        raise UnsupportedOperation(f"{place}, column {column.name}: SQL has no type for {column.kind!r}")
    return make(column)
