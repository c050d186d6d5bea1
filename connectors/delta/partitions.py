"""Values of partition columns as the log has them, and the folders of files."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from datastream.errors import FormatError, UnsupportedOperation

_ODD = re.compile(r"[^A-Za-z0-9_.-]+")


def check_partition_type(kind: Any, name: str) -> None:
    """See that values of an Arrow type can be a partition.

    Raises:
        UnsupportedOperation: They cannot.
    """
    import pyarrow.types as is_

    if is_.is_nested(kind) or is_.is_binary(kind) or is_.is_floating(kind):
        raise UnsupportedOperation(f"partition column {name}: values of {kind} cannot be partitions")


def partition_text(value: Any) -> str | None:
    """A value as the log has it; None: NULL, which empty text is, too."""
    match value:
        case None | "":
            return None
        case bool():
            return "true" if value else "false"
        case dt.datetime():
            if value.tzinfo is not None:
                value = value.astimezone(dt.UTC).replace(tzinfo=None)
            return str(value.isoformat(" ", "microseconds" if value.microsecond else "seconds"))
        case Decimal():
            return format(value, "f")
    return str(value)


def partition_column(text: str | None, kind: Any, count: int) -> Any:
    """A column of the value that the log has for a file.

    Args:
        text: As the log has it.
        kind: Arrow's type.
        count: Rows.

    Raises:
        FormatError: It is no value of the type.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if text is None or text == "":
        return pa.nulls(count, kind)
    try:
        if pa.types.is_timestamp(kind):
            # In UTC, with or without a Z, where it is a point in time.
            value = pa.array([text.removesuffix("Z")], pa.string()).cast(pa.timestamp("us"))
            value = (value if kind.tz is None else pc.assume_timezone(value, "UTC")).cast(kind)
        else:
            value = pa.array([text], pa.string()).cast(kind)
        return pa.repeat(value[0], count)
    except pa.ArrowInvalid:
        raise FormatError(f"the partition value {text!r} is no {kind}") from None


def partition_folder(values: Mapping[str, str | None]) -> str:
    """A folder for files of a partition. Only the log says what their values are; the name is for people."""
    default = "__HIVE_DEFAULT_PARTITION__"
    return "".join(
        f"{_ODD.sub('_', name)}={_ODD.sub('_', default if value is None else value)[:80]}/"
        for name, value in values.items()
    )
