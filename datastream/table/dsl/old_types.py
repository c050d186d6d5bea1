"""Data types as older programs write them: ``DataTypes.INT`` without a call, or a name such as ``LONG``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.table.sql.parser import parse_data_type
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType, checked_data_type

#: Names that types had before those of SQL.
NAMES: dict[str, Callable[[], DataType]] = {
    "BYTE": DataTypes.TINYINT,
    "SHORT": DataTypes.SMALLINT,
    "INT": DataTypes.INT,
    "LONG": DataTypes.BIGINT,
    "FLOAT": DataTypes.FLOAT,
    "DOUBLE": DataTypes.DOUBLE,
    "BOOL": DataTypes.BOOLEAN,
    "BOOLEAN": DataTypes.BOOLEAN,
    "STRING": DataTypes.STRING,
    "SQL_DATE": DataTypes.DATE,
    "LOCAL_DATE": DataTypes.DATE,
    "SQL_TIME": DataTypes.TIME,
    "LOCAL_TIME": DataTypes.TIME,
    "SQL_TIMESTAMP": lambda: DataTypes.TIMESTAMP(3),
    "LOCAL_DATE_TIME": lambda: DataTypes.TIMESTAMP(3),
    "DECIMAL": lambda: DataTypes.DECIMAL(38, 18),
}


def data_type(given: Any, of: str) -> DataType:
    """The data type of what a program gives.

    Args:
        given: A data type, a function of `DataTypes`, or a text.
        of: What has the type, for errors.

    Raises:
        ValidationError: it is none.
    """
    if isinstance(given, str):
        name = given.strip().upper()
        return NAMES[name]() if name in NAMES else parse_data_type(given)
    return checked_data_type(given, of)
