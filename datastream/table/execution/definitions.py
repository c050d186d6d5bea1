"""CREATE and DROP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from datastream.errors import ValidationError
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.database import CatalogDatabase
from datastream.table.catalogs.function import CatalogFunction
from datastream.table.catalogs.function_registry import loaded
from datastream.table.catalogs.in_memory import GenericInMemoryCatalog
from datastream.table.catalogs.names import ObjectIdentifier
from datastream.table.catalogs.schema import Schema
from datastream.table.execution.inserts import run_inserts
from datastream.table.execution.models import created_model, drop_model
from datastream.table.execution.session import Session, unresolved_schema
from datastream.table.execution.target import Target
from datastream.table.plan.errors import unknown
from datastream.table.plan.relations import Relation
from datastream.table.results.table_result import TableResult, ok
from datastream.table.sql.statements import (
    ColumnSpec,
    CreateCatalog,
    CreateDatabase,
    CreateFunction,
    CreateModel,
    CreateTable,
    CreateView,
    Drop,
    Statement,
)
from datastream.table.types.logical_types import is_nullable

#: What LIKE takes over, and how by default.
_LIKE = ("CONSTRAINTS", "GENERATED", "METADATA", "OPTIONS", "PARTITIONS", "WATERMARKS")


def checked_table(session: Session, name: ObjectIdentifier, table: CatalogBaseTable) -> CatalogBaseTable:
    """A table whose columns, watermark, keys and partitions fit together.

    Raises:
        ValidationError: they do not.
    """
    schema = table.schema
    names = [column.name for column in schema.columns]
    twice = next((each for i, each in enumerate(names) if each in names[:i]), None)
    if twice is not None:
        raise ValidationError(f"A column named '{twice}' already exists in the table {name.as_summary_string()}.")
    for key in (*(schema.key or ()), *table.partition_keys):
        if key not in names:
            raise unknown("column", key, names)
    check_key(schema)
    session.relation_of(name, table)
    return table


def with_key(schema: Schema) -> Schema:
    """A schema whose primary key's columns are NOT NULL, as a PRIMARY KEY of SQL makes them."""
    keys = schema.key or ()
    columns = (
        replace(column, type=column.type.not_null()) if column.name in keys and column.type is not None else column
        for column in schema.columns
    )
    return replace(schema, columns=tuple(columns))


def check_key(schema: Schema) -> None:
    """See that a primary key is of columns that are there, are stored and are never NULL.

    Raises:
        ValidationError: it is not.
    """
    keys = schema.key or ()
    names = {column.name for column in schema.columns}
    wrong = next((f"Column '{key}' does not exist." for key in keys if key not in names), None)
    if len(set(keys)) < len(keys):
        wrong = f"A primary key must not contain duplicate columns. Found: {keys}"
    for column in schema.columns:
        if column.name in keys:
            if column.type is None or column.metadata is not None:
                wrong = f"Column '{column.name}' is not a physical column."
            elif is_nullable(column.type):
                wrong = f"Column '{column.name}' is nullable."
    if wrong is not None:
        raise ValidationError(f"Invalid primary key '{schema.key_name}'. {wrong}")


def created_table(session: Session, statement: CreateTable) -> TableResult:
    """CREATE TABLE, also with LIKE and AS."""
    name = session.catalogs.qualify(statement.path)
    if statement.if_not_exists and session.catalogs.find(name) is not None:
        return ok()
    key_name = statement.key_name
    if statement.primary_key and key_name is None:
        key_name = f"PK_{'_'.join(statement.primary_key)}"
    schema = Schema(tuple(statement.columns), statement.watermark, statement.primary_key, key_name)
    table = CatalogBaseTable(schema, dict(statement.options), tuple(statement.partitions), statement.comment)
    if statement.like is not None:
        table = _like(table, session.catalogs.get(session.catalogs.qualify(statement.like)), statement.like_options)
    relation = None
    if statement.query is not None:
        relation = session.plan(statement.query)
        table = replace(table, schema=_of_query(table.schema, relation))
    table = checked_table(session, name, replace(table, schema=with_key(table.schema)))
    if statement.temporary:
        session.catalogs.create_temporary(name, table, statement.if_not_exists)
    else:
        session.catalogs.create(name, table, statement.if_not_exists)
    if relation is None:
        return ok()
    return run_inserts(session, [Target(name, session.catalogs.get(name), relation, relation.names)])


