"""Carrying out a statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.environments.secret_values import shown as without_secrets
from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.table.config.environment_settings import RUNTIME_MODE
from datastream.table.execution.altering import altered
from datastream.table.execution.definitions import DEFINITIONS
from datastream.table.execution.explain_detail import ExplainDetail
from datastream.table.execution.explaining import explained, explained_targets
from datastream.table.execution.inserts import run_inserts
from datastream.table.execution.jobs import run_query
from datastream.table.execution.plan_files import compile_to_file, execute_file, plan_path
from datastream.table.execution.session import Session
from datastream.table.execution.showing import described, shown
from datastream.table.execution.target import Target
from datastream.table.functions.lookup import unknown_table
from datastream.table.results.table_result import TableResult, given_rows, ok
from datastream.table.sql.statements import (
    Alter,
    CompilePlan,
    CreateTable,
    Describe,
    ExecutePlan,
    Explain,
    Insert,
    LoadModule,
    Query,
    Quit,
    Refused,
    Reset,
    Set,
    Show,
    Statement,
    StatementSetBlock,
    UnloadModule,
    Use,
)
from datastream.table.types.data_types import DataTypes


def single_statement(text: Any) -> Any:
    """The one statement of a text.

    Raises:
        ValidationError: it is no text of SQL, or has several.
        UnsupportedOperation: it is one that is not supported.
    """
    from datastream.table.sql.parser import parse
    from datastream.table.sql.statements import Refused

    if not isinstance(text, str):
        raise ValidationError(f"expected a statement of SQL, got {cut(text)}")
    statements = parse(text)
    if len(statements) != 1:
        raise ValidationError(
            f"expected one statement, got {len(statements)}: call execute_sql for each, or use a StatementSet"
        )
    if isinstance(statements[0], Refused):
        raise UnsupportedOperation(f"{statements[0].what} is not supported: {statements[0].reason}")
    return statements[0]


def executed(session: Session, statement: Statement) -> TableResult:
    """Carry out a statement.

    Raises:
        ValidationError: it is wrong.
        UnsupportedOperation: it is not supported here.
    """
    define = DEFINITIONS.get(type(statement))
    if define is not None:
        return define(session, statement)
    match statement:
        case Query():
            return run_query(session, session.plan(statement))
        case Insert() | StatementSetBlock():
            return run_inserts(session, insert_targets(session, statement) or ())
        case CompilePlan(statement=inserts):
            return compile_to_file(session, statement, lambda: insert_targets(session, inserts) or ())
        case ExecutePlan(file=file):
            return execute_file(session, plan_path(file))
        case Alter():
            return altered(session, statement)
        case Show():
            return shown(session, statement)
        case Describe():
            return described(session, statement)
        case Explain(statement=inner, details=details):
            text = explained_statement(session, inner, [ExplainDetail[each] for each in details])
            columns = [("result", DataTypes.STRING())]
            return given_rows(columns, [(text,)], text)
        case Use():
            return _use(session, statement)
        case Set():
            return _set(session, statement)
        case Reset(key=key):
            return _reset(session, key)
        case LoadModule(name=name):
            session.modules.load(name)
        case UnloadModule(name=name):
            session.modules.unload(name)
        case Quit():
            raise UnsupportedOperation("QUIT and EXIT end a file of statements; a program ends by itself")
        case Refused(what=what, reason=reason):
            raise UnsupportedOperation(f"{what} is not supported: {reason}")
        case _:
            raise UnsupportedOperation(f"{type(statement).__name__} is not supported")
    session.functions.with_library = bool(session.modules.used())
    return ok()


def insert_targets(session: Session, statement: Statement) -> list[Target] | None:
    """The tables that an INSERT or a statement set writes, and their rows; None: the statement is neither."""
    match statement:
        case Insert():
            return [insert_target(session, statement)]
        case StatementSetBlock(statements=several):
            return [insert_target(session, each) for each in several]
    return None


def insert_target(session: Session, statement: Insert) -> Target:
    """The table that an INSERT writes, and its rows.

    Raises:
        ValidationError: there is no such table.
    """
    name = session.catalogs.qualify(statement.path)
    table = session.catalogs.find(name)
    if table is None:
        raise unknown_table(session, statement.path, statement.table_position)
    relation = session.plan(statement.query)
    fixed = {column: value for column, value in statement.partition.items() if value is not None}
    hint, over = statement.options, statement.overwrite
    conflict, positions = statement.conflict, statement.positions
    return Target(name, table, relation, statement.columns, fixed, hint, over, conflict, positions)


def explained_statement(session: Session, statement: Statement, details: Sequence[ExplainDetail]) -> str:
    """The plan of a query, an INSERT, or a set of them, as text.

    Raises:
        ValidationError: the statement is none of them.
    """
    match statement:
        case Query():
            return explained(session, [session.plan(statement)], details)
        case CreateTable(query=Query() as query):
            return explained(session, [session.plan(query)], details)
    targets = insert_targets(session, statement)
    if targets is None:
        raise ValidationError(
            "Unsupported SQL query! explainSql() only accepts a single SQL query of type INSERT INTO, SELECT or "
            "EXECUTE STATEMENT SET"
        )
    return explained_targets(session, targets, details)


def _use(session: Session, statement: Use) -> TableResult:
    match statement.kind:
        case "CATALOG":
            session.catalogs.use_catalog(statement.names[-1])
        case "DATABASE":
            session.catalogs.use_database(*session.catalogs.qualify_database(statement.names))
        case "MODULES":
            session.modules.use(statement.names)
            session.functions.with_library = bool(session.modules.used())
    return ok()


def _set(session: Session, statement: Set) -> TableResult:
    if statement.key is None:
        rows = sorted(without_secrets(session.config.to_map()).items())
        return given_rows([("key", DataTypes.STRING()), ("value", DataTypes.STRING())], rows)
    if statement.key == RUNTIME_MODE and session.first_mode is None:
        session.first_mode = "STREAMING" if session.streaming else "BATCH"
    session.config.set(statement.key, statement.value or "")
    return ok()


def _reset(session: Session, key: str | None) -> TableResult:
    configuration = session.config.get_configuration()
    for each in [key] if key is not None else list(configuration.key_set()):
        if each != RUNTIME_MODE:
            configuration.remove_config(each)
        elif session.first_mode is not None:
            session.config.set(each, session.first_mode)
    return ok()
