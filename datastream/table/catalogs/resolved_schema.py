"""`ResolvedSchema` and its parts: the columns of a table or a query, with their final types."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Literal as Choice

from datastream.errors import ValidationError, cut
from datastream.table.catalogs.schema import Schema
from datastream.table.catalogs.table_schema import TableSchema
from datastream.table.dsl.resolved_expression import ResolvedExpression
from datastream.table.plan import relations
from datastream.table.plan.expressions import Expression as Node
from datastream.table.sql import statements
from datastream.table.sql.sql_text import expression_sql
from datastream.table.types.logical_types import DataType
from datastream.table.types.row_type import RowField, RowType
from datastream.table.types.type_text import quoted, summary

Time = Choice["rowtime", "proctime"] | None


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column; `physical`, `computed` and `metadata` make one.

    Attributes:
        name: Its name.
        type: Of its values.
        comment: For people.
        time: ``rowtime`` or ``proctime`` for a time attribute.
    """

    name: str
    type: DataType
    comment: str | None = None
    time: Time = None

    @staticmethod
    def physical(name: str, data_type: DataType) -> PhysicalColumn:
        """A column that is stored."""
        return PhysicalColumn(name=name, type=data_type)

    @staticmethod
    def computed(name: str, resolved_expression: ResolvedExpression) -> ComputedColumn:
        """A column that is computed from others."""
        kind = resolved_expression.get_output_data_type()
        return ComputedColumn(name=name, type=kind, expression=resolved_expression.node)

    @staticmethod
    def metadata(name: str, data_type: DataType, metadata_key: str | None, is_virtual: bool) -> MetadataColumn:
        """A column that the connector knows."""
        return MetadataColumn(name=name, type=data_type, key=metadata_key, virtual=is_virtual)

    def with_comment(self, comment: str | None) -> Column:
        """The same with a comment, or without one."""
        return replace(self, comment=comment)

    def is_physical(self) -> bool:
        """Whether it is stored."""
        return False

    def is_persisted(self) -> bool:
        """Whether it is written with the table."""
        return False

    def get_data_type(self) -> DataType:
        """The type of its values."""
        return self.type

    def get_name(self) -> str:
        """Its name."""
        return self.name

    def get_comment(self) -> str | None:
        """What is said of it, for people."""
        return self.comment

    def as_summary_string(self) -> str:
        """The column in one line."""
        text = f"{quoted(self.name)} {self.type_and_extras()}"
        return text if self.comment is None else f"{text} COMMENT '{self.comment}'"

    def type_and_extras(self) -> str:
        """What `as_summary_string` says after the name, without the comment."""
        extras = self.explain_extras()
        return f"{type_summary(self.type, self.time)}{f' {extras}' if extras else ''}"

    def explain_extras(self) -> str | None:
        """What is to be said beside name and type."""
        return None

    def copy(self, new_type: DataType) -> Column:
        """The same with another type."""
        return replace(self, type=new_type)

    def rename(self, new_name: str) -> Column:
        """The same with another name."""
        return replace(self, name=new_name)

    def __str__(self) -> str:
        return self.as_summary_string()


@dataclass(frozen=True, kw_only=True)
class PhysicalColumn(Column):
    """A column that is stored."""

    def is_physical(self) -> bool:
        return True

    def is_persisted(self) -> bool:
        return True

    def copy(self, new_data_type: DataType) -> Column:
        return replace(self, type=new_data_type)

    def __str__(self) -> str:
        return self.as_summary_string()


@dataclass(frozen=True, kw_only=True)
class ComputedColumn(Column):
    """A column that is computed from others.

    Attributes:
        expression: How.
    """

    expression: Node

    def get_expression(self) -> ResolvedExpression:
        """How it is computed."""
        return ResolvedExpression(self.expression, self.type)

    def explain_extras(self) -> str:
        return f"AS {expression_sql(self.expression)}"

    def copy(self, new_data_type: DataType) -> Column:
        return replace(self, type=new_data_type)

    def __str__(self) -> str:
        return self.as_summary_string()


@dataclass(frozen=True, kw_only=True)
class MetadataColumn(Column):
    """A column that the connector knows.

    Attributes:
        key: What the connector calls it; None: as the column.
        virtual: It is not written.
    """

    key: str | None = None
    virtual: bool = False

    def is_virtual(self) -> bool:
        """Whether it is left out when the table is written."""
        return self.virtual

    def get_metadata_key(self) -> str | None:
        """What the connector calls it; None: as the column."""
        return self.key

    def is_persisted(self) -> bool:
        return not self.virtual

    def explain_extras(self) -> str:
        origin = "" if self.key is None or self.key == self.name else f" FROM '{self.key}'"
        return f"METADATA{origin}{' VIRTUAL' if self.virtual else ''}"

    def copy(self, new_data_type: DataType) -> Column:
        return replace(self, type=new_data_type)

    def __str__(self) -> str:
        return self.as_summary_string()