def created_view(session: Session, statement: CreateView) -> TableResult:
    """CREATE VIEW."""
    name = session.catalogs.qualify(statement.path)
    relation = session.plan(statement.query, numbered=False)
    names = statement.columns or relation.names
    if twice := [each for place, each in enumerate(names) if each in names[:place]]:
        raise ValidationError(f"A column with the same name `{twice[0]}` has been defined already: give it another one")
    if statement.columns and len(statement.columns) != len(relation.columns):
        raise ValidationError(
            f"VIEW definition and input fields not match:\n\tDef fields: {list(statement.columns)}.\n"
            f"\tInput fields: {list(relation.names)}."
        )
    schema = unresolved_schema(relation, statement.columns)
    comments = statement.column_comments
    columns = tuple(replace(column, comment=comments.get(column.name)) for column in schema.columns)
    text = statement.query.text
    view = CatalogBaseTable(
        replace(schema, columns=columns),
        comment=statement.comment,
        query=text,
        expanded_query=text,
        current=session.current_for(name),
    )
    if statement.temporary:
        session.catalogs.create_temporary(name, view, statement.if_not_exists)
    else:
        session.catalogs.create(name, view, statement.if_not_exists)
    return ok()


def created_database(session: Session, statement: CreateDatabase) -> TableResult:
    """CREATE DATABASE."""
    catalog, database = session.catalogs.qualify_database(statement.path)
    made = CatalogDatabase(dict(statement.options), statement.comment)
    session.catalogs.catalog(catalog).create_database(database, made, statement.if_not_exists)
    return ok()


def created_catalog(session: Session, statement: CreateCatalog) -> TableResult:
    """CREATE CATALOG."""
    if statement.if_not_exists and statement.name in session.catalogs.catalogs:
        return ok()
    session.catalogs.catalogs.declare(statement.name, dict(statement.options), statement.comment)
    return ok()


def created_function(session: Session, statement: CreateFunction) -> TableResult:
    """CREATE FUNCTION."""
    if statement.system:
        function = loaded(statement.target, statement.language)
        session.functions.create_system(".".join(statement.path), function, statement.if_not_exists)
        return ok()
    name = session.catalogs.qualify(statement.path)
    if statement.temporary:
        function = loaded(statement.target, statement.language)
        session.functions.create_temporary(name, function, statement.if_not_exists)
        return ok()
    stored = CatalogFunction(statement.target, statement.language)
    catalog = session.catalogs.catalog(name.catalog)
    catalog.create_function(name.to_object_path(), stored, statement.if_not_exists)
    return ok()


def dropped(session: Session, statement: Drop) -> TableResult:
    """DROP."""
    actions: dict[str, Callable[[Session, Drop], Any]] = {
        "TABLE": _drop_table,
        "VIEW": _drop_table,
        "FUNCTION": _drop_function,
        "MODEL": drop_model,
        "DATABASE": _drop_database,
        "CATALOG": lambda session, drop: session.catalogs.drop_catalog(drop.path[-1], drop.if_exists),
    }
    actions[statement.kind](session, statement)
    return ok()


def _drop_table(session: Session, statement: Drop) -> None:
    name, view = session.catalogs.qualify(statement.path), statement.kind == "VIEW"
    if not statement.temporary:
        session.catalogs.drop(name, view, statement.if_exists)
    elif not session.catalogs.drop_temporary(name, view) and not statement.if_exists:
        raise ValidationError(
            f"Temporary {statement.kind.lower()} with identifier '{name.as_summary_string()}' does not exist."
        )


def _drop_function(session: Session, statement: Drop) -> None:
    if statement.system:
        session.functions.drop_system(".".join(statement.path), statement.if_exists)
        return
    name = session.catalogs.qualify(statement.path)
    if statement.temporary:
        session.functions.drop_temporary(name, statement.if_exists)
    else:
        session.catalogs.catalog(name.catalog).drop_function(name.to_object_path(), statement.if_exists)


