"""ALTER."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from datastream.errors import UnsupportedOperation, ValidationError
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.file_catalog import FileCatalog
from datastream.table.catalogs.function import CatalogFunction
from datastream.table.catalogs.in_memory import GenericInMemoryCatalog
from datastream.table.catalogs.names import ObjectIdentifier
from datastream.table.catalogs.schema import Schema
from datastream.table.execution.definitions import checked_table, with_key
from datastream.table.execution.models import alter_model
from datastream.table.execution.session import Session, unresolved_schema
from datastream.table.plan.errors import unknown
from datastream.table.plan.expression_trees import walk
from datastream.table.plan.expressions import Name
from datastream.table.results.table_result import TableResult, ok
from datastream.table.sql.sql_text import parsed
from datastream.table.sql.statements import Alter, ColumnSpec


def altered(session: Session, statement: Alter) -> TableResult:
    """Carry out an ALTER.

    Raises:
        ValidationError: what is altered is not there, or does not fit together any more.
    """
    with _held(session, statement):
        match statement.kind:
            case "TABLE" | "VIEW":
                _alter_table(session, statement)
            case "DATABASE":
                _alter_database(session, statement)
            case "FUNCTION":
                _alter_function(session, statement)
            case "MODEL":
                alter_model(session, statement)
            case "CATALOG":
                _alter_catalog(session, statement)
    return ok()


def _held(session: Session, statement: Alter) -> AbstractContextManager[None]:
    """Keeps other sessions from changing the catalog between reading what is altered and writing it."""
    if statement.kind == "CATALOG":
        return nullcontext()
    of = session.catalogs.qualify_database if statement.kind == "DATABASE" else session.catalogs.qualify
    name = of(statement.path)
    catalog = session.catalogs.catalogs.get(name[0] if isinstance(name, tuple) else name.catalog)
    return catalog.changed() if isinstance(catalog, FileCatalog) else nullcontext()


def _alter_table(session: Session, statement: Alter) -> None:
    name = session.catalogs.qualify(statement.path)
    known = session.catalogs.catalogs.get(name.catalog)
    path = name.to_object_path()
    view = statement.kind == "VIEW"
    if name in session.catalogs.temporary:
        raise ValidationError(f"{name} is temporary: drop it and create it again")
    if known is None or not known.table_exists(path) or known.get_table(path).is_view is not view:
        if statement.if_exists:
            return
        raise ValidationError(f"{statement.kind.capitalize()} {name} doesn't exist.")
    if statement.action == "rename":
        to = session.catalogs.qualify(tuple(statement.arguments["to"]))
        if (to.catalog, to.database) != (name.catalog, name.database):
            raise ValidationError("a table is renamed inside its database: give a name alone")
        known.rename_table(path, to.name, False)
        return
    changed = _changed(session, name, known.get_table(path), statement.action, statement.arguments)
    known.alter_table(path, changed, False)


def _changed(
    session: Session, name: ObjectIdentifier, table: CatalogBaseTable, action: str, arguments: Mapping[str, Any]
) -> CatalogBaseTable:
    match action:
        case "set":
            return replace(table, options={**table.options, **arguments["options"]})
        case "reset":
            if "connector" in arguments["keys"]:
                raise ValidationError("ALTER TABLE RESET does not support changing 'connector'")
            kept = {key: value for key, value in table.options.items() if key not in arguments["keys"]}
            return replace(table, options=kept)
        case "as":
            relation = session.plan(arguments["query"])
            text = arguments["query"].text
            view = replace(
                table,
                schema=unresolved_schema(relation),
                query=text,
                expanded_query=text,
                relation=None,
                current=session.current_for(name),
            )
            session.check_view(name, view)
            return view
        case "add" | "modify":
            schema = _put(table.schema, action, arguments)
        case "rename column":
            schema = _renamed(table.schema, arguments["column"], arguments["to"])
            keys = tuple(arguments["to"] if key == arguments["column"] else key for key in table.partition_keys)
            table = replace(table, partition_keys=keys)
        case "drop":
            schema = _dropped(table, arguments["names"])
        case "drop watermark":
            if table.schema.watermark_spec is None:
                raise ValidationError("The base table does not define any watermark strategy.")
            schema = replace(table.schema, watermark_spec=None)
        case "drop primary key":
            wanted = arguments.get("key_name")
            if table.schema.key is None or wanted not in (None, table.schema.key_name):
                raise ValidationError("The base table does not define such a primary key.")
            schema = replace(table.schema, key=None, key_name=None)
        case _:
            raise UnsupportedOperation(f"ALTER TABLE ... {action.upper()} is not supported")
    return checked_table(session, name, replace(table, schema=with_key(schema)))


def _put(schema: Schema, action: str, arguments: Mapping[str, Any]) -> Schema:
    """A schema with more columns, watermark and key, or others in the place of those."""
    columns = list(schema.columns)
    places: Mapping[str, str | None] = arguments.get("places") or {}
    for column in arguments.get("columns") or ():
        at = next((i for i, each in enumerate(columns) if each.name == column.name), None)
        if action == "add" and at is not None:
            raise ValidationError(f"Try to add a column `{column.name}` which already exists in the table.")
        if action == "modify":
            if at is None:
                raise unknown("column", column.name, [each.name for each in columns])
            old = columns.pop(at)
            column = column if column.comment is not None else replace(column, comment=old.comment)
        columns.insert(_place(columns, column, places, len(columns) if at is None else at), column)
    schema = replace(schema, columns=tuple(columns))
    watermark, key = arguments.get("watermark"), arguments.get("primary_key")
    if watermark is not None:
        if action == "add" and schema.watermark_spec is not None:
            raise ValidationError("The base table has already defined the watermark strategy: use MODIFY")
        schema = replace(schema, watermark_spec=watermark)
    if key is not None:
        if action == "add" and schema.key is not None:
            raise ValidationError("The base table has already defined the primary key constraint: use MODIFY")
        schema = replace(schema, key=tuple(key), key_name=arguments.get("key_name") or f"PK_{'_'.join(key)}")
    return schema


def _place(columns: list[ColumnSpec], column: ColumnSpec, places: Mapping[str, str | None], default: int) -> int:
    if column.name not in places:
        return default
    behind = places[column.name]
    if behind is None:
        return 0
    names = [each.name for each in columns]
    if behind not in names:
        raise unknown("column", behind, names)
    return names.index(behind) + 1


def _renamed(schema: Schema, old: str, new: str) -> Schema:
    names = [column.name for column in schema.columns]
    if old not in names:
        raise unknown("column", old, names)
    if new in names:
        raise ValidationError(f"The column `{new}` already existed in table schema.")
    _check_unused(schema, old, "rename")
    columns = tuple(replace(column, name=new) if column.name == old else column for column in schema.columns)
    key = None if schema.key is None else tuple(new if each == old else each for each in schema.key)
    return replace(schema, columns=columns, key=key)


def _dropped(table: CatalogBaseTable, names: tuple[str, ...]) -> Schema:
    schema = table.schema
    known = [column.name for column in schema.columns]
    for name in names:
        if name not in known:
            raise unknown("column", name, known)
        if name in (schema.key or ()) or name in table.partition_keys:
            raise ValidationError(f"Failed to execute ALTER TABLE: the column `{name}` is part of a key.")
    left = replace(schema, columns=tuple(column for column in schema.columns if column.name not in names))
    for name in names:
        _check_unused(left, name, "drop")
    if not left.columns:
        raise ValidationError("a table keeps one column at least")
    return left


def _check_unused(schema: Schema, name: str, what: str) -> None:
    """Test that neither a computed column nor the watermark needs a column."""
    expressions = {c.name: c.expression for c in schema.columns if c.expression is not None}
    for column, expression in expressions.items():
        if any(isinstance(each, Name) and each.parts[0] == name for each in walk(parsed(expression))):
            raise ValidationError(f"Failed to {what} column `{name}`: the column `{column}` is computed of it.")
    mark = schema.watermark_spec
    if mark is None:
        return
    used = [each for each in walk(parsed(mark.expression)) if isinstance(each, Name) and each.parts[0] == name]
    if mark.column == name or used:
        raise ValidationError(f"Failed to {what} column `{name}`: the watermark is of it.")


def _alter_database(session: Session, statement: Alter) -> None:
    catalog, database = session.catalogs.qualify_database(statement.path)
    known = session.catalogs.catalog(catalog)
    old = known.get_database(database)
    properties = _options(old.get_properties(), statement)
    known.alter_database(database, replace(old, properties=properties), False)


def _alter_catalog(session: Session, statement: Alter) -> None:
    catalog = session.catalogs.catalog(statement.path[-1])
    if not isinstance(catalog, GenericInMemoryCatalog):
        raise UnsupportedOperation("ALTER CATALOG: only the options of catalogs in memory can be set")
    catalog.options = _options(catalog.options, statement)
    session.catalogs.catalogs.note_options(statement.path[-1], catalog.options)


def _alter_function(session: Session, statement: Alter) -> None:
    name = session.catalogs.qualify(statement.path)
    function = CatalogFunction(statement.arguments["target"], statement.arguments["language"])
    catalog = session.catalogs.catalog(name.catalog)
    catalog.alter_function(name.to_object_path(), function, statement.if_exists)


def _options(old: Mapping[str, str], statement: Alter) -> dict[str, str]:
    if statement.action == "set":
        return {**old, **statement.arguments["options"]}
    return {key: value for key, value in old.items() if key not in statement.arguments["keys"]}
