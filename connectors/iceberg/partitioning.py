"""Partition specs: their texts, and the partitions of rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from datastream.errors import UnsupportedOperation, ValidationError, cut

from .location import IcebergLocation

_CALL = re.compile(r"(\w+)\s*\(\s*(?:(\d+)\s*,\s*)?([^,()]+?)\s*\)")
_UNITS = {"year": "Y", "month": "M", "day": "D", "hour": "h"}


def column_of(partition: str) -> str:
    """The column of a partition: of ``days(at)`` it is ``at``.

    Raises:
        ValidationError: It is no partition.
    """
    return _parsed(partition)[2]


def partition_spec(schema: Any, partitions: Sequence[str]) -> Any:
    """A partition spec.

    Args:
        schema: Of the table.
        partitions: Columns, and what is made of them: ``city``, ``days(at)``, ``hours(at)``, ``months(at)``,
            ``years(at)``, ``bucket(16, id)``, ``truncate(4, name)``.

    Raises:
        ValidationError: One is wrong, or its column is not there or of another type.
    """
    from pyiceberg import transforms
    from pyiceberg.partitioning import PARTITION_FIELD_ID_START, PartitionField, PartitionSpec

    fields = []
    for number, text in enumerate(partitions):
        name, size, column = _parsed(text)
        made: dict[str, Callable[[], tuple[Any, str]]] = {
            "": lambda: (transforms.IdentityTransform(), ""),
            "year": lambda: (transforms.YearTransform(), "_year"),
            "month": lambda: (transforms.MonthTransform(), "_month"),
            "day": lambda: (transforms.DayTransform(), "_day"),
            "hour": lambda: (transforms.HourTransform(), "_hour"),
            "bucket": lambda size=size: (transforms.BucketTransform(size), "_bucket"),  # type: ignore[misc]
            "truncate": lambda size=size: (transforms.TruncateTransform(size), "_trunc"),  # type: ignore[misc]
        }
        transform, suffix = made[name]()
        try:
            source = schema.find_field(column)
        except ValueError:
            raise ValidationError(f"the partition {cut(text)}: there is no column {cut(column)}") from None
        if not transform.can_transform(source.field_type):
            raise ValidationError(f"the partition {cut(text)}: the column is of type {source.field_type}")
        fields.append(PartitionField(source.field_id, PARTITION_FIELD_ID_START + number, transform, column + suffix))
    return PartitionSpec(*fields)


def _parsed(text: str) -> tuple[str, int, str]:
    """The name of a transform without its plural, its number, and its column."""
    if "(" not in text:
        return "", 0, text
    found = _CALL.fullmatch(text.strip())
    name = found[1].lower().removesuffix("s") if found else ""
    sized = name in ("bucket", "truncate")
    if found is None or not (name in _UNITS or sized) or sized != bool(int(found[2] or 0)):
        raise ValidationError(
            f"expected a partition such as city, years(at), months(at), days(at), hours(at), bucket(16, id) or "
            f"truncate(4, name), got {cut(text)}"
        )
    return name, int(found[2] or 0), found[3]


def check_spec(location: IcebergLocation, table: Any, partitions: Sequence[str]) -> None:
    """See that a table is partitioned as the sink says, if it says so, and can be written.

    Raises:
        ValidationError: It is partitioned otherwise.
        UnsupportedOperation: It has a partition that is not known.
    """
    there = [_described(table.schema(), field) for field in table.spec().fields]
    for text in there:
        if text is None:
            raise UnsupportedOperation(f"the table {location.name} has a partition that this sink cannot write")
    if not partitions:
        return
    wanted = [_described(table.schema(), field) for field in partition_spec(table.schema(), partitions).fields]
    if wanted != there:
        raise ValidationError(
            f"the table {location.name} is partitioned by {cut(there)}, and the sink by {cut(wanted)}: they must be "
            "the same"
        )


def _described(schema: Any, field: Any) -> str | None:
    column, transform = schema.find_column_name(field.source_id), str(field.transform)
    if transform == "identity":
        return str(column)
    if transform == "void" or transform in _UNITS:
        return f"{transform}s({column})" if transform != "void" else f"void({column})"
    sized = re.fullmatch(r"(bucket|truncate)\[(\d+)\]", transform)
    return f"{sized[1]}({sized[2]}, {column})" if sized else None


def partition_columns(rows: Any, schema: Any, spec: Any) -> list[Any]:
    """For each field of a partition spec the values of rows: an Arrow array.

    Args:
        rows: An Arrow table with the columns of the schema.
        schema: Of the table.
        spec: The partition spec.
    """
    return [
        _transformed(_column(rows, schema.find_column_name(field.source_id)), schema, field) for field in spec.fields
    ]


def _column(rows: Any, path: str) -> Any:
    import pyarrow.compute as pc

    if path in rows.column_names:
        return rows[path].combine_chunks()
    first, *rest = path.split(".")
    return pc.struct_field(rows[first].combine_chunks(), rest)


def _transformed(column: Any, schema: Any, field: Any) -> Any:
    import pyarrow as pa

    name, kind = str(field.transform), schema.find_type(field.source_id)
    if name == "identity":
        return column
    if name == "void":
        return pa.nulls(len(column), pa.int32())
    raw = column
    if pa.types.is_timestamp(column.type) or pa.types.is_time64(column.type):
        raw = column.cast(pa.int64())
    elif pa.types.is_date32(column.type):
        raw = column.cast(pa.int32())
    if name in _UNITS:
        return _units(raw, "D" if pa.types.is_date32(column.type) else "us", _UNITS[name])
    distinct = raw.dictionary_encode()
    distinct = distinct.combine_chunks() if isinstance(distinct, pa.ChunkedArray) else distinct
    apply = field.transform.transform(kind)
    values = pa.array([apply(value) for value in distinct.dictionary.to_pylist()])
    return values.take(distinct.indices) if len(values) else pa.nulls(len(column), pa.int32())


def _units(raw: Any, unit: str, wanted: str) -> Any:
    """Whole numbers of units since 1970."""
    import numpy as np
    import pyarrow as pa

    nulls = raw.is_null().to_numpy(zero_copy_only=False)
    numbers = raw.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    found = numbers.astype(f"datetime64[{unit}]").astype(f"datetime64[{wanted}]").astype(np.int64)
    return pa.array(found.astype(np.int32), pa.int32(), mask=nulls)
