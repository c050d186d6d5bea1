"""What the parts of an environment share: its catalogs, functions, settings and streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from datastream.api import StreamExecutionEnvironment
from datastream.api.accepted_settings import configuration_of
from datastream.api.environment import builder_of
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.graph.builder import Node
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.function_registry import FunctionRegistry
from datastream.table.catalogs.manager import CatalogManager
from datastream.table.catalogs.model import CatalogModel
from datastream.table.catalogs.models import ModelRegistry
from datastream.table.catalogs.modules import ModuleManager
from datastream.table.catalogs.names import ObjectIdentifier, split_path
from datastream.table.catalogs.schema import Schema
from datastream.table.catalogs.store import catalog_store
from datastream.table.config.environment_settings import is_streaming
from datastream.table.config.table_config import TableConfig
from datastream.table.plan.errors import retold
from datastream.table.plan.expressions import Expression
from datastream.table.plan.models import ModelShape
from datastream.table.plan.relations import Column, Relation
from datastream.table.planner import building
from datastream.table.planner.tables import TableColumn, TableShape, table_relation
from datastream.table.sql.nesting import allow_nesting
from datastream.table.sql.sql_text import parsed
from datastream.table.sql.statements import ColumnSpec
from datastream.table.types.logical_types import DataType

if TYPE_CHECKING:
    from datastream.table.connectors.connector import TableInfo
    from datastream.table.connectors.models import RunnableModel
    from datastream.table.execution.target import Target


TOO_DEEP = "the query is nested too deeply: write shorter chains of operators, or views over smaller queries"


class Session:
    """The catalogs, functions, settings and streams of an environment.

    Attributes:
        env: Where jobs are started.
        builder: Where operators are made.
        config: The settings.
        catalogs: Tables and views.
        functions: Functions.
        modules: Modules.
        models: Models.
        streams: Streams of the DataStream API, by their names in plans.
        unexecuted: What `Table.insert_into` has been called for, and nothing has run yet.
        first_mode: STREAMING or BATCH, as it was before the first SET of it; None: there was none.
    """

    def __init__(self, env: StreamExecutionEnvironment, catalog: str, database: str) -> None:
        allow_nesting()
        self.env = env
        self.builder = builder_of(env)
        self.config = TableConfig(configuration_of(env))
        self.catalogs = CatalogManager(catalog, database, catalog_store(self.config.get_configuration()))
        self.functions = FunctionRegistry(self.catalogs, lambda: self.streaming)
        self.modules = ModuleManager()
        self.models = ModelRegistry(self.catalogs)
        self.streams: dict[str, Node] = {}
        self.unexecuted: list[Target] = []
        self.first_mode: str | None = None
        self._viewed: list[ObjectIdentifier] = []

    @property
    def streaming(self) -> bool:
        """Whether queries give every change."""
        return is_streaming(self.config.get_configuration())

    def taken(self, target: Target) -> None:
        """Note that something runs what `Table.insert_into` gave."""
        self.unexecuted = [each for each in self.unexecuted if each is not target]

    def find(self, path: tuple[str, ...]) -> Relation | None:
        """What a table or view means; None: there is none."""
        try:
            name = self.catalogs.qualify(path)
        except ValidationError:
            return None
        table = self.catalogs.find(name)
        return None if table is None else self.relation_of(name, table)

    def names(self, path: tuple[str, ...] = ()) -> list[str]:
        """The names of all tables and views of the database that a path names. Default: the current one."""
        try:
            return self.catalogs.names(self.catalogs.qualify(path) if len(path) > 1 else None)
        except ValidationError:
            return []

    def missing_place(self, path: tuple[str, ...]) -> tuple[str, str, list[str]] | None:
        """What is missing around a table: ``catalog`` or ``database``, its name, and those that there are.

        None: its database is there, or none is current.
        """
        try:
            return self.catalogs.missing_place(self.catalogs.qualify(path))
        except ValidationError:
            return None

    def find_model(self, path: tuple[str, ...]) -> ModelShape | None:
        """A model as queries know it; None: there is none."""
        from datastream.table.connectors.models import runnable

        try:
            name = self.catalogs.qualify(path)
        except ValidationError:
            return None
        model = self.models.find(name)
        if model is None:
            return None
        full, inputs, outputs = _parts(name, model)
        try:
            return runnable(full, inputs, outputs, model.options).shape
        except ValidationError as error:
            return ModelShape(full, inputs, outputs, problem=str(error))

    def runnable_model(self, path: tuple[str, ...]) -> RunnableModel:
        """A model and what runs it.

        Raises:
            ValidationError: There is none, or nothing runs it, by its options.
        """
        from datastream.table.connectors.models import runnable

        name = self.catalogs.qualify(path)
        model = self.models.find(name)
        if model is None:
            raise ValidationError(f"the model {name}, which the plan calls, is not there any more")
        return runnable(*_parts(name, model), model.options)

    def model_names(self) -> list[str]:
        """The names of the models of the current database."""
        catalog, database = self.catalogs.current_catalog, self.catalogs.current_database
        if catalog is None or database is None:
            return []
        return sorted({*self.models.names(catalog, database), *self.models.temporary_names(catalog, database)})

    def qualify(self, path: str) -> ObjectIdentifier:
        """The whole name of a table, view, function or model."""
        return self.catalogs.qualify(split_path(path))

    def current_for(self, name: ObjectIdentifier) -> tuple[str, str] | None:
        """What names in the query of a new view are of: catalog and database; None: those of the view's own name."""
        current = self.catalogs.current_catalog, self.catalogs.current_database
        if current[0] is None or current[1] is None or current == (name.catalog, name.database):
            return None
        return current[0], current[1]

    def name_relation(self, relation: Relation) -> str:
        """Give a query a name by which SQL finds it."""
        taken = self.names()
        number = next(i for i in range(len(taken) + 1) if f"UnnamedTable${i}" not in taken)
        name = f"UnnamedTable${number}"
        self.catalogs.create_temporary(self.qualify(name), view_of(relation), False)
        return name

    def relation_of(self, name: ObjectIdentifier, table: CatalogBaseTable) -> Relation:
        """What a table or view means.

        Raises:
            ValidationError: a view's query, a computed column or the watermark is wrong.
        """
        if table.relation is not None:
            return table.relation
        if table.query is not None:
            return self._view_relation(name, table)
        columns = [
            TableColumn(
                column.name,
                column.type,
                None if column.expression is None else parsed(column.expression),
                column.metadata,
                self.metadata_type(table, column),
            )
            for column in table.schema.columns
        ]
        mark = table.schema.watermark_spec
        watermark = None if mark is None else (mark.column, parsed(mark.expression))
        return table_relation((name.catalog, name.database, name.name), TableShape(columns, watermark), self.functions)

    def metadata_type(self, table: CatalogBaseTable, column: ColumnSpec) -> DataType | None:
        """The type in which the connector gives and takes a metadata column; None: as it is declared."""
        from datastream.table.connectors.registry import find_connector

        if column.metadata is None or column.type is None:
            return None
        connector = find_connector(table.options.get("connector", ""))
        found = None if connector is None else connector.metadata.get(column.metadata)
        return None if found is None or found.nullable() == column.type.nullable() else found

    def _view_relation(self, name: ObjectIdentifier, view: CatalogBaseTable) -> Relation:
        """What a view's query means, with the view's names of its columns."""
        from datastream.table.sql.parser import parse
        from datastream.table.sql.statements import Query

        statement = parse(view.expanded_query or view.query or "")[0]
        if not isinstance(statement, Query):
            raise ValidationError(f"the definition of the view {name} is no query: {view.query}")
        if name in self._viewed:
            path = " -> ".join(each.name for each in [*self._viewed[self._viewed.index(name) :], name])
            raise ValidationError(f"the view {name.as_summary_string()} is made of itself: {path}; drop it")
        catalogs = self.catalogs
        current = catalogs.current_catalog, catalogs.current_database
        catalogs.current_catalog, catalogs.current_database = view.current or (name.catalog, name.database)
        self._viewed.append(name)
        try:
            relation = self.plan(statement)
        except (ValidationError, UnsupportedOperation) as error:
            if not str(error).startswith("line "):
                raise
            # The place is one of the view's text, and not of the statement that reads the view.
            raise retold(error, f"in the view {name.as_summary_string()}: {error}") from error
        finally:
            self._viewed.pop()
            catalogs.current_catalog, catalogs.current_database = current
        names = [column.name for column in view.schema.columns]
        return building.rename(relation, names) if names and tuple(names) != relation.names else relation

    def check_view(self, name: ObjectIdentifier, view: CatalogBaseTable) -> None:
        """See that a view is not made of itself, by what is to be its definition.

        Raises:
            ValidationError: it is.
        """
        self._view_relation(name, view)

    def plan(self, query: object, numbered: bool = True) -> Relation:
        """What a query means.

        Args:
            query: The query.
            numbered: As in `queries.plan`.
        """
        from datastream.table.planner import queries
        from datastream.table.sql.statements import Query

        assert isinstance(query, Query)
        try:
            return queries.plan(query.tree, self, self.functions, numbered)
        except RecursionError:
            raise ValidationError(TOO_DEEP) from None

    def values(self, rows: tuple[tuple[Expression, ...], ...]) -> Relation:
        """The table of rows of expressions, which read no columns."""
        from datastream.table.planner.values import plan_values

        return plan_values(rows, self.functions)

    def resolve(self, relation: Relation, expression: Expression) -> Expression:
        """An expression over the columns of a relation, with fields and types."""
        from datastream.table.planner.resolver import Resolver
        from datastream.table.planner.scope import Scope

        return Resolver(Scope.of(relation), self.functions).resolve(expression)

    def table_info(
        self, name: ObjectIdentifier, table: CatalogBaseTable, options: dict[str, str], overwrite: bool = False
    ) -> TableInfo:
        """A table as its connector sees it.

        Args:
            name: The table.
            table: What the catalog keeps of it.
            options: Of a hint, over the table's own.
            overwrite: What is written takes the place of what is there.
        """
        from datastream.table.connectors.connector import TableInfo

        columns = [c for c in table.schema.columns if c.type is not None]
        metadata = {c.name: c.metadata for c in columns if c.metadata is not None}
        return TableInfo(
            (name.catalog, name.database, name.name),
            tuple(Column(c.name, c.type) for c in columns if c.metadata is None and c.type is not None),
            metadata,
            {**table.options, **options},
            table.schema.key or (),
            table.partition_keys,
            table.comment,
            tuple(c.name for c in columns if c.metadata is not None and not c.virtual),
            overwrite,
        )


class _OfSession(Protocol):
    _session: Session


def session_of(t_env: _OfSession) -> Session:
    """The session of a `TableEnvironment`."""
    return t_env._session  # noqa: SLF001 - users see no session


def _parts(
    name: ObjectIdentifier, model: CatalogModel
) -> tuple[tuple[str, ...], tuple[Column, ...], tuple[Column, ...]]:
    """The full name of a model, its input columns and its output columns."""
    inputs, outputs = (
        tuple(Column(each.name, each.type) for each in schema.columns if each.type is not None)
        for schema in (model.input_schema, model.output_schema)
    )
    return (name.catalog, name.database, name.name), inputs, outputs


def view_of(relation: Relation, declared: Schema | None = None) -> CatalogBaseTable:
    """A query as a view; or a table, with its columns as they are declared."""
    return CatalogBaseTable(declared or unresolved_schema(relation), relation=relation)


def unresolved_schema(relation: Relation, names: Sequence[str] = ()) -> Schema:
    """The columns of a relation as they would be declared."""
    taken = [*names, *relation.names[len(names) :]]
    columns = [replace(column, name=name) for column, name in zip(relation.columns, taken, strict=True)]
    return Schema.new_builder().from_fields([c.name for c in columns], [c.type for c in columns]).build()
