"""Statements as data: what the parser gives and the environment carries out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from datastream.table.plan.expressions import Expression, Position
from datastream.table.types.logical_types import DataType

#: A name as written: table, database.table or catalog.database.table.
Path = tuple[str, ...]


@dataclass(frozen=True)
class Statement:
    """Base of all statements."""


@dataclass(frozen=True)
class ColumnSpec:
    """A column of CREATE TABLE.

    Attributes:
        name: Its name.
        type: None for a computed column.
        expression: Of a computed column.
        metadata: Of a metadata column: the connector's key; `name` itself where none is given.
        virtual: A metadata column that is never written.
        comment: For people.
        type_text: The type as it is written, in a `Schema`; None: it is given as an object.
    """

    name: str
    type: DataType | None = None
    expression: Expression | None = None
    metadata: str | None = None
    virtual: bool = False
    comment: str | None = None
    type_text: str | None = None


@dataclass(frozen=True)
class WatermarkSpec:
    """``WATERMARK FOR column AS expression``."""

    column: str
    expression: Expression


@dataclass(frozen=True)
class Query(Statement):
    """A query; `tree` is a `datastream.table.sql.syntax.QueryNode`.

    Attributes:
        text: As written.
    """

    tree: Any
    text: str


@dataclass(frozen=True)
class CreateTable(Statement):
    path: Path
    columns: tuple[ColumnSpec, ...] = ()
    watermark: WatermarkSpec | None = None
    primary_key: tuple[str, ...] | None = None
    key_name: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    partitions: tuple[str, ...] = ()
    comment: str | None = None
    like: Path | None = None
    like_options: tuple[str, ...] = ()
    query: Query | None = None
    temporary: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class CreateView(Statement):
    path: Path
    query: Query
    columns: tuple[str, ...] = ()
    column_comments: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    temporary: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class CreateDatabase(Statement):
    path: Path
    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    if_not_exists: bool = False


@dataclass(frozen=True)
class CreateCatalog(Statement):
    name: str
    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    if_not_exists: bool = False


@dataclass(frozen=True)
class CreateModel(Statement):
    path: Path
    inputs: tuple[ColumnSpec, ...] = ()
    outputs: tuple[ColumnSpec, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    temporary: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class CreateFunction(Statement):
    """``language`` is ``PYTHON``, ``JAVA`` or ``SCALA``; `target` is ``module.name`` for Python."""

    path: Path
    target: str
    language: str = "JAVA"
    temporary: bool = False
    system: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class Drop(Statement):
    """`kind`: ``TABLE``, ``VIEW``, ``DATABASE``, ``CATALOG``, ``FUNCTION``."""

    kind: str
    path: Path
    if_exists: bool = False
    temporary: bool = False
    system: bool = False
    cascade: bool = False


@dataclass(frozen=True)
class Alter(Statement):
    """ALTER of a table, view, database or function.

    Attributes:
        kind: As in `Drop`.
        path: What.
        action: ``rename``, ``set``, ``reset``, ``rename column``, ``add``, ``modify``, ``drop``, ``drop watermark``,
            ``drop primary key``, ``as``.
        arguments: By action: `to` (Path or str), `column`, `options`, `keys`, `columns` (ColumnSpecs), `places`
            (column -> after which one, None: first), `watermark`, `primary_key`, `key_name`, `names`, `query`; of a
            function `target` and `language`.
    """

    kind: str
    path: Path
    action: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    if_exists: bool = False


@dataclass(frozen=True)
class Use(Statement):
    """`kind`: ``CATALOG``, ``DATABASE``, ``MODULES``."""

    kind: str
    names: Path


@dataclass(frozen=True)
class Show(Statement):
    """SHOW.

    Attributes:
        what: ``CATALOGS``, ``CURRENT CATALOG``, ``DATABASES``, ``CURRENT DATABASE``, ``TABLES``, ``VIEWS``,
            ``COLUMNS``, ``FUNCTIONS``, ``USER FUNCTIONS``, ``MODULES``, ``FULL MODULES``, ``CREATE TABLE``,
            ``CREATE VIEW``, ``CREATE CATALOG``, ``PARTITIONS``, ``JARS``, ``JOBS``.
        path: FROM or IN what, or of what.
        like: The pattern.
        negated: NOT LIKE.
        ignore_case: ILIKE.
    """

    what: str
    path: Path = ()
    like: str | None = None
    negated: bool = False
    ignore_case: bool = False


@dataclass(frozen=True)
class Describe(Statement):
    """`kind`: ``TABLE``, ``DATABASE``, ``CATALOG``, ``FUNCTION``."""

    kind: str
    path: Path
    extended: bool = False


@dataclass(frozen=True)
class Insert(Statement):
    """INSERT.

    Attributes:
        path: Into what.
        query: The rows.
        columns: Which columns they have; None: all but those of `partition`.
        overwrite: INSERT OVERWRITE.
        partition: Columns with one value for all rows, as text.
        options: Of the hint OPTIONS.
        conflict: Of ON CONFLICT DO: ``deduplicate``, ``nothing``, ``error``; None: it is not said.
        positions: Where the columns are; without columns, where the query begins.
        table_position: Where the table's name is.
    """

    path: Path
    query: Query
    columns: tuple[str, ...] | None = None
    overwrite: bool = False
    partition: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    conflict: str | None = None
    positions: tuple[Position, ...] = field(default=(), compare=False)
    table_position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True)
class StatementSetBlock(Statement):
    """EXECUTE STATEMENT SET BEGIN ... END."""

    statements: tuple[Insert, ...]


@dataclass(frozen=True)
class CompilePlan(Statement):
    """COMPILE PLAN, or COMPILE AND EXECUTE PLAN.

    Attributes:
        file: Where the plan is written.
        statement: What is compiled.
        if_not_exists: A file that is there stays.
        execute: The plan runs: that of the file, if it is there.
    """

    file: str
    statement: Insert | StatementSetBlock
    if_not_exists: bool = False
    execute: bool = False


@dataclass(frozen=True)
class ExecutePlan(Statement):
    """EXECUTE PLAN 'file'."""

    file: str


@dataclass(frozen=True)
class Explain(Statement):
    """`details`: of ``ESTIMATED_COST``, ``CHANGELOG_MODE``, ``JSON_EXECUTION_PLAN``, ``PLAN_ADVICE``."""

    statement: Statement
    details: tuple[str, ...] = ()


@dataclass(frozen=True)
class Set(Statement):
    """Without a key: show all settings."""

    key: str | None = None
    value: str | None = None


@dataclass(frozen=True)
class Reset(Statement):
    """Without a key: all settings."""

    key: str | None = None


@dataclass(frozen=True)
class LoadModule(Statement):
    name: str
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class UnloadModule(Statement):
    name: str


@dataclass(frozen=True)
class Quit(Statement):
    """The end of a file of statements, whatever follows it."""


@dataclass(frozen=True)
class Refused(Statement):
    """A statement that Flink knows and this product does not support.

    Attributes:
        what: Its name, such as ``CREATE MATERIALIZED TABLE``.
        reason: Why, and what to do instead.
    """

    what: str
    reason: str