@dataclass(frozen=True)
class WatermarkSpec:
    """Event time of a table.

    Attributes:
        column: Its column.
        expression: The watermark that follows from a row.
        type: Of the watermark.
    """

    column: str
    expression: Node
    type: DataType

    @staticmethod
    def of(rowtime_attribute: str, watermark_expression: ResolvedExpression) -> WatermarkSpec:
        """Event time of a column, by a watermark's expression."""
        return WatermarkSpec(rowtime_attribute, watermark_expression.node, watermark_expression.get_output_data_type())

    def get_rowtime_attribute(self) -> str:
        """Its column."""
        return self.column

    def get_watermark_expression(self) -> ResolvedExpression:
        """The watermark that follows from a row."""
        return ResolvedExpression(self.expression, self.type)

    def as_summary_string(self, column: str | None = None) -> str:
        """In one line.

        Args:
            column: How the column's name is written. Default: in backquotes.
        """
        return (
            f"WATERMARK FOR {column or quoted(self.column)}: {summary(self.type)} AS {expression_sql(self.expression)}"
        )

    def __str__(self) -> str:
        return self.as_summary_string()


@dataclass(frozen=True)
class Constraint:
    """A promise about the rows of a table, which nothing tests.

    Attributes:
        name: Its name.
    """

    class ConstraintType(Enum):
        """Kinds of constraints."""

        PRIMARY_KEY = 0
        UNIQUE_KEY = 1

    name: str

    def get_name(self) -> str:
        """Its name."""
        return self.name

    def is_enforced(self) -> bool:
        """False: nothing tests it."""
        return False

    def get_type(self) -> ConstraintType:
        """Its kind."""
        return Constraint.ConstraintType.PRIMARY_KEY

    def as_summary_string(self) -> str:
        """In one line."""
        return f"CONSTRAINT {quoted(self.name)}"


@dataclass(frozen=True)
class UniqueConstraint(Constraint):
    """Rows are unique by columns.

    Attributes:
        columns: Their names.
    """

    columns: tuple[str, ...] = field(default=())

    @staticmethod
    def primary_key(name: str, columns: list[str]) -> UniqueConstraint:
        """A primary key."""
        return UniqueConstraint(name, tuple(columns))

    def get_columns(self) -> list[str]:
        """The names of its columns."""
        return list(self.columns)

    def get_type_string(self) -> str:
        """``PRIMARY KEY``."""
        return "PRIMARY KEY"

    def as_summary_string(self) -> str:
        columns = ", ".join(map(quoted, self.columns))
        return f"CONSTRAINT {quoted(self.name)} PRIMARY KEY ({columns}) NOT ENFORCED"

    def __str__(self) -> str:
        return self.as_summary_string()


