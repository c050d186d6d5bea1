"""INSERTs as jobs: planned, and then made of the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from datastream.api.data_stream import DataStream
from datastream.api.step import node_of
from datastream.errors import ValidationError
from datastream.graph.builder import Node
from datastream.io import CollectingSink
from datastream.job import started
from datastream.table.catalogs.names import ObjectIdentifier
from datastream.table.catalogs.resolved_schema import ResolvedSchema
from datastream.table.config.table_config import DML_SYNC
from datastream.table.connectors.printing import RowText
from datastream.table.execution.conflicts import primary_keys, sink_keys
from datastream.table.execution.determinism import determinism
from datastream.table.execution.jobs import JOB_NAME, lowered_plan, lowering, optimized, own_job
from datastream.table.execution.overwriting import check_overwrites, overwritten_once
from datastream.table.execution.session import Session
from datastream.table.execution.sinks import enforced, written_relation
from datastream.table.execution.target import Target
from datastream.table.lowering.subtasks import in_subtasks_of
from datastream.table.results.table_result import TableResult
from datastream.table.types.data_types import DataTypes

if TYPE_CHECKING:
    from datastream.table.connectors.connector import TableConnector, TableInfo
    from datastream.table.execution.insert_plan import InsertPlan
    from datastream.table.lowering.context import Lowered
    from datastream.table.lowering.lowering import Lowering


def run_inserts(session: Session, targets: Sequence[Target], job_name: str | None = None) -> TableResult:
    """Start the writing of tables, as one job.

    Args:
        session: Where it runs.
        targets: The tables and what is written.
        job_name: Default: that of the settings, or of the tables.

    Raises:
        ValidationError: rows do not fit a table, or a table cannot be written so.
    """
    if not targets:
        raise ValidationError("there is nothing to execute: add an INSERT first")
    with started.starting():
        names = [target.name.as_summary_string() for target in targets]
        return run_plan(session, planned(session, targets), names, job_name)


def run_plan(session: Session, plan: InsertPlan, names: Sequence[str], job_name: str | None = None) -> TableResult:
    """Start what a plan writes, as one job, and wait for its end if that is set.

    Args:
        session: Where it runs.
        plan: The plan.
        names: Those of the tables of all INSERTs.
        job_name: Default: that of the settings, or of the tables.
    """
    waits = session.config.get_configuration().get_boolean(DML_SYNC, False)
    with started.starting(), own_job(session):
        sink_plan(session, plan)
        name = job_name or session.config.get(JOB_NAME, f"insert-into_{','.join(names)}")
        client = session.env.execute_async(name)
    columns = [name if names.count(name) == 1 else f"{name}_{i + 1}" for i, name in enumerate(names)]
    schema = ResolvedSchema.physical(columns, [DataTypes.BIGINT()] * len(columns))
    counts = (-1,) * len(columns)
    result = TableResult(schema, [counts], client=client, text=", ".join(map(str, counts)))
    if waits:
        try:
            result.wait()
        except BaseException:
            client.cancel()
            raise
    return result


def planned(session: Session, targets: Sequence[Target]) -> InsertPlan:
    """The plan of what is written by one job.

    Raises:
        ValidationError: rows do not fit a table.
    """
    from datastream.table.execution.insert_plan import InsertPlan, PlannedSink
    from datastream.table.rules import scans

    rows = overwritten_once((each, enforced(session, each, written_relation(session, each))) for each in targets)
    plans = optimized(session, [each for _, each in rows])
    tables: dict[ObjectIdentifier, TableInfo] = {}
    for target, _ in rows:
        tables[target.name] = session.table_info(target.name, target.table, {})
    for scan in (scan for plan in plans for scan in scans(plan)):
        name = ObjectIdentifier(*scan.path)
        if name not in tables:
            tables[name] = session.table_info(name, session.catalogs.get(name), {})
    sinks = (
        PlannedSink(
            (each.name.catalog, each.name.database, each.name.name),
            plan,
            dict(each.options),
            each.overwrite,
            each.conflict,
        )
        for (each, _), plan in zip(rows, plans, strict=True)
    )
    return InsertPlan(tuple(sinks), tuple(tables.values()))


@dataclass(frozen=True)
class Written:
    """A plan as operators.

    Attributes:
        lowering: What has made them.
        conflicts: Of each table: what becomes of rows with one primary key; None: they are written as they come.
    """

    lowering: Lowering
    conflicts: tuple[str | None, ...]

    @property
    def uids(self) -> tuple[str, ...]:
        """Those that were given to operators."""
        return tuple(self.lowering.uids.given)


def sink_plan(session: Session, plan: InsertPlan) -> Written:
    """Add the operators that write what a plan writes.

    Raises:
        ValidationError: a table cannot be read, or written so.
    """
    from datastream.table.connectors.connector import check_written
    from datastream.table.connectors.registry import connector_for, connectors_of_updates
    from datastream.table.lowering.sinks import materialize

    into = lowering(session, plan)
    tests, conflicts = determinism(into, primary_keys(plan)), []
    for planned_sink in plan.sinks:
        info = plan.table(planned_sink.path, planned_sink.options, planned_sink.overwrite)
        info = replace(info, batch=not session.streaming)
        connector, name = connector_for(info), planned_sink.name
        if planned_sink.overwrite:
            check_overwrites(name, connector, session.streaming)
        keys = sink_keys(plan, planned_sink, connector, info, into.context.config) if session.streaming else None
        upserted = _upserted(connector, info) if keys is None or keys.fit else None
        made = lowered_plan(into, planned_sink.rows, name, upserted)
        conflict = None if keys is None else keys.conflict(made.updates)
        conflicts.append(conflict)
        if keys is not None and conflict is not None:
            made = materialize(into, made, conflict, keys.primary, keys.upsert)
        if tests is not None:
            tests.check(planned_sink.rows, keys.primary or None if keys is not None and not conflict else None)
        if made.updates and not connector.takes_updates(info):
            raise ValidationError(
                f"Table sink '{name}' doesn't support consuming update and delete changes, and the query updates "
                "its rows: group by windows, or write into a table of a connector that takes updates: "
                f"{connectors_of_updates()}"
            )
        check_written(connector, info)
        with in_subtasks_of(made.node):
            rows = DataStream(session.env, _by_key(session, made, connector, info))
            sink = connector.sink(rows, info, made.updates, name)
        op = node_of(sink).operator
        if op.uid is None:
            sink.uid(into.uids.here())
        session.builder.note_written(node_of(sink).id, name)
        if not isinstance(op.user_code, CollectingSink):  # those get texts
            types = tuple(column.type for column in info.columns)
            node_of(sink).change(text=RowText(types, made.updates))
    return Written(into, tuple(conflicts))


def _by_key(session: Session, made: Lowered, connector: TableConnector, info: TableInfo) -> Node:
    """The rows as they are written: by primary key, where another number of tasks writes them.

    Raises:
        ValidationError: The table has no primary key, so that changes of a row would lose their order.
    """
    from datastream.table.connectors.connector import SINK_PARALLELISM
    from datastream.table.lowering.lowering import by_columns

    asked = connector.settings(info).get(SINK_PARALLELISM.name)
    given = made.node.operator.parallelism or session.env.get_parallelism()
    if asked is None or asked == given or not made.updates:
        return made.node
    if not info.primary_key:
        raise ValidationError(
            f"{info}: 'sink.parallelism' is {asked}, while the parallelism of the query is {given}, and the query "
            "updates its rows. So changes of a row would not be written in order: a primary key is required "
            "(PRIMARY KEY (...) NOT ENFORCED), or leave 'sink.parallelism' out"
        )
    names = [column.name for column in info.columns]
    return by_columns(made, [names.index(column) for column in info.primary_key])


def _upserted(connector: TableConnector, info: TableInfo) -> frozenset[int] | None:
    """The columns by which rows are written; see `Lowering.lower`."""
    if not info.primary_key or not connector.takes_updates(info) or connector.needs_update_before(info):
        return None
    names = [column.name for column in info.columns]
    return frozenset(map(names.index, info.primary_key))
