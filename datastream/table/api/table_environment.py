"""`TableEnvironment`: where tables come from, and where SQL runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import MethodType
from typing import TYPE_CHECKING, Any

from datastream.api import DataStream, StreamExecutionEnvironment
from datastream.config import Configuration
from datastream.errors import UnsupportedOperation, ValidationError, WrongType, cut
from datastream.missing_names import MissingNames
from datastream.old_names import warn_of_old
from datastream.table.api.compiled_plan import CompiledPlan, compiled_plan
from datastream.table.api.model import Model, model_of
from datastream.table.api.model_descriptor import ModelDescriptor
from datastream.table.api.process_tables import process
from datastream.table.api.query import query_of
from datastream.table.api.statement_set import StatementSet
from datastream.table.api.table import Table, declared_of
from datastream.table.api.table_descriptor import TableDescriptor
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.catalog import Catalog
from datastream.table.catalogs.database import CatalogDescriptor
from datastream.table.catalogs.modules import Module, ModuleEntry
from datastream.table.catalogs.names import ObjectIdentifier, split_path
from datastream.table.catalogs.schema import Schema
from datastream.table.config.environment_settings import EnvironmentSettings, is_streaming
from datastream.table.config.table_config import TableConfig
from datastream.table.dsl.expression import Expression
from datastream.table.execution.explain_detail import ExplainDetail
from datastream.table.execution.plan_reference import PlanReference
from datastream.table.execution.session import Session, view_of
from datastream.table.functions.lookup import unknown_table
from datastream.table.results.table_result import TableResult
from datastream.table.types.logical_types import DataType
from datastream.table.types.row_type import RowType

if TYPE_CHECKING:
    import pandas


_JAVA = "Java classes cannot be called here: write the function in Python and register what udf(...) returns with {}"


class TableEnvironment(MissingNames):
    """Makes tables, keeps them in catalogs, and carries out SQL.

    `create` makes one.
    """

    _renamed = {
        "register_table": "create_temporary_view",
        "register_java_function": "create_java_temporary_system_function",
        "list_user_functions": "list_user_defined_functions",
    }

    def __init__(self, env: StreamExecutionEnvironment, catalog: str, database: str) -> None:
        self._session = Session(env, catalog, database)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """A method of programs for older versions of Flink, such as ``connect``."""
            from datastream.table.api.legacy.environment import old_method

            method = None if name.startswith("_") else old_method("TableEnvironment", name)
            return super().__getattr__(name) if method is None else MethodType(method, self)

    @staticmethod
    def create(environment_settings: EnvironmentSettings | Configuration) -> TableEnvironment:
        """A new environment.

        Args:
            environment_settings: Such as ``EnvironmentSettings.in_streaming_mode()``, or a configuration.
        """
        settings = settings_of(environment_settings)
        env = StreamExecutionEnvironment.get_execution_environment(settings.get_configuration())
        return TableEnvironment(env, settings.get_built_in_catalog_name(), settings.get_built_in_database_name())

    @staticmethod
    def get_table_environment(table_config: TableConfig) -> TableEnvironment:
        """A new environment; the old form of `create`."""
        warn_of_old("TableEnvironment.get_table_environment", "TableEnvironment.create(settings)")
        return TableEnvironment.create(table_config.get_configuration())

    # -- catalogs and modules ----------------------------------------------------------------------

    def create_catalog(self, catalog_name: str, catalog_descriptor: CatalogDescriptor) -> None:
        """Add a catalog by its options; the same as CREATE CATALOG."""
        options = catalog_descriptor.configuration.to_dict()
        self._session.catalogs.catalogs.declare(catalog_name, options, catalog_descriptor.comment)

    def register_catalog(self, catalog_name: str, catalog: Catalog) -> None:
        """Add a catalog."""
        self._session.catalogs.register(catalog_name, catalog)

    def get_catalog(self, catalog_name: str) -> Catalog | None:
        """A catalog; None: there is none of the name."""
        return self._session.catalogs.catalogs.get(catalog_name)

    def load_module(self, module_name: str, module: Module) -> None:
        """Load a module: a set of functions."""
        if not isinstance(module, Module):
            raise ValidationError(f"load_module needs a Module, got {cut(module)}")
        self._session.modules.load(module_name)
        self._modules_changed()

    def unload_module(self, module_name: str) -> None:
        """Unload a module."""
        self._session.modules.unload(module_name)
        self._modules_changed()

    def use_modules(self, *module_names: str) -> None:
        """Use these modules, in this order."""
        self._session.modules.use(module_names)
        self._modules_changed()

    def list_catalogs(self) -> list[str]:
        """The names of all catalogs."""
        return sorted(self._session.catalogs.catalogs)

    def list_modules(self) -> list[str]:
        """The names of the modules in use."""
        return self._session.modules.used()

    def list_full_modules(self) -> list[ModuleEntry]:
        """All modules that are loaded."""
        return self._session.modules.entries()

    def list_databases(self) -> list[str]:
        """The names of the databases of the current catalog."""
        catalog, _ = self._session.catalogs.qualify_database(())
        return self._session.catalogs.catalog(catalog).list_databases()

    def get_current_catalog(self) -> str | None:
        """The catalog where names without one are looked up."""
        return self._session.catalogs.current_catalog

    def use_catalog(self, catalog_name: str) -> None:
        """Make a catalog current, with its default database."""
        self._session.catalogs.use_catalog(catalog_name)

    def get_current_database(self) -> str | None:
        """The database where names without one are looked up."""
        return self._session.catalogs.current_database

    def use_database(self, database_name: str) -> None:
        """Make a database of the current catalog current."""
        catalog, database = self._session.catalogs.qualify_database((database_name,))
        self._session.catalogs.use_database(catalog, database)

    # -- functions ---------------------------------------------------------------------------------

    def create_temporary_system_function(self, name: str, function: Any) -> None:
        """Register a function under a name without catalog; it hides a function of the library.

        Args:
            name: Its name in SQL and in `call`.
            function: What `udf`, `udtf`, `udaf` or `udtaf` returns.
        """
        self._session.functions.create_system(name, function)

    def drop_temporary_system_function(self, name: str) -> bool:
        """Remove a temporary system function. Returns whether there was one."""
        return self._session.functions.drop_system(name, True)

    def create_temporary_function(self, path: str, function: Any) -> None:
        """Register a function under a path; it hides one of the catalog.

        Args:
            path: ``function``, ``database.function`` or ``catalog.database.function``.
            function: What `udf`, `udtf`, `udaf` or `udtaf` returns.
        """
        self._session.functions.create_temporary(self._session.qualify(path), function)

    def drop_temporary_function(self, path: str) -> bool:
        """Remove a temporary function. Returns whether there was one."""
        return self._session.functions.drop_temporary(self._session.qualify(path), True)

    def drop_function(self, path: str) -> bool:
        """Remove a function from its catalog. Returns whether there was one."""
        name = self._session.qualify(path)
        catalog = self._session.catalogs.catalog(name.catalog)
        if not catalog.function_exists(name.to_object_path()):
            return False
        catalog.drop_function(name.to_object_path(), False)
        return True

    def create_java_temporary_system_function(self, name: str, function_class_name: str) -> None:
        """Register a class of Java."""
        raise UnsupportedOperation(_JAVA.format("create_temporary_system_function"))

    def create_java_function(self, path: str, function_class_name: str, ignore_if_exists: bool | None = None) -> None:
        """Register a class of Java."""
        raise UnsupportedOperation(_JAVA.format("create_temporary_function"))

    def create_java_temporary_function(self, path: str, function_class_name: str) -> None:
        """Register a class of Java."""
        raise UnsupportedOperation(_JAVA.format("create_temporary_function"))

    def list_user_defined_functions(self) -> list[str]:
        """The names of users' functions."""
        return self._session.functions.user_names()

    def list_functions(self) -> list[str]:
        """The names of all functions."""
        return self._session.functions.names()

    # -- tables and views --------------------------------------------------------------------------

    def create_temporary_table(
        self, path: str, descriptor: TableDescriptor, ignoreIfExists: bool | None = False
    ) -> None:
        """Declare a table that is forgotten with the environment.

        Args:
            path: ``table``, ``database.table`` or ``catalog.database.table``.
            descriptor: Its connector, options and columns.
            ignoreIfExists: Do nothing if there is one of the name.
        """
        table = _descriptor("create_temporary_table", descriptor).as_catalog_table()
        self._create(self._session.qualify(path), table, True, bool(ignoreIfExists))

    def create_table(self, path: str, descriptor: TableDescriptor, ignoreIfExists: bool | None = False) -> None:
        """Declare a table in a catalog.

        Args:
            path: ``table``, ``database.table`` or ``catalog.database.table``.
            descriptor: Its connector, options and columns.
            ignoreIfExists: Do nothing if there is one of the name.
        """
        table = _descriptor("create_table", descriptor).as_catalog_table()
        self._create(self._session.qualify(path), table, False, bool(ignoreIfExists))

    def create_temporary_view(
        self,
        view_path: str,
        table_or_data_stream: Table | DataStream,
        *fields_or_schema: str | Expression[Any] | Schema,
    ) -> None:
        """Give a query a name.

        Args:
            view_path: ``view``, ``database.view`` or ``catalog.database.view``.
            table_or_data_stream: The query; in a `StreamTableEnvironment` also a stream.
            fields_or_schema: Of a stream: its columns, as in `from_data_stream`.
        """
        table = self._table_of(table_or_data_stream, fields_or_schema)
        view = view_of(query_of(table).relation, declared_of(table))
        self._session.catalogs.create_temporary(self._session.qualify(view_path), view, False)

    def create_view(self, view_path: str, table: Table, ignore_if_exists: bool | None = False) -> None:
        """Keep a query in a catalog under a name."""
        table = TableEnvironment._table_of(self, table, ())
        view = view_of(query_of(table).relation, declared_of(table))
        self._session.catalogs.create(self._session.qualify(view_path), view, bool(ignore_if_exists))

    def from_path(self, path: str) -> Table:
        """The table or view of a name."""
        return self._found(split_path(path), path)

    def from_call(self, function: Any, *arguments: Any) -> Table:
        """What a process table function makes of tables; Java's method, which PyFlink has not.

        Args:
            function: A `ProcessTableFunction`, what `udptf` returns, or the name of a registered one.
            arguments: Tables, ``table.partition_by(...)``, constants; by name with ``as_argument("name")``.
        """
        return process(self, function, arguments)

    def from_model(self, model: str | ModelDescriptor) -> Model:
        """A model, whose `Model.predict` takes tables; Java's method, which PyFlink has not.

        Args:
            model: Its name, or how it is declared: it has no name then.
        """
        return model_of(self, model)

    def scan(self, *table_path: str) -> Table:
        """The table or view of a name, in parts; the old form of `from_path`."""
        return self._found(table_path, ".".join(table_path))

    def from_descriptor(self, descriptor: TableDescriptor) -> Table:
        """A table without a name."""
        table = _descriptor("from_descriptor", descriptor).as_catalog_table()
        name = self._session.catalogs.anonymous(table.options.get("connector"))
        self._create(name, table, True, False)
        return Table(self._session.relation_of(name, table), self, table.schema)

    def from_elements(
        self, elements: Iterable[Any], schema: DataType | list[str] | None = None, verify_schema: bool = True
    ) -> Table:
        """A table of rows that are given.

        Args:
            elements: Rows: tuples, lists, dicts or `Row`; or single values where the schema is the type of one column;
                or expressions, such as ``row(1, "a")``.
            schema: A ROW type, the type of one column, or the names of the columns. Default: what the rows say.
            verify_schema: Whether rows are tested against the types; they are in any case.
        """
        from datastream.table.api.given_rows import expressions_relation, rows_relation

        if not isinstance(elements, (str, bytes)) and isinstance(elements, Iterable):
            elements = list(elements)
            expressions = [each for each in elements if isinstance(each, Expression)]
            if expressions and len(expressions) < len(elements):
                raise ValidationError("from_elements: either all elements are expressions, or none")
            if expressions:
                return Table(expressions_relation(expressions, schema, self._session), self)
        return Table(rows_relation(elements, schema, self.get_config().zone), self)

    def from_pandas(
        self,
        pdf: pandas.DataFrame,
        schema: RowType | Sequence[str] | Sequence[DataType] | None = None,
        splits_num: int = 1,
    ) -> Table:
        """A table of a DataFrame's rows.

        Args:
            pdf: The DataFrame.
            schema: A ROW type, or names, or types of the columns. Default: those of the DataFrame.
            splits_num: Has no effect: one task reads the rows.
        """
        from datastream.table.api.pandas_tables import frame_relation

        return Table(frame_relation(pdf, schema, self.get_config().zone), self)

    def list_tables(self) -> list[str]:
        """The names of the tables and views of the current database, temporary ones among them."""
        return [name for name in self._session.names() if not name.startswith("*")]

    def list_views(self) -> list[str]:
        """The names of the views of the current database, temporary ones among them."""
        known = self._session.catalogs
        return [name for name in self.list_tables() if known.is_view(known.qualify((name,)))]

    def list_materialized_tables(self) -> list[str]:
        """An empty list: there are no materialized tables here."""
        return []

    def list_temporary_tables(self) -> list[str]:
        """The names of the temporary tables and views of the current database."""
        catalog, database = self._session.catalogs.qualify_database(())
        found = self._session.catalogs.temporary_of(catalog, database)
        return sorted(each.name for each in found if not each.name.startswith("*"))

    def list_temporary_views(self) -> list[str]:
        """The names of the temporary views of the current database."""
        return [name for name in self.list_temporary_tables() if self._get((name,)).is_view]

    def drop_temporary_table(self, table_path: str) -> bool:
        """Remove a temporary table. Returns whether there was one."""
        return self._session.catalogs.drop_temporary(self._session.qualify(table_path), False)

    def drop_table(self, table_path: str, ignore_if_not_exists: bool | None = True) -> bool:
        """Remove a table from its catalog. Returns whether there was one."""
        return self._session.catalogs.drop(self._session.qualify(table_path), False, bool(ignore_if_not_exists))

    def drop_temporary_view(self, view_path: str) -> bool:
        """Remove a temporary view. Returns whether there was one."""
        return self._session.catalogs.drop_temporary(self._session.qualify(view_path), True)

    def drop_view(self, view_path: str, ignore_if_not_exists: bool | None = True) -> bool:
        """Remove a view from its catalog. Returns whether there was one."""
        return self._session.catalogs.drop(self._session.qualify(view_path), True, bool(ignore_if_not_exists))

    # -- models ------------------------------------------------------------------------------------

    def list_models(self) -> list[str]:
        """The names of the models of the current database, but for temporary ones."""
        return self._session.models.names(*self._session.catalogs.qualify_database(()))

    def list_temporary_models(self) -> list[str]:
        """The names of the temporary models of the current database."""
        return self._session.models.temporary_names(*self._session.catalogs.qualify_database(()))

    def create_model(
        self, model_path: str, model_descriptor: ModelDescriptor, ignore_if_exists: bool | None = False
    ) -> None:
        """Keep a model in a catalog. It is shown and listed, and nothing calls it.

        Args:
            model_path: ``model``, ``database.model`` or ``catalog.database.model``.
            model_descriptor: Its provider, options and columns.
            ignore_if_exists: Do nothing if there is one of the name.
        """
        model = model_descriptor.as_catalog_model()
        self._session.models.create(self._session.qualify(model_path), model, False, bool(ignore_if_exists))

    def create_temporary_model(
        self, model_path: str, model_descriptor: ModelDescriptor, ignore_if_exists: bool | None = False
    ) -> None:
        """Keep a model that is forgotten with the environment; see `create_model`."""
        model = model_descriptor.as_catalog_model()
        self._session.models.create(self._session.qualify(model_path), model, True, bool(ignore_if_exists))

    def drop_model(self, model_path: str, ignore_if_not_exists: bool | None = True) -> bool:
        """Remove a model from its catalog. Returns whether there was one."""
        return self._session.models.drop(self._session.qualify(model_path), bool(ignore_if_not_exists))

    def drop_temporary_model(self, model_path: str) -> bool:
        """Remove a temporary model. Returns whether there was one."""
        return self._session.models.drop_temporary(self._session.qualify(model_path))

    # -- SQL ---------------------------------------------------------------------------------------

    def sql_query(self, query: str) -> Table:
        """The table of a query in SQL."""
        from datastream.table.execution.statements import single_statement
        from datastream.table.sql.statements import Query

        statement = single_statement(query)
        if not isinstance(statement, Query):
            raise ValidationError(
                f"sql_query takes a SELECT, VALUES or the like, got {cut(query)}: use execute_sql for other statements"
            )
        return Table(self._session.plan(statement), self)

    def execute_sql(self, stmt: str) -> TableResult:
        """Carry out one statement of SQL; an INSERT or SELECT starts a job."""
        from datastream.table.execution.statements import executed, single_statement

        return executed(self._session, single_statement(stmt))

    def explain_sql(self, stmt: str, *extra_details: ExplainDetail) -> str:
        """The plan of a statement as text."""
        from datastream.table.execution.statements import explained_statement, single_statement

        return explained_statement(self._session, single_statement(stmt), extra_details)

    def create_statement_set(self) -> StatementSet:
        """A set of INSERTs that run as one job."""
        return StatementSet(self)

    def load_plan(self, plan_reference: PlanReference) -> CompiledPlan:
        """A plan that was compiled.

        Raises:
            ValidationError: it is damaged, of a later version, or names what is not there.
        """
        from datastream.table.execution.compiling import loaded
        from datastream.table.execution.plan_files import read_plan

        text, where = read_plan(plan_reference)
        loaded(self._session, text, where)
        return CompiledPlan(text, self)

    def compile_plan_sql(self, stmt: str) -> CompiledPlan:
        """The plan of an INSERT or of a statement set, to be kept and run later.

        Raises:
            ValidationError: it is none, or wrong.
            UnsupportedOperation: it reads a stream, or calls a function that is not registered.
        """
        from datastream.table.execution.statements import insert_targets, single_statement

        targets = insert_targets(self._session, single_statement(stmt))
        if targets is None:
            raise ValidationError(
                "Unsupported SQL query! compilePlanSql() only accepts a single SQL statement of type INSERT, or "
                f"EXECUTE STATEMENT SET; got {cut(stmt)}"
            )
        return compiled_plan(self, targets)

    def execute_plan(self, plan_reference: PlanReference) -> TableResult:
        """Run a plan that was compiled; the same as ``load_plan(plan_reference).execute()``."""
        return self.load_plan(plan_reference).execute()

    # -- settings ----------------------------------------------------------------------------------

    def get_config(self) -> TableConfig:
        """The settings."""
        return self._session.config

    def add_python_file(self, file_path: str) -> None:
        """Make modules importable for functions; see `StreamExecutionEnvironment.add_python_file`."""
        self._session.env.add_python_file(file_path)

    def set_python_requirements(self, requirements_file_path: str, requirements_cache_dir: str | None = None) -> None:
        """Name the packages that functions need; see `StreamExecutionEnvironment.set_python_requirements`."""
        self._session.env.set_python_requirements(requirements_file_path, requirements_cache_dir)

    def add_python_archive(self, archive_path: str, target_dir: str | None = None) -> None:
        """Have an archive unpacked for functions; see `StreamExecutionEnvironment.add_python_archive`."""
        self._session.env.add_python_archive(archive_path, target_dir)

    # -- the inside --------------------------------------------------------------------------------

    def _table_of(self, table: Any, fields_or_schema: Sequence[Any]) -> Table:
        if not isinstance(table, Table):
            raise ValidationError(f"create_temporary_view needs a Table, got {cut(table)}")
        if query_of(table).t_env is not self:
            raise ValidationError("Only table API objects that belong to this TableEnvironment can be registered.")
        if fields_or_schema:
            raise ValidationError("create_temporary_view takes columns only for a DataStream; use table.alias(...)")
        return table

    def _create(self, name: ObjectIdentifier, table: CatalogBaseTable, temporary: bool, ignore: bool) -> None:
        from datastream.table.execution.definitions import checked_table

        table = checked_table(self._session, name, table)
        create = self._session.catalogs.create_temporary if temporary else self._session.catalogs.create
        create(name, table, ignore)

    def _found(self, path: tuple[str, ...], text: str) -> Table:
        relation = self._session.find(path)
        if relation is None:
            raise unknown_table(self._session, path, text=text)
        table = self._get(path)
        return Table(relation, self, None if table.query is not None else table.schema)

    def _get(self, path: tuple[str, ...]) -> CatalogBaseTable:
        return self._session.catalogs.get(self._session.catalogs.qualify(path))

    def _modules_changed(self) -> None:
        self._session.functions.with_library = bool(self._session.modules.used())


def settings_of(given: Any) -> EnvironmentSettings:
    if isinstance(given, TableConfig):
        warn_of_old("TableEnvironment.create with a TableConfig", "EnvironmentSettings.in_streaming_mode() or the like")
        given = given.get_configuration()
    if isinstance(given, Configuration):
        given = EnvironmentSettings.new_instance().with_configuration(given).build()
    if not isinstance(given, EnvironmentSettings):
        hint = "; call .build() on it" if isinstance(given, EnvironmentSettings.Builder) else ""
        raise WrongType(
            "TableEnvironment.create needs EnvironmentSettings such as EnvironmentSettings.in_streaming_mode(), got "
            f"{cut(given)}{hint}"
        )
    is_streaming(given.get_configuration())
    return given


def _descriptor(call: str, given: Any) -> TableDescriptor:
    if isinstance(given, TableDescriptor):
        return given
    hint = "; call .build() on it" if isinstance(given, TableDescriptor.Builder) else ""
    raise ValidationError(f"{call} needs a TableDescriptor, got {cut(given)}{hint}")
