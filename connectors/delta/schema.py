"""Schemas of tables, and what this connector cannot write or read of a table without damage."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from datastream.errors import FormatError, UnsupportedOperation, ValidationError, cut
from datastream.types import RowTypeInfo, TypeInformation

from .library import deltalake
from .location import DeltaLocation

#: Features of writers that need nothing of one that only adds files; what they would need is looked at by itself.
_WRITABLE = frozenset(
    ("appendOnly", "changeDataFeed", "checkConstraints", "deletionVectors", "generatedColumns", "invariants")
    + ("timestampNtz", "v2Checkpoint", "vacuumProtocolCheck", "columnMapping", "identityColumns")
)
_READABLE = frozenset(("columnMapping", "deletionVectors", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"))
_COMPUTED = ("delta.generationExpression", "delta.invariants", "delta.identity.start")


def arrow_schema(row_type: RowTypeInfo, required: Sequence[str] = ()) -> Any:
    """The Arrow schema of a table of rows.

    Args:
        row_type: The rows.
        required: The columns that are never None.

    Raises:
        ValidationError: Delta Lake has no such type.
    """
    import pyarrow as pa

    try:
        found, _ = stored_rows(row_type)
    except FormatError as error:
        raise ValidationError(f"Delta Lake has no such column: {error}") from None
    for field in found:
        _check_type(field.type, field.name)
    return pa.schema([field.with_nullable(field.name not in required) for field in found])


def stored_rows(row_type: RowTypeInfo, tuples: bool = False) -> tuple[Any, Callable[[list[Any]], Any]]:
    """The Arrow schema of rows in a table's files, and what makes batches of rows, or of tuples of their values.

    Raises:
        FormatError: Arrow has no such type.
    """
    from datastream.formats.columnar.storing import stored_as

    return stored_as(row_type, _in_micros, tuples)


def _in_micros(arrow: Any, kind: TypeInformation) -> Any:
    """Delta Lake's timestamps have microseconds; a value with more digits is refused."""
    import pyarrow as pa

    return pa.timestamp("us", arrow.tz) if pa.types.is_timestamp(arrow) else arrow


def _check_type(kind: Any, path: str) -> None:
    import pyarrow.types as is_

    if is_.is_time(kind) or is_.is_null(kind) or is_.is_duration(kind) or is_.is_unsigned_integer(kind):
        raise ValidationError(f"column {path}: Delta Lake has no type for {kind}; declare a STRING or a BIGINT")
    if is_.is_struct(kind):
        for field in kind:
            _check_type(field.type, f"{path}.{field.name}")
    elif is_.is_map(kind):
        _check_type(kind.key_type, f"{path}[key]")
        _check_type(kind.item_type, f"{path}[value]")
    elif is_.is_list(kind):
        _check_type(kind.value_type, f"{path}[]")


def delta_schema(arrow: Any) -> Any:
    """The table's schema of an Arrow schema."""
    return deltalake().Schema.from_arrow(arrow)


def check_written(location: DeltaLocation, table: Any, wanted: Any, partition_by: Sequence[str], merge: bool) -> None:
    """See that rows of a schema can be added to a table.

    Args:
        location: Names the table in errors.
        table: The table.
        wanted: The delta schema of the rows.
        partition_by: The partition columns of the rows.
        merge: Whether columns that the table does not have are added to it.

    Raises:
        ValidationError: Columns are missing, too many, of another type, or the partition columns differ.
        UnsupportedOperation: The table needs more of a writer than this one does.
    """
    name = f"the table {location.path}"
    there = _fields(table.schema())
    new = _fields(wanted)
    metadata = table.metadata()
    if list(metadata.partition_columns) != list(partition_by):
        raise ValidationError(
            f"{name} is partitioned by {cut(list(metadata.partition_columns))}, and the sink by "
            f"{cut(list(partition_by))}: they must be the same"
        )
    extra = [column for column in new if column not in there]
    if extra and not merge:
        raise ValidationError(
            f"{name} has no column {cut(extra[0])}; it has {cut(list(there))}: leave the column out, or let the sink "
            "add it by its setting for merging schemas"
        )
    for column, field in there.items():
        if column not in new:
            if not field["nullable"]:
                raise ValidationError(f"{name} has a column {cut(column)} NOT NULL, which the rows do not have")
            if not merge:
                raise ValidationError(
                    f"{name} has a column {cut(column)}, which the rows do not have: declare it, or let the sink write "
                    "NULL there by its setting for merging schemas"
                )
        elif _shape(new[column]["type"]) != _shape(field["type"]):
            raise ValidationError(
                f"{name}, column {cut(column)}: the table has {_text(field['type'])}, and the rows have "
                f"{_text(new[column]['type'])}: declare the column as the table has it"
            )
    _check_writer(name, table, there)


def _check_writer(name: str, table: Any, fields: Mapping[str, Any]) -> None:
    configuration, protocol = table.metadata().configuration, table.protocol()
    for feature in protocol.writer_features or ():
        if feature not in _WRITABLE:
            raise UnsupportedOperation(f"{name} has the feature {feature!r}, which this sink cannot write")
    _check_mapping(name, configuration)
    for key in configuration:
        if key.startswith("delta.constraints."):
            raise UnsupportedOperation(f"{name} has the constraint {key[18:]!r}, which this sink does not check")
    for column, field in fields.items():
        for key in _COMPUTED:
            if key in field.get("metadata", {}):
                raise UnsupportedOperation(f"{name}, column {column!r}: this sink does not heed its {key}")


def check_read(location: DeltaLocation, configuration: Mapping[str, Any], features: Sequence[str]) -> None:
    """See that the files of a table mean what they say.

    Raises:
        UnsupportedOperation: The table needs more of a reader than this one does.
    """
    name = f"the table {location.path}"
    for feature in features:
        if feature not in _READABLE:
            raise UnsupportedOperation(f"{name} has the feature {feature!r}, which this source cannot read")
    _check_mapping(name, configuration)


def _check_mapping(name: str, configuration: Mapping[str, Any]) -> None:
    if (configuration.get("delta.columnMapping.mode") or "none") != "none":
        raise UnsupportedOperation(f"{name} has mapped columns (delta.columnMapping.mode), which are not supported")


def _fields(schema: Any) -> dict[str, Any]:
    return {field["name"]: field for field in json.loads(schema.to_json())["fields"]}


def required_columns(schema: Any) -> list[str]:
    """The columns that are never NULL in a table."""
    return [name for name, field in _fields(schema).items() if not field["nullable"]]


def _shape(kind: Any) -> Any:
    """A type without what says whether its parts may be NULL, and without metadata."""
    if not isinstance(kind, dict):
        return kind
    match kind["type"]:
        case "struct":
            return ["struct", [[field["name"], _shape(field["type"])] for field in kind["fields"]]]
        case "array":
            return ["array", _shape(kind["elementType"])]
        case "map":
            return ["map", _shape(kind["keyType"]), _shape(kind["valueType"])]
    return kind


def _text(kind: Any) -> str:
    return cut(json.dumps(_shape(kind)) if isinstance(kind, dict) else kind)
