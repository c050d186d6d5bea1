"""SHOW and DESCRIBE."""

from __future__ import annotations

import re
from collections.abc import Iterable

from datastream.environments.secret_values import shown as without_secrets
from datastream.errors import ValidationError
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.in_memory import GenericInMemoryCatalog
from datastream.table.catalogs.names import ObjectIdentifier
from datastream.table.catalogs.resolved_schema import type_summary
from datastream.table.execution.models import described_model, model_definition, model_names
from datastream.table.execution.session import Session
from datastream.table.results.table_result import TableResult, given_rows
from datastream.table.sql.sql_text import expression_sql
from datastream.table.sql.statements import ColumnSpec, Describe, Show
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import is_nullable
from datastream.table.types.type_text import quoted, sql

_TEXT = DataTypes.STRING()
_BOOLEAN = DataTypes.BOOLEAN(False)


def shown(session: Session, statement: Show) -> TableResult:
    """Carry out a SHOW.

    Raises:
        ValidationError: what it is of is not there.
    """
    what, path = statement.what, statement.path
    catalogs = session.catalogs
    match what:
        case "CATALOGS":
            return _list("catalog name", sorted(catalogs.catalogs), statement)
        case "CURRENT CATALOG":
            return _list("current catalog name", [catalogs.current_catalog or ""], statement)
        case "CURRENT DATABASE":
            return _list("current database name", [catalogs.current_database or ""], statement)
        case "DATABASES":
            catalog = path[-1] if path else str(catalogs.current_catalog)
            return _list("database name", catalogs.catalog(catalog).list_databases(), statement)
        case "TABLES" | "VIEWS":
            return _list(f"{what.lower()[:-1]} name", _tables(session, statement), statement)
        case "FUNCTIONS" | "USER FUNCTIONS":
            names = session.functions.user_names() if what == "USER FUNCTIONS" else session.functions.names()
            return _list("function name", names, statement)
        case "MODULES":
            return _list("module name", session.modules.used(), statement)
        case "FULL MODULES":
            rows = [(entry.name(), entry.used()) for entry in session.modules.entries()]
            return given_rows([("module name", _TEXT), ("used", _BOOLEAN)], rows)
        case "COLUMNS":
            return _columns(session, path, statement)
        case "CREATE TABLE" | "CREATE VIEW":
            return given_rows([("result", _TEXT)], [(_definition(session, statement),)])
        case "MODELS":
            return _list("model name", model_names(session, path), statement)
        case "CREATE MODEL":
            return given_rows([("result", _TEXT)], [(model_definition(session, path),)])
        case "CREATE CATALOG":
            return given_rows([("result", _TEXT)], [(_catalog_definition(session, path[-1]),)])
        case "PARTITIONS":
            return _partitions(session, statement)
        case "JARS":
            return given_rows([("jar", _TEXT)], [])
    raise ValidationError(f"SHOW {what} is for a gateway's sessions; use JobClient for the jobs of this program")


def described(session: Session, statement: Describe) -> TableResult:
    """Carry out a DESCRIBE.

    Raises:
        ValidationError: what it is of is not there.
    """
    if statement.kind == "TABLE":
        return _columns(session, statement.path, None)
    if statement.kind == "MODEL":
        return described_model(session, statement.path)
    rows: list[tuple[str, str | None]] = []
    if statement.kind == "CATALOG":
        name = statement.path[-1]
        catalog = session.catalogs.catalog(name)
        known = catalog if isinstance(catalog, GenericInMemoryCatalog) else None
        options = known.options if known else {}
        rows = [("name", name), ("type", options.get("type", type(catalog).__name__))]
        rows.append(("comment", known.comment if known else None))
        if statement.extended:
            rows += [(f"option:{key}", value) for key, value in sorted(options.items()) if key != "type"]
    elif statement.kind == "DATABASE":
        catalog_name, database = session.catalogs.qualify_database(statement.path)
        found = session.catalogs.catalog(catalog_name).get_database(database)
        rows = [("catalog", catalog_name), ("database", database), ("comment", found.get_comment())]
        if statement.extended:
            rows += [(f"property:{key}", value) for key, value in sorted(found.get_properties().items())]
    else:
        rows = _function(session, ".".join(statement.path))
    return given_rows([("info name", DataTypes.STRING(False)), ("info value", _TEXT)], rows)


