"""`Schema`: the columns of a table as they are declared, with its watermark and primary key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError, WrongType, cut
from datastream.table.dsl.expression import Expression
from datastream.table.sql.parser import parse_data_type
from datastream.table.sql.sql_text import SqlText
from datastream.table.sql.statements import ColumnSpec, WatermarkSpec
from datastream.table.types.logical_types import DataType
from datastream.table.types.row_type import RowType
from datastream.table.types.type_text import quoted, summary
from datastream.table.types.user_defined_type import stored

if TYPE_CHECKING:
    from datastream.table.catalogs.resolved_schema import ResolvedSchema


@dataclass(frozen=True)
class Schema:
    """Columns, watermark and primary key, as declared: names and types in expressions are not resolved.

    Attributes:
        columns: From left to right.
        watermark_spec: Of event time; None: there is none.
        key: Names of the primary key's columns; None: there is none.
        key_name: The constraint's name.
    """

    columns: tuple[ColumnSpec, ...] = ()
    watermark_spec: WatermarkSpec | None = None
    key: tuple[str, ...] | None = None
    key_name: str | None = None

    class Builder:
        """Makes a schema, column by column."""

        def __init__(self) -> None:
            self._schema = Schema()

        def from_schema(self, unresolved_schema: Schema) -> Schema.Builder:
            """Take over the columns, watermark and key of a schema."""
            for column in unresolved_schema.columns:
                self._add(column)
            if unresolved_schema.watermark_spec is not None:
                self._schema = replace(self._schema, watermark_spec=unresolved_schema.watermark_spec)
            if unresolved_schema.key is not None:
                self._key(unresolved_schema.key_name, unresolved_schema.key)
            return self

        def from_resolved_schema(self, resolved_schema: ResolvedSchema) -> Schema.Builder:
            """Take over the columns, watermark and key of a resolved schema."""
            return self.from_schema(resolved_schema.unresolved())

        def from_row_data_type(self, data_type: DataType) -> Schema.Builder:
            """Take over the fields of a row type as columns."""
            if not isinstance(data_type, RowType):
                raise ValidationError(f"from_row_data_type needs DataTypes.ROW([...]), got {cut(data_type)}")
            return self.from_fields(data_type.names, data_type.field_types())

        def from_fields(self, field_names: Sequence[str], field_data_types: Sequence[DataType]) -> Schema.Builder:
            """Add columns of names and types."""
            if len(field_names) != len(field_data_types):
                raise ValidationError(f"from_fields: {len(field_names)} names for {len(field_data_types)} types")
            for name, kind in zip(field_names, field_data_types, strict=True):
                self.column(name, kind)
            return self

        def column(self, column_name: str, data_type: str | DataType) -> Schema.Builder:
            """Add a column that is stored.

            Args:
                column_name: Its name.
                data_type: Its type, or the type in SQL such as ``"BIGINT"``.
            """
            text = data_type if isinstance(data_type, str) else None
            return self._add(ColumnSpec(column_name, _type("column", data_type), type_text=text))

        def column_by_expression(self, column_name: str, expr: str | Expression[Any]) -> Schema.Builder:
            """Add a column that is computed from others.

            Args:
                column_name: Its name.
                expr: An expression, or one in SQL.
            """
            return self._add(ColumnSpec(column_name, expression=_expression("column_by_expression", expr)))

        def column_by_metadata(
            self, column_name: str, data_type: DataType | str, metadata_key: str | None = None, is_virtual: bool = False
        ) -> Schema.Builder:
            """Add a column that the connector knows, such as a record's timestamp.

            Args:
                column_name: Its name.
                data_type: Its type, or the type in SQL.
                metadata_key: What the connector calls it. Default: the column's name.
                is_virtual: It is left out when the table is written.
            """
            kind = _type("column_by_metadata", data_type)
            text = data_type if isinstance(data_type, str) else None
            metadata = metadata_key or column_name
            return self._add(ColumnSpec(column_name, kind, metadata=metadata, virtual=bool(is_virtual), type_text=text))

        def watermark(self, column_name: str, watermark_expr: str | Expression[Any]) -> Schema.Builder:
            """Make a column event time.

            Args:
                column_name: A column of type TIMESTAMP(3) or TIMESTAMP_LTZ(3).
                watermark_expr: The watermark that follows from a row, such as ``"ts - INTERVAL '5' SECOND"``.

            Raises:
                ValidationError: there is a watermark already.
            """
            if self._schema.watermark_spec is not None:
                raise ValidationError("Multiple watermark definitions are not supported yet.")
            spec = WatermarkSpec(column_name, _expression("watermark", watermark_expr))
            self._schema = replace(self._schema, watermark_spec=spec)
            return self

        def primary_key(self, *column_names: str) -> Schema.Builder:
            """Declare that rows are unique by these columns. Nothing tests it."""
            return self._key(None, column_names)

        def primary_key_named(self, constraint_name: str, *column_names: str) -> Schema.Builder:
            """The same as `primary_key` with a name."""
            return self._key(constraint_name, column_names)

        def build(self) -> Schema:
            """The schema."""
            return self._schema

        def _add(self, column: ColumnSpec) -> Schema.Builder:
            if not isinstance(column.name, str) or not column.name:
                raise ValidationError(f"a column needs a name, got {cut(column.name)}")
            self._schema = replace(self._schema, columns=(*self._schema.columns, column))
            return self

        def _key(self, name: str | None, columns: Iterable[str]) -> Schema.Builder:
            key = tuple(columns)
            if not key:
                raise ValidationError("primary_key needs the names of columns")
            if self._schema.key is not None:
                raise ValidationError("Multiple primary keys are not supported.")
            self._schema = replace(self._schema, key=key, key_name=name or f"PK_{'_'.join(key)}")
            return self

    @staticmethod
    def new_builder() -> Schema.Builder:
        """A builder of a schema."""
        return Schema.Builder()

    def __str__(self) -> str:
        lines = [_column_text(column) for column in self.columns]
        if self.watermark_spec is not None:
            column, expression = self.watermark_spec.column, self.watermark_spec.expression
            lines.append(f"WATERMARK FOR {quoted(column)} AS {_expression_text(expression)}")
        if self.key is not None:
            name = quoted(self.key_name or f"PK_{'_'.join(self.key)}")
            lines.append(f"CONSTRAINT {name} PRIMARY KEY ({', '.join(map(quoted, self.key))}) NOT ENFORCED")
        return "(\n" + ",\n".join(f"  {line}" for line in lines) + "\n)"


def _column_text(column: ColumnSpec) -> str:
    text = quoted(column.name)
    if column.expression is not None:
        text += f" AS {_expression_text(column.expression)}"
    elif column.type_text is not None:
        text += f" [{column.type_text}]"
    else:
        assert column.type is not None
        text += f" {summary(column.type)}"
    if column.metadata is not None:
        text += " METADATA" + (f" FROM '{column.metadata}'" if column.metadata != column.name else "")
        text += " VIRTUAL" if column.virtual else ""
    return text + (f" COMMENT '{column.comment}'" if column.comment else "")


def _expression_text(expression: Any) -> str:
    """SQL as it is written stands in brackets, as Flink has it."""
    return f"[{expression}]" if isinstance(expression, SqlText) else str(expression)


def _type(call: str, given: Any) -> DataType:
    if isinstance(given, DataType):
        return stored(given)
    if isinstance(given, str):
        return parse_data_type(given)
    raise WrongType(f"{call} needs a data type such as DataTypes.INT() or 'INT', got {cut(given)}")


def _expression(call: str, given: Any) -> Any:
    if isinstance(given, str):
        return SqlText(given)
    if isinstance(given, Expression):
        return given.node
    raise ValidationError(f"{call} needs an expression or a text in SQL, got {cut(given)}")