def _drop_database(session: Session, statement: Drop) -> None:
    catalog_name, database = session.catalogs.qualify_database(statement.path)
    if (catalog_name, database) == (session.catalogs.current_catalog, session.catalogs.current_database):
        raise ValidationError("Cannot drop a database which is currently in use.")
    catalog = session.catalogs.catalog(catalog_name)
    if isinstance(catalog, GenericInMemoryCatalog):
        catalog.drop_database(database, statement.if_exists, statement.cascade)
    else:
        catalog.drop_database(database, statement.if_exists)


def _like(table: CatalogBaseTable, source: CatalogBaseTable, options: tuple[str, ...]) -> CatalogBaseTable:
    """A table with what it takes over from another one.

    Raises:
        ValidationError: both have something that neither may overwrite.
    """
    how = dict.fromkeys(_LIKE, "INCLUDING") | {"OPTIONS": "OVERWRITING"}
    for option in options:
        word, what = option.split(" ")
        if what == "ALL":
            how = dict.fromkeys(_LIKE, word)
    how |= {what: word for word, what in (option.split(" ") for option in options) if what != "ALL"}
    taken = {what for what, word in how.items() if word != "EXCLUDING"}
    own = {column.name: column for column in table.schema.columns}
    columns: list[ColumnSpec] = []
    for column in source.schema.columns:
        kind = "GENERATED" if column.expression is not None else "METADATA" if column.metadata is not None else None
        if kind is not None and kind not in taken:
            continue
        if column.name in own:
            if kind is None or how[kind] != "OVERWRITING":
                raise ValidationError(f"A column named '{column.name}' already exists in the base table.")
            column = own.pop(column.name)
        columns.append(column)
    schema = table.schema
    if source.schema.watermark_spec is not None and "WATERMARKS" in taken:
        if schema.watermark_spec is None:
            schema = replace(schema, watermark_spec=source.schema.watermark_spec)
        elif how["WATERMARKS"] != "OVERWRITING":
            raise ValidationError("There already exists a watermark in the base table; use OVERWRITING WATERMARKS")
    if source.schema.key is not None and "CONSTRAINTS" in taken:
        if schema.key is not None:
            raise ValidationError("The base table already has a primary key; use EXCLUDING CONSTRAINTS")
        schema = replace(schema, key=source.schema.key, key_name=source.schema.key_name)
    merged = dict(source.options) if "OPTIONS" in taken else {}
    both = set(merged) & set(table.options)
    if both and how["OPTIONS"] == "INCLUDING":
        raise ValidationError(f"The base table already has the option '{min(both)}'; use OVERWRITING OPTIONS")
    partitions = table.partition_keys or (source.partition_keys if "PARTITIONS" in taken else ())
    return replace(
        table,
        schema=replace(schema, columns=(*columns, *own.values())),
        options={**merged, **table.options},
        partition_keys=partitions,
    )


def _of_query(schema: Schema, relation: Relation) -> Schema:
    """The columns of CREATE TABLE ... AS: those declared, then those of the query; names alone give the order."""
    made = {column.name: ColumnSpec(column.name, column.type) for column in relation.columns}
    if schema.columns and all(column.type is None and column.expression is None for column in schema.columns):
        names = [column.name for column in schema.columns]
        if sorted(names) != sorted(made):
            raise ValidationError(f"The columns {names} are not those of the query, {list(made)}")
        return replace(schema, columns=tuple(made[name] for name in names))
    own = {column.name for column in schema.columns}
    rest = (column for name, column in made.items() if name not in own)
    return replace(schema, columns=(*schema.columns, *rest))


DEFINITIONS: dict[type[Statement], Callable[[Session, Any], TableResult]] = {
    CreateTable: created_table,
    CreateView: created_view,
    CreateDatabase: created_database,
    CreateCatalog: created_catalog,
    CreateFunction: created_function,
    CreateModel: created_model,
    Drop: dropped,
}
