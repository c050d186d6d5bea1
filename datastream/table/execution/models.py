"""CREATE, ALTER, DROP, SHOW and DESCRIBE of models."""

from __future__ import annotations

from dataclasses import replace

from datastream.environments.secret_values import shown as without_secrets
from datastream.errors import ValidationError
from datastream.table.catalogs.model import CatalogModel
from datastream.table.catalogs.names import ObjectIdentifier
from datastream.table.catalogs.schema import Schema
from datastream.table.execution.session import Session
from datastream.table.results.table_result import TableResult, given_rows, ok
from datastream.table.sql.statements import Alter, ColumnSpec, CreateModel, Drop
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType, is_nullable
from datastream.table.types.type_text import quoted, sql, summary

_TEXT = DataTypes.STRING()


def created_model(session: Session, statement: CreateModel) -> TableResult:
    """CREATE MODEL.

    Raises:
        ValidationError: It has no options, only inputs or only outputs, or a column twice.
    """
    if not statement.options:
        raise ValidationError("Model property list can not be empty.")
    sides = (("input", statement.inputs), ("output", statement.outputs))
    for (side, columns), (other, others) in (sides, sides[::-1]):
        if columns and not others:
            raise ValidationError(
                f"{other.capitalize()} column list can not be empty with non-empty {side} column list."
            )
        names = [column.name for column in columns]
        twice = next((each for i, each in enumerate(names) if each in names[:i]), None)
        if twice is not None:
            raise ValidationError(f"Duplicate {side} column name: '{twice}'.")
        for column in columns:
            if column.type is None:
                raise ValidationError(f"the {side} column {column.name} of a model has no type")
    name = session.catalogs.qualify(statement.path)
    model = CatalogModel(
        Schema(statement.inputs), Schema(statement.outputs), dict(statement.options), statement.comment
    )
    session.models.create(name, model, statement.temporary, statement.if_not_exists)
    return ok()


def drop_model(session: Session, statement: Drop) -> None:
    """DROP MODEL."""
    name = session.catalogs.qualify(statement.path)
    if not statement.temporary:
        session.models.drop(name, statement.if_exists)
    elif not session.models.drop_temporary(name) and not statement.if_exists:
        raise ValidationError(f"Temporary model with identifier '{name.as_summary_string()}' does not exist.")


def alter_model(session: Session, statement: Alter) -> None:
    """ALTER MODEL."""
    name = session.catalogs.qualify(statement.path)
    if name in session.models.temporary:
        raise ValidationError(f"Model {name} is a temporary model: drop it and create it again")
    model = session.models.find(name)
    if model is None:
        if statement.if_exists:
            return
        raise ValidationError(f"Model {name} doesn't exist.")
    catalog, path = session.catalogs.catalog(name.catalog), name.to_object_path()
    if statement.action == "rename":
        to = session.catalogs.qualify(tuple(statement.arguments["to"]))
        if (to.catalog, to.database) != (name.catalog, name.database):
            raise ValidationError("a model is renamed inside its database: give a name alone")
        catalog.rename_model(path, to.name, False)
        return
    changed = statement.arguments["options" if statement.action == "set" else "keys"]
    if not changed:
        what = "option" if statement.action == "set" else "key"
        raise ValidationError(f"ALTER MODEL {statement.action.upper()} does not support empty {what}.")
    if statement.action == "set":
        options = {**model.options, **statement.arguments["options"]}
    else:
        options = {key: value for key, value in model.options.items() if key not in statement.arguments["keys"]}
    catalog.alter_model(path, replace(model, options=options), False)


def model_names(session: Session, path: tuple[str, ...]) -> list[str]:
    """The models of a database.

    Raises:
        ValidationError: There is no such database.
    """
    catalog, database = session.catalogs.qualify_database(path)
    if not session.catalogs.catalog(catalog).database_exists(database):
        raise ValidationError(f"Database '{catalog}'.'{database}' doesn't exist.")
    return session.models.names(catalog, database)


def described_model(session: Session, path: tuple[str, ...]) -> TableResult:
    """DESCRIBE MODEL: its columns.

    Raises:
        ValidationError: There is none.
    """
    model = session.models.find(session.catalogs.qualify(path))
    if model is None:
        name = session.catalogs.qualify(path).as_summary_string()
        raise ValidationError(f"Model with the identifier '{name}' doesn't exist.")
    columns = [(each, True) for each in model.input_schema.columns]
    columns += [(each, False) for each in model.output_schema.columns]
    rows = [
        (column.name, _type(column), is_nullable(_kind(column)), is_input, column.comment)
        for column, is_input in columns
    ]
    boolean = DataTypes.BOOLEAN()
    headings = [("name", _TEXT), ("type", _TEXT), ("null", boolean), ("is input", boolean), ("comment", _TEXT)]
    commented = any(row[-1] is not None for row in rows)
    return given_rows(headings if commented else headings[:-1], rows if commented else [row[:-1] for row in rows])


def model_definition(session: Session, path: tuple[str, ...]) -> str:
    """The CREATE MODEL of a model.

    Raises:
        ValidationError: There is none.
    """
    name = session.catalogs.qualify(path)
    model = session.models.find(name)
    if model is None:
        raise ValidationError(f"Could not execute SHOW CREATE MODEL. Model with identifier {name} does not exist.")
    return definition_of(name, model, name in session.models.temporary)


def definition_of(name: ObjectIdentifier, model: CatalogModel, temporary: bool) -> str:
    """The CREATE MODEL of a model."""
    parts = [f"CREATE {'TEMPORARY ' if temporary else ''}MODEL {name}"]
    for word, schema in (("INPUT", model.input_schema), ("OUTPUT", model.output_schema)):
        if schema.columns:
            parts.append(f"{word} ({', '.join(map(_column, schema.columns))})")
    if model.comment:
        parts.append(f"COMMENT {_string(model.comment)}")
    options = ",\n".join(
        f"  {_string(key)} = {_string(value)}" for key, value in sorted(without_secrets(model.options).items())
    )
    return "\n".join([*parts, f"WITH (\n{options}\n)"]) + "\n"


def _column(column: ColumnSpec) -> str:
    comment = f" COMMENT {_string(column.comment)}" if column.comment else ""
    return f"{quoted(column.name)} {sql(_kind(column))}{comment}"


def _type(column: ColumnSpec) -> str:
    return summary(_kind(column).nullable())


def _kind(column: ColumnSpec) -> DataType:
    assert column.type is not None
    return column.type


def _string(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