def _catalog_definition(session: Session, name: str) -> str:
    """The CREATE CATALOG of a catalog."""
    catalog = session.catalogs.catalog(name)
    known = catalog if isinstance(catalog, GenericInMemoryCatalog) else None
    options = known.options if known else {}
    comment = f"COMMENT {_string(known.comment)}\n" if known and known.comment else ""
    shown = ",\n".join(
        f"  {_string(key)} = {_string(value)}" for key, value in sorted(without_secrets(options).items())
    )
    return f"CREATE CATALOG {quoted(name)}\n{comment}WITH (\n{shown}\n)\n"


def table_definition(session: Session, name: ObjectIdentifier, table: CatalogBaseTable) -> str:
    """The CREATE TABLE of a table."""
    schema = table.schema
    lines = [_column(column) for column in schema.columns]
    if schema.watermark_spec is not None:
        mark = schema.watermark_spec
        lines.append(f"WATERMARK FOR {quoted(mark.column)} AS {expression_sql(mark.expression)}")
    if schema.key is not None:
        key_name = quoted(schema.key_name or f"PK_{'_'.join(schema.key)}")
        lines.append(f"CONSTRAINT {key_name} PRIMARY KEY ({', '.join(map(quoted, schema.key))}) NOT ENFORCED")
    temporary = "TEMPORARY " if name in session.catalogs.temporary else ""
    parts = [f"CREATE {temporary}TABLE {name} (\n  " + ",\n  ".join(lines) + "\n)"]
    if table.comment:
        parts.append(f"COMMENT {_string(table.comment)}")
    if table.partition_keys:
        parts.append(f"PARTITIONED BY ({', '.join(map(quoted, table.partition_keys))})")
    options = ",\n  ".join(
        f"{_string(key)} = {_string(value)}" for key, value in sorted(without_secrets(table.options).items())
    )
    return "\n".join([*parts, f"WITH (\n  {options}\n)"]) + "\n"


def view_definition(session: Session, name: ObjectIdentifier, view: CatalogBaseTable) -> str:
    """The CREATE VIEW of a view.

    Raises:
        ValidationError: it is made of a `Table` and has no text.
    """
    if view.query is None:
        raise ValidationError(
            f"SHOW CREATE VIEW is not supported for views registered by Table API: {name.as_summary_string()}"
        )
    temporary = "TEMPORARY " if name in session.catalogs.temporary else ""
    columns = ",\n  ".join(
        quoted(c.name) + (f" COMMENT {_string(c.comment)}" if c.comment else "") for c in view.schema.columns
    )
    comment = f"\nCOMMENT {_string(view.comment)}" if view.comment else ""
    return f"CREATE {temporary}VIEW {name} (\n  {columns}\n){comment}\nAS {view.expanded_query or view.query}\n"


def _tables(session: Session, statement: Show) -> list[str]:
    catalog, database = session.catalogs.qualify_database(statement.path)
    if not session.catalogs.catalog(catalog).database_exists(database):
        raise ValidationError(f"Database '{catalog}'.'{database}' doesn't exist.")
    names = session.catalogs.names(ObjectIdentifier(catalog, database, "_"))
    shown = [each for each in names if not each.startswith("*")]
    if statement.what != "VIEWS":
        return shown
    return [each for each in shown if session.catalogs.is_view(ObjectIdentifier(catalog, database, each))]


