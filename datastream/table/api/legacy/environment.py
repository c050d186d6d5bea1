"""Methods that `TableEnvironment` and `Table` had before Flink 1.14; `dir` does not show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError, cut
from datastream.old_names import warn_of_old
from datastream.table.api.query import query_of
from datastream.table.dsl.text_expressions import names_in
from datastream.table.execution.session import session_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from datastream.api import StreamExecutionEnvironment
    from datastream.job import JobExecutionResult
    from datastream.table.api.legacy.descriptors import ConnectorDescriptor, ConnectTableDescriptor
    from datastream.table.api.legacy.sources_and_sinks import CsvTableSink, CsvTableSource
    from datastream.table.api.table import Table
    from datastream.table.api.table_environment import TableEnvironment
    from datastream.table.api.table_pipeline import TablePipeline


def old_method(owner: str, name: str) -> Callable[..., Any] | None:
    """The function of an old method, which takes the object first; None: there is none of the name.

    Args:
        owner: ``TableEnvironment`` or ``Table``.
        name: The method's name.
    """
    return (_OF_ENVIRONMENTS if owner == "TableEnvironment" else _OF_TABLES).get(name)


def connect(t_env: TableEnvironment, connector_descriptor: ConnectorDescriptor) -> ConnectTableDescriptor:
    """Begin to declare a table, by the descriptor of its connector."""
    from datastream.table.api.legacy.descriptors import BatchTableDescriptor, StreamTableDescriptor

    _warn("connect", "create_temporary_table(name, TableDescriptor.for_connector(...)...), or CREATE TABLE")
    made = StreamTableDescriptor if session_of(t_env).streaming else BatchTableDescriptor
    return made(t_env, connector_descriptor)


def register_table_source(t_env: TableEnvironment, name: str, table_source: CsvTableSource) -> None:
    """Give a source a name."""
    _warn("register_table_source", "create_temporary_table(name, TableDescriptor.for_connector(...)...)")
    t_env.create_temporary_table(name, _described(table_source, "register_table_source"))


def register_table_sink(t_env: TableEnvironment, name: str, *given: Any) -> None:
    """Give a sink a name: ``(name, sink)``, or ``(name, field_names, field_types, sink)``."""
    _warn("register_table_sink", "create_temporary_table(name, TableDescriptor.for_connector(...)...)")
    if len(given) not in (1, 3):
        raise ValidationError("register_table_sink needs a sink such as CsvTableSink(...) after the name")
    sink: CsvTableSink = given[-1]
    if len(given) == 3:
        sink = sink.configure(given[0], given[1])
    t_env.create_temporary_table(name, _described(sink, "register_table_sink"))


def from_table_source(t_env: TableEnvironment, table_source: CsvTableSource) -> Table:
    """The table of a source."""
    _warn("from_table_source", "from_descriptor(TableDescriptor.for_connector(...)...)")
    return t_env.from_descriptor(_described(table_source, "from_table_source"))


def from_collection(t_env: TableEnvironment, data: Iterable[Any], schema: Any = None) -> Table:
    """A table of rows that are given; the schema may be names such as ``id, name``."""
    _warn("from_collection", "from_elements(rows, ['id', 'name'])")
    return t_env.from_elements(data, names_in(schema) if isinstance(schema, str) else schema)


def register_function(t_env: TableEnvironment, name: str, function: Any) -> None:
    """Register a function under a name."""
    _warn("register_function", "create_temporary_system_function(name, function)")
    t_env.drop_temporary_system_function(name)
    t_env.create_temporary_system_function(name, function)


def insert_into(t_env: TableEnvironment, target_path: str, table: Table, *more_parts: str) -> None:
    """Write a query into a table with the next `execute`."""
    _warn("insert_into", "table.execute_insert(name)")
    table.insert_into(".".join((target_path, *more_parts)))


def sql_update(t_env: TableEnvironment, stmt: str) -> None:
    """Carry out a statement of SQL; an INSERT runs with the next `execute`."""
    from datastream.table.execution.statements import executed, insert_target, single_statement
    from datastream.table.sql.statements import Insert

    _warn("sql_update", "execute_sql(statement)")
    statement = single_statement(stmt)
    session = session_of(t_env)
    if isinstance(statement, Insert):
        session.unexecuted.append(insert_target(session, statement))
    else:
        executed(session, statement)


def execute(t_env: TableEnvironment, job_name: str | None = None) -> JobExecutionResult:
    """Run all that `insert_into` and `sql_update` wrote, as one job, and wait for its end."""
    from datastream.table.execution.inserts import run_inserts

    _warn("execute", "table.execute_insert(name).wait(), or a StatementSet")
    session = session_of(t_env)
    targets, session.unexecuted = session.unexecuted, []
    if not targets:
        return session.env.execute(job_name)
    with _mode_for(t_env, targets):
        client = run_inserts(session, targets, job_name).get_job_client()
    assert client is not None
    return client.get_job_execution_result().result()


def exec_env(t_env: TableEnvironment) -> StreamExecutionEnvironment:
    """The environment of the streams."""
    _warn("exec_env", "the environment that was given to StreamTableEnvironment.create")
    return session_of(t_env).env


def set_parallelism(t_env: TableEnvironment, parallelism: int) -> None:
    """Set the number of tasks."""
    _warn("set_parallelism", "get_config().set('parallelism.default', '2')")
    session_of(t_env).env.set_parallelism(parallelism)


def get_parallelism(t_env: TableEnvironment) -> int:
    """The number of tasks."""
    return session_of(t_env).env.get_parallelism()


def explain(t_env: TableEnvironment, table: Table | None = None, extended: bool = False) -> str:
    """The plan of a query, or of what the next `execute` writes."""
    _warn("explain", "table.explain()")
    if table is not None:
        return table.explain()
    from datastream.table.execution.explaining import explained_targets

    session = session_of(t_env)
    return explained_targets(session, session.unexecuted, ())


def insert_into_of_java(table: Table, target_path: str, *more_parts: str) -> TablePipeline:
    """``insertInto``, the name in Java. A table ``print`` that was not declared prints rows as lines of CSV."""
    from datastream.table.api.table_descriptor import TableDescriptor

    _warn("insertInto", "insert_into(name)", "Table")
    path, t_env = ".".join((target_path, *more_parts)), query_of(table).t_env
    if path == "print" and path not in session_of(t_env).names():
        printed = TableDescriptor.for_connector("legacy-print").schema(_schema(table)).build()
        t_env.create_temporary_table(path, printed)
    return table.insert_into(path)


def write_to_sink(table: Table, sink: CsvTableSink) -> None:
    """Write the rows with the next `execute`."""
    _warn("write_to_sink", "execute_insert(TableDescriptor.for_connector(...)...)", "Table")
    kinds = table.get_schema().get_field_data_types()
    table.insert_into(_described(sink.configure(table.get_schema().get_field_names(), kinds), "write_to_sink"))


def _schema(table: Table) -> Any:
    from datastream.table.execution.session import unresolved_schema

    return unresolved_schema(query_of(table).relation)


def _described(given: Any, call: str) -> Any:
    describe = getattr(given, "table_descriptor", None)
    if describe is None:
        raise ValidationError(f"{call} needs a CsvTableSource or CsvTableSink, got {cut(given)}")
    return describe()


@contextmanager
def _mode_for(t_env: TableEnvironment, targets: Sequence[Any]) -> Iterator[None]:
    """Batch mode, where a file is to hold the results of a query that changes its rows.

    Old programs write such queries in streaming mode and read the file when their job has ended.
    """
    from datastream.api.environment import runtime_mode_of
    from datastream.config import RuntimeExecutionMode
    from datastream.table.config.environment_settings import RUNTIME_MODE
    from datastream.table.execution.jobs import lowered

    session = session_of(t_env)
    files = [each for each in targets if each.table.options.get("connector", "").startswith("legacy-")]
    changing = False
    if session.streaming and len(files) == len(targets):
        with session.builder.undone():
            changing = any(lowered(session, each.relation).updates for each in files)
    if not changing:
        yield
        return
    mode, configuration = runtime_mode_of(session.env), session.config.get_configuration()
    warn_of_old(
        "to write a query that changes its rows into a file in streaming mode",
        "EnvironmentSettings.in_batch_mode(); this job runs in batch mode",
    )
    configuration.set_string(RUNTIME_MODE, "BATCH")
    try:
        yield
    finally:
        configuration.set_string(RUNTIME_MODE, "STREAMING")
        session.env.set_runtime_mode(RuntimeExecutionMode[mode.name])


def _warn(name: str, instead: str, owner: str = "TableEnvironment") -> None:
    warn_of_old(f"{owner}.{name}", instead)


_OF_ENVIRONMENTS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        connect,
        exec_env,
        execute,
        explain,
        from_collection,
        from_table_source,
        get_parallelism,
        insert_into,
        register_function,
        register_table_sink,
        register_table_source,
        set_parallelism,
        sql_update,
    )
}
_OF_TABLES: dict[str, Callable[..., Any]] = {"insertInto": insert_into_of_java, "write_to_sink": write_to_sink}
