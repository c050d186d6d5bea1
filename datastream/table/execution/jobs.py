"""Queries and INSERTs as jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datastream.api import DataStream, StreamExecutionEnvironment
from datastream.config import RuntimeExecutionMode
from datastream.errors import ValidationError
from datastream.table.catalogs.names import ObjectIdentifier
from datastream.table.data_types import DataTypes
from datastream.table.execution.overwriting import check_overwrites, overwritten_once
from datastream.table.execution.sinks import Target, enforced, written_relation
from datastream.table.plan.lookup import FunctionLookup
from datastream.table.plan.relations import Column, Relation, Scan
from datastream.table.resolved_schema import ResolvedSchema
from datastream.table.result_printing import MAX_WIDTH
from datastream.table.session import TOO_DEEP, Session
from datastream.table.table_config import LOCAL_TIME_ZONE, MAX_COLUMN_WIDTH
from datastream.table.table_result import TableResult

if TYPE_CHECKING:
    from datastream.table.connectors.connector import TableConnector, TableInfo
    from datastream.table.physical.context import Lowered
    from datastream.table.physical.lowering import Lowering

JOB_NAME = "pipeline.name"


@dataclass(frozen=True)
class Context:
    """What lowering needs of a session; see `LoweringContext`."""

    session: Session

    @property
    def env(self) -> StreamExecutionEnvironment:
        """Where operators are made."""
        return self.session.env

    @property
    def streams(self) -> Mapping[str, DataStream]:
        """Streams of the DataStream API, by their names in plans."""
        return self.session.streams

    @property
    def functions(self) -> FunctionLookup:
        """Finds functions."""
        return self.session.functions

    @property
    def config(self) -> Mapping[str, Any]:
        """The settings, with the session's time zone as it is in effect."""
        return {**self.session.config.to_map(), LOCAL_TIME_ZONE: self.session.config.get_local_timezone()}

    @property
    def batch(self) -> bool:
        """Whether queries give final rows only."""
        return not self.session.streaming

    def scan(self, scan: Scan) -> DataStream:
        """The rows of a table."""
        connector, info = self._read(scan)
        wanted = scan.names if scan.wanted is None else scan.wanted
        return connector.scan(self.session.env, info, wanted)

    def upsert_key(self, scan: Scan) -> tuple[Column, ...]:
        """The columns by which its rows replace each other."""
        connector, info = self._read(scan)
        return tuple(Column(name, info.type_of(name)) for name in connector.upsert_key(info))

    def _read(self, scan: Scan) -> tuple[TableConnector, TableInfo]:
        from datastream.table.connectors.registry import connector_for

        name = ObjectIdentifier(*scan.path)
        info = self.session.table_info(name, self.session.catalogs.get(name), dict(scan.options))
        return connector_for(info), info


def lowering(session: Session) -> Lowering:
    """What makes operators for the relations of one job."""
    from datastream.table.physical.lowering import Lowering

    return Lowering(Context(session))


def lowered(
    session: Session,
    relation: Relation,
    into: Lowering | None = None,
    goal: str = "query",
    upserted: frozenset[int] | None = None,
) -> Lowered:
    """A relation as operators.

    Args:
        session: Where its tables and functions are.
        relation: It.
        into: Of the job, if it has several relations.
        goal: Where its rows go; a part of the operators' uids. ``stream``: to a stream that any job may read.
        upserted: The columns by which rows are written; see `Lowering.lower`.
    """
    from datastream.table.rules import with_shared_scans

    (plan,) = with_shared_scans([optimized(session, relation)])
    return _lowered(into or lowering(session), plan, goal, upserted)


def _lowered(into: Lowering, plan: Relation, goal: str, upserted: frozenset[int] | None) -> Lowered:
    into.start(goal, of_any_job=goal == "stream")
    try:
        return into.lower(plan, upserted)
    except RecursionError:
        raise ValidationError(TOO_DEEP) from None


def optimized(session: Session, relation: Relation) -> Relation:
    """The relation with the rules applied."""
    from datastream.table import rules

    try:
        return rules.optimized(relation, session.functions)
    except RecursionError:
        raise ValidationError(TOO_DEEP) from None


def run_query(session: Session, relation: Relation) -> TableResult:
    """Start a query as a job whose rows come to this process."""
    with _own_job(session):
        made = lowered(session, relation)
        stream = made.stream.execute_and_collect(session.config.get(JOB_NAME, "collect"))
    assert not isinstance(stream, list)
    return TableResult(
        ResolvedSchema.of_relation(relation),
        iter(stream),
        client=stream._client,
        updates=made.updates,
        streaming=session.streaming,
        zone=session.config.zone,
        stream=stream,
        max_width=session.config.get_configuration().get_integer(MAX_COLUMN_WIDTH, MAX_WIDTH),
    )


def run_inserts(session: Session, targets: Sequence[Target]) -> TableResult:
    """Start the writing of tables, as one job.

    Raises:
        ValidationError: rows do not fit a table, or a table cannot be written so.
    """
    if not targets:
        raise ValidationError("there is nothing to execute: add an INSERT first")
    with _own_job(session):
        sink_all(session, targets)
        names = [target.name.as_summary_string() for target in targets]
        default = f"insert-into_{names[0]}" if len(names) == 1 else f"insert-into_{','.join(names)}"
        client = session.env.execute_async(session.config.get(JOB_NAME, default))
    columns = [name if names.count(name) == 1 else f"{name}_{i + 1}" for i, name in enumerate(names)]
    schema = ResolvedSchema.physical(columns, [DataTypes.BIGINT()] * len(columns))
    counts = (-1,) * len(columns)
    return TableResult(schema, [counts], client=client, text=", ".join(map(str, counts)))


def sink_all(session: Session, targets: Sequence[Target]) -> None:
    """Add the operators that write tables."""
    from datastream.table.connectors.registry import connector_for
    from datastream.table.rules import with_shared_scans

    into = lowering(session)
    rows = [(target, enforced(session, target, written_relation(session, target))) for target in targets]
    sinks = overwritten_once(rows)
    plans = with_shared_scans([optimized(session, each) for _, each in sinks])
    for (target, _), plan in zip(sinks, plans, strict=True):
        info = session.table_info(target.name, target.table, dict(target.options), target.overwrite)
        connector = connector_for(info)
        summary = target.name.as_summary_string()
        if target.overwrite:
            check_overwrites(summary, connector, session.streaming)
        upserted = None
        if info.primary_key and connector.takes_updates(info) and not connector.needs_update_before(info):
            names = [column.name for column in info.columns]
            upserted = frozenset(map(names.index, info.primary_key))
        made = _lowered(into, plan, summary, upserted)
        if made.updates and not connector.takes_updates(info):
            raise ValidationError(
                f"Table sink '{summary}' doesn't support consuming update and delete changes, and the query updates "
                "its rows: group by windows, or write into a table that takes updates, such as upsert-kafka"
            )
        sink = connector.sink(made.stream, info, made.updates, summary)
        if session.env._builder.operators[sink._id].uid is None:
            sink.uid(into.uid())


@contextmanager
def _own_job(session: Session) -> Iterator[None]:
    """A job of the operators that are made meanwhile, and what feeds them; others of the environment are for later."""
    env, builder = session.env, session.env._builder
    if not session.streaming:
        env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    later = builder._fresh
    builder._fresh = set()
    known = set(builder.operators)
    try:
        yield
    finally:
        made = set(builder.operators) - known
        used: set[int] = set()
        for id in made:
            used |= builder.before(id)
        builder._fresh = later - used
