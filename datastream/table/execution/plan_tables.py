"""The tables of compiled plans: what a plan keeps of them, and what they are when it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from datastream.errors import ValidationError
from datastream.table.catalogs.names import ObjectIdentifier
from datastream.table.config.table_config import COMPILED_OBJECTS, RESTORED_OBJECTS
from datastream.table.connectors.connector import TableInfo
from datastream.table.execution.insert_plan import InsertPlan
from datastream.table.execution.json_form import Damaged
from datastream.table.execution.session import Session
from datastream.table.plan.relations import Column
from datastream.table.rules import scans
from datastream.table.types.type_text import sql


def kept(session: Session, table: TableInfo) -> TableInfo:
    """What a plan keeps of a table: of a temporary one its name, of another one what `COMPILED_OBJECTS` says."""
    if _unnamed(table):
        return table
    how = session.config.get(COMPILED_OBJECTS, "ALL").upper()
    if how == "IDENTIFIER" or ObjectIdentifier(*table.path) in session.catalogs.temporary:
        return TableInfo(table.path, ())
    return table if how == "ALL" else replace(table, options={}, comment=None)


def restored(session: Session, table: TableInfo, where: str) -> TableInfo:
    """A table when a plan runs: as the plan has it, or as it is declared now, as `RESTORED_OBJECTS` says.

    Args:
        session: Where it may be declared.
        table: What the plan has kept of it.
        where: Names the plan.

    Raises:
        ValidationError: it is in neither, or not the same in both.
    """
    if _unnamed(table):
        return table
    how, whole = session.config.get(RESTORED_OBJECTS, "ALL").upper(), bool(table.options)
    name, identifier = ".".join(table.path), ObjectIdentifier(*table.path)
    if how == "ALL_ENFORCED":
        if not whole:
            raise ValidationError(
                f"{where} does not hold the columns and options of table '{name}', and '{RESTORED_OBJECTS}' is "
                f"'ALL_ENFORCED': set it to 'ALL', or compile with '{COMPILED_OBJECTS}' = 'ALL'"
            )
        return table
    found = session.catalogs.find(identifier)
    if found is None or found.is_view:
        if whole and how == "ALL":
            return table
        raise ValidationError(
            f"{where} names table '{name}', which is not there: create it before the plan is loaded, or compile with "
            f"'{COMPILED_OBJECTS}' = 'ALL' and tables that are not temporary"
        )
    declared = session.table_info(identifier, found, {})
    if table.columns and _schema(declared) != _schema(table):
        raise ValidationError(
            f"The schema of table '{name}' in {where} does not match the one that is declared.\n"
            f"plan:     {_schema(table)}\ndeclared: {_schema(declared)}\nCompile the statement again"
        )
    return table if whole and how == "ALL" else declared


def check_tables(plan: InsertPlan, where: str) -> None:
    """See that the tables of a plan have the columns that it reads and writes.

    Raises:
        ValidationError: they do not.
        Damaged: a table is missing.
    """
    tables = {table.path: table for table in plan.tables}
    for sink in plan.sinks:
        read = list(scans(sink.rows))
        for path in (sink.path, *(scan.path for scan in read)):
            if path not in tables:
                raise Damaged(f"the table {'.'.join(path)} is not among its tables")
        for scan in read:
            _check_columns(tables[scan.path], scan.columns, where)
        written = tables[sink.path]
        _check_columns(written, sink.rows.columns, where)
        names = (*(column.name for column in written.columns), *written.persisted)
        if sink.rows.names != names:
            raise _other_columns(written, where)


def _check_columns(table: TableInfo, columns: Sequence[Column], where: str) -> None:
    own = {column.name: sql(column.type.nullable()) for column in table.columns}
    for column in columns:
        if column.name not in table.metadata and own.get(column.name) != sql(column.type.nullable()):
            raise _other_columns(table, where)


def _other_columns(table: TableInfo, where: str) -> ValidationError:
    return ValidationError(
        f"{where} was compiled for other columns of table '{'.'.join(table.path)}' than it has now: {_schema(table)}. "
        "Compile the statement again"
    )


def _unnamed(table: TableInfo) -> bool:
    return table.path[-1].startswith("*anonymous")


def _schema(table: TableInfo) -> str:
    columns = [f"{each.name} {sql(each.type)}" for each in table.columns]
    columns += [f"{name} METADATA FROM '{key}'" for name, key in table.metadata.items()]
    columns += [f"PRIMARY KEY ({', '.join(table.primary_key)})"] if table.primary_key else []
    text = f"({', '.join(columns)})"
    return f"{text} PARTITIONED BY ({', '.join(table.partition_keys)})" if table.partition_keys else text