def _columns(session: Session, path: tuple[str, ...], statement: Show | None) -> TableResult:
    name = session.catalogs.qualify(path)
    table = session.catalogs.find(name)
    if table is None:
        raise ValidationError(f"Tables or views with the identifier '{name.as_summary_string()}' doesn't exist.")
    relation = session.relation_of(name, table)
    specs = {column.name: column for column in table.schema.columns}
    mark = table.schema.watermark_spec
    key = table.schema.key or ()
    rows = []
    for column in relation.columns:
        time = column.time if session.streaming or column.time != "rowtime" else None
        spec = specs.get(column.name, ColumnSpec(column.name))
        rows.append(
            (
                column.name,
                type_summary(column.type.nullable(), time),
                is_nullable(column.type),
                f"PRI({', '.join(key)})" if column.name in key else None,
                _extras(spec),
                expression_sql(mark.expression) if mark is not None and mark.column == column.name else None,
                spec.comment,
            )
        )
    commented = any(row[-1] is not None for row in rows)
    if statement is not None:
        rows = [row for row in rows if _matches(row[0], statement)]
    columns = [("name", _TEXT), ("type", _TEXT), ("null", DataTypes.BOOLEAN()), ("key", _TEXT), ("extras", _TEXT)]
    headings = [*columns, ("watermark", _TEXT), ("comment", _TEXT)]
    return given_rows(headings if commented else headings[:-1], rows if commented else [row[:-1] for row in rows])


def _extras(column: ColumnSpec) -> str | None:
    if column.expression is not None:
        return f"AS {expression_sql(column.expression)}"
    if column.metadata is None:
        return None
    origin = "" if column.metadata == column.name else f" FROM '{column.metadata}'"
    return f"METADATA{origin}{' VIRTUAL' if column.virtual else ''}"


def _column(column: ColumnSpec) -> str:
    kind = "" if column.type is None or column.expression is not None else f" {sql(column.type)}"
    extras = _extras(column)
    comment = f" COMMENT {_string(column.comment)}" if column.comment else ""
    return f"{quoted(column.name)}{kind}{f' {extras}' if extras else ''}{comment}"


def _definition(session: Session, statement: Show) -> str:
    name = session.catalogs.qualify(statement.path)
    table = session.catalogs.find(name)
    if table is None:
        raise ValidationError(
            f"Could not execute SHOW {statement.what}. "
            f"{statement.what[7:].capitalize()} with identifier {name} does not exist."
        )
    if table.is_view is not (statement.what == "CREATE VIEW"):
        kind, other = ("view", "VIEW") if table.is_view else ("table", "TABLE")
        raise ValidationError(
            f"SHOW {statement.what} is only supported for {statement.what[7:].lower()}s, but {name} is a {kind}. "
            f"Please use SHOW CREATE {other} instead."
        )
    return (view_definition if table.is_view else table_definition)(session, name, table)


def _partitions(session: Session, statement: Show) -> TableResult:
    name = session.catalogs.qualify(statement.path)
    found = session.catalogs.catalog(name.catalog).list_partitions(name.to_object_path())
    rows = ["/".join(f"{key}={value}" for key, value in each.get_partition_spec().items()) for each in found]
    return _list("partition name", rows, statement)


def _function(session: Session, name: str) -> list[tuple[str, str | None]]:
    from datastream.table.functions.user_functions import UserFunction

    found = session.functions.find(name)
    if found is None:
        raise ValidationError(f"Function {name} doesn't exist.")
    user = isinstance(found, UserFunction)
    temporary = name.lower() in session.functions.system
    return [
        ("is system function", str(not user or temporary).lower()),
        ("is temporary", str(temporary).lower()),
        ("kind", str(getattr(found, "kind", "scalar")).upper()),
    ]


def _list(heading: str, names: Iterable[str], statement: Show) -> TableResult:
    return given_rows([(heading, _TEXT)], [(name,) for name in names if _matches(name, statement)])


def _matches(name: str, statement: Show) -> bool:
    if statement.like is None:
        return True
    parts = re.split(r"([%_])", statement.like)
    pattern = "".join({"%": ".*", "_": "."}.get(part, re.escape(part)) for part in parts)
    found = re.fullmatch(pattern, name, re.DOTALL | (re.IGNORECASE if statement.ignore_case else 0))
    return (found is not None) is not statement.negated


def _string(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