class ResolvedSchema:
    """Columns with their final types, watermarks and primary key.

    Args:
        columns: From left to right.
        watermark_specs: Of event time.
        primary_key: None: there is none.
    """

    def __init__(
        self,
        columns: list[Column] | None = None,
        watermark_specs: list[WatermarkSpec] | None = None,
        primary_key: UniqueConstraint | None = None,
    ) -> None:
        self._columns, self._watermarks = list(columns or ()), list(watermark_specs or ())
        self._key = primary_key

    @staticmethod
    def of(columns: list[Column]) -> ResolvedSchema:
        """Columns alone."""
        return ResolvedSchema(columns)

    @staticmethod
    def physical(column_names: list[str], column_data_types: list[DataType]) -> ResolvedSchema:
        """Columns that are stored, by names and types."""
        if len(column_names) != len(column_data_types):
            raise ValidationError(f"{len(column_names)} names for {len(column_data_types)} types")
        pairs = zip(column_names, column_data_types, strict=True)
        return ResolvedSchema([Column.physical(name, kind) for name, kind in pairs])

    @staticmethod
    def of_relation(relation: relations.Relation) -> ResolvedSchema:
        """The columns of a query."""
        return ResolvedSchema([PhysicalColumn(name=c.name, type=c.type, time=c.time) for c in relation.columns])

    @staticmethod
    def of_table(schema: Schema, relation: relations.Relation) -> ResolvedSchema:
        """The columns, watermark and primary key of a table.

        Args:
            schema: As declared.
            relation: Its columns with their types.
        """
        columns: list[Column] = []
        for spec, found in zip(schema.columns, relation.columns, strict=True):
            name, kind, comment, time = spec.name, found.type, spec.comment, found.time
            if spec.expression is not None:
                node = spec.expression
                columns.append(ComputedColumn(name=name, type=kind, comment=comment, time=time, expression=node))
            elif spec.metadata is not None:
                key, virtual = spec.metadata, spec.virtual
                columns.append(
                    MetadataColumn(name=name, type=kind, comment=comment, time=time, key=key, virtual=virtual)
                )
            else:
                columns.append(PhysicalColumn(name=name, type=kind, comment=comment, time=time))
        marks, mark = [], schema.watermark_spec
        if mark is not None:
            kind = next(column.type for column in columns if column.name == mark.column)
            marks.append(WatermarkSpec(mark.column, mark.expression, kind))
        key_name = schema.key_name or f"PK_{'_'.join(schema.key or ())}"
        return ResolvedSchema(columns, marks, None if schema.key is None else UniqueConstraint(key_name, schema.key))

    def get_column_count(self) -> int:
        """How many columns there are."""
        return len(self._columns)

    def get_columns(self) -> list[Column]:
        """The columns."""
        return list(self._columns)

    def get_column_names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self._columns]

    def get_column_data_types(self) -> list[DataType]:
        """The types of the columns."""
        return [column.type for column in self._columns]

    def get_column(self, column_index_or_name: int | str) -> Column | None:
        """A column by its index from 0 or its name; None: there is none."""
        if isinstance(column_index_or_name, str):
            return next((column for column in self._columns if column.name == column_index_or_name), None)
        if not isinstance(column_index_or_name, int):
            raise TypeError(f"expected an index or a name, got {cut(column_index_or_name)}")
        return self._columns[column_index_or_name] if 0 <= column_index_or_name < len(self._columns) else None

    def get_watermark_specs(self) -> list[WatermarkSpec]:
        """Of event time."""
        return list(self._watermarks)

    def get_primary_key(self) -> UniqueConstraint | None:
        """The primary key; None: there is none."""
        return self._key

    def get_primary_key_indexes(self) -> list[int]:
        """The indexes of the primary key's columns among those that are stored."""
        names = [column.name for column in self._columns if column.is_physical()]
        return [] if self._key is None else [names.index(name) for name in self._key.columns]

    def to_source_row_data_type(self) -> RowType:
        """The type of a row with all columns."""
        return self._row(self._columns)

    def to_physical_row_data_type(self) -> RowType:
        """The type of a row with the columns that are stored."""
        return self._row([column for column in self._columns if column.is_physical()])

    def to_sink_row_data_type(self) -> RowType:
        """The type of a row with the columns that are written."""
        return self._row([column for column in self._columns if column.is_persisted()])

    def to_table_schema(self) -> TableSchema:
        """The older form of it."""
        lines = [f"{column.name}: {column.type_and_extras()}" for column in self._columns]
        lines += [mark.as_summary_string(mark.column) for mark in self._watermarks]
        if self._key is not None:
            lines.append(f"CONSTRAINT {self._key.name} PRIMARY KEY ({', '.join(self._key.columns)})")
        return TableSchema(self.get_column_names(), self.get_column_data_types(), tuple(lines))

    def unresolved(self) -> Schema:
        """The same as it would be declared."""
        specs = []
        for column in self._columns:
            match column:
                case ComputedColumn(expression=expression):
                    specs.append(statements.ColumnSpec(column.name, expression=expression, comment=column.comment))
                case MetadataColumn(key=key, virtual=virtual):
                    metadata = key or column.name
                    specs.append(
                        statements.ColumnSpec(column.name, column.type, None, metadata, virtual, column.comment)
                    )
                case _:
                    specs.append(statements.ColumnSpec(column.name, column.type, comment=column.comment))
        mark = next((statements.WatermarkSpec(each.column, each.expression) for each in self._watermarks), None)
        if self._key is None:
            return Schema(tuple(specs), mark)
        return Schema(tuple(specs), mark, self._key.columns, self._key.name)

    @staticmethod
    def _row(columns: list[Column]) -> RowType:
        return RowType([RowField(column.name, column.type) for column in columns], False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResolvedSchema) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self._columns))

    def __str__(self) -> str:
        parts = [column.as_summary_string() for column in self._columns]
        parts += [watermark.as_summary_string() for watermark in self._watermarks]
        if self._key is not None:
            parts.append(self._key.as_summary_string())
        return "(\n  " + ",\n  ".join(parts) + "\n)"


def type_summary(kind: DataType, time: Time) -> str:
    """A type for people, marked as a time attribute if it is one."""
    return summary(kind) + ("" if time is None else f" *{time.upper()}*")
