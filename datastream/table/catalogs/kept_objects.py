"""Objects of a catalog as JSON, and back."""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.database import CatalogDatabase
from datastream.table.catalogs.function import CatalogFunction
from datastream.table.catalogs.model import CatalogModel
from datastream.table.catalogs.schema import Schema
from datastream.table.plan.expressions import Expression
from datastream.table.sql.parser import parse_data_type, parse_expression
from datastream.table.sql.sql_text import SqlText, expression_sql
from datastream.table.sql.statements import ColumnSpec, WatermarkSpec
from datastream.table.types.logical_types import DataType
from datastream.table.types.type_text import sql

_TABLE, _VIEW = "table", "view"


def database_json(database: CatalogDatabase) -> dict[str, Any]:
    """A database as JSON."""
    return {"properties": dict(database.properties), "comment": database.comment}


def database_of(content: Any) -> CatalogDatabase:
    """The database of JSON."""
    return CatalogDatabase(_texts(content["properties"]), _text_or_none(content["comment"]))


def function_json(function: CatalogFunction) -> dict[str, Any]:
    """A function as JSON."""
    return {"target": function.class_name, "language": function.language, "options": dict(function.options)}


def function_of(content: Any) -> CatalogFunction:
    """The function of JSON."""
    return CatalogFunction(_text(content["target"]), _text(content["language"]), _texts(content["options"]))


def model_json(model: CatalogModel) -> dict[str, Any]:
    """A model as JSON."""
    return {
        "input": _schema_json(model.input_schema),
        "output": _schema_json(model.output_schema),
        "options": dict(model.options),
        "comment": model.comment,
    }


def model_of(content: Any) -> CatalogModel:
    """The model of JSON."""
    return CatalogModel(
        _schema_of(content["input"]),
        _schema_of(content["output"]),
        _texts(content["options"]),
        _text_or_none(content["comment"]),
    )


def table_json(table: CatalogBaseTable, catalog: str) -> dict[str, Any]:
    """A table or view as JSON.

    Args:
        table: The table or view.
        catalog: The catalog's name: a view keeps its queries' catalog only if it is another one.

    Raises:
        ValidationError: It is a view that is made of a `Table`, or a type or expression has no text.
    """
    made = {"schema": _schema_json(table.schema), "comment": table.comment}
    if not table.is_view:
        return {
            "kind": _TABLE,
            **made,
            "partition_keys": list(table.partition_keys),
            "options": dict(table.options),
        }
    if table.query is None:
        raise ValidationError(
            "a view that is made of a Table cannot be kept in a catalog of files, as it has no text: use CREATE VIEW, "
            "or create_temporary_view"
        )
    of, database = table.current or (None, None)
    return {
        "kind": _VIEW,
        **made,
        "options": dict(table.options),
        "query": table.query,
        "expanded_query": table.expanded_query,
        "current_catalog": None if of == catalog else of,
        "current_database": database,
    }


def table_of(content: Any, catalog: str) -> CatalogBaseTable:
    """The table or view of JSON."""
    schema, comment = _schema_of(content["schema"]), _text_or_none(content["comment"])
    options = _texts(content["options"])
    if content["kind"] == _TABLE:
        return CatalogBaseTable(schema, options, tuple(map(_text, content["partition_keys"])), comment)
    if content["kind"] != _VIEW:
        raise ValueError(f"there is no kind {content['kind']!r}")
    database = _text_or_none(content["current_database"])
    current = None if database is None else (_text_or_none(content["current_catalog"]) or catalog, database)
    return CatalogBaseTable(
        schema,
        options,
        comment=comment,
        query=_text(content["query"]),
        expanded_query=_text_or_none(content["expanded_query"]),
        current=current,
    )


def _schema_json(schema: Schema) -> dict[str, Any]:
    mark = schema.watermark_spec
    return {
        "columns": [_column_json(each) for each in schema.columns],
        "watermark": None
        if mark is None
        else {"column": mark.column, "expression": _expression_json(mark.expression, "the watermark")},
        "primary_key": None if schema.key is None else {"name": schema.key_name, "columns": list(schema.key)},
    }


def _schema_of(content: Any) -> Schema:
    mark, key = content["watermark"], content["primary_key"]
    return Schema(
        tuple(_column_of(each) for each in content["columns"]),
        None if mark is None else WatermarkSpec(_text(mark["column"]), parse_expression(_text(mark["expression"]))),
        None if key is None else tuple(map(_text, key["columns"])),
        None if key is None else _text_or_none(key["name"]),
    )


def _column_json(column: ColumnSpec) -> dict[str, Any]:
    found: dict[str, Any] = {"name": column.name}
    if column.type is not None:
        found["type"] = _type_json(column.type, f"the column {column.name}")
    if column.expression is not None:
        found["expression"] = _expression_json(column.expression, f"the column {column.name}")
    if column.metadata is not None:
        found |= {"metadata": column.metadata, "virtual": column.virtual}
    if column.comment is not None:
        found["comment"] = column.comment
    return found


def _column_of(content: Any) -> ColumnSpec:
    kind, expression = content.get("type"), content.get("expression")
    virtual = content.get("virtual", False)
    if not isinstance(virtual, bool):
        raise TypeError(f"'virtual' of the column {content['name']!r} is neither true nor false")
    return ColumnSpec(
        _text(content["name"]),
        None if kind is None else parse_data_type(_text(kind)),
        None if expression is None else parse_expression(_text(expression)),
        _text_or_none(content.get("metadata")),
        virtual,
        _text_or_none(content.get("comment")),
    )


def _type_json(kind: DataType, what: str) -> str:
    text = sql(kind)
    try:
        if parse_data_type(text) == kind:
            return text
    except ValidationError:
        pass
    raise ValidationError(f"{what} cannot be kept in a catalog of files, as its type {text} has no text in SQL")


def _expression_json(expression: Expression, what: str) -> str:
    if isinstance(expression, SqlText):
        return expression.text
    text = expression_sql(expression)
    try:
        if expression_sql(parse_expression(text)) == text:
            return text
    except ValidationError:
        pass
    raise ValidationError(f"{what} cannot be kept in a catalog of files, as its expression has no text in SQL: {text}")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a text, got {value!r}")
    return value


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _text(value)


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise TypeError(f"expected options with texts, got {value!r}")
    return value
