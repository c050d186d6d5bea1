"""Queries as jobs, and what INSERTs as jobs share with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datastream.api import DataStream, StreamExecutionEnvironment
from datastream.api.job_client import client_of
from datastream.api.step import node_of
from datastream.config import RuntimeExecutionMode
from datastream.errors import ValidationError
from datastream.graph.builder import GraphBuilder, Node
from datastream.job import started
from datastream.table.catalogs.names import ObjectIdentifier
from datastream.table.catalogs.resolved_schema import ResolvedSchema
from datastream.table.config.table_config import LOCAL_TIME_ZONE, MAX_COLUMN_WIDTH
from datastream.table.execution.session import TOO_DEEP, Session
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.relations import Column, Relation, Scan
from datastream.table.results.printing import MAX_WIDTH
from datastream.table.results.table_result import TableResult

if TYPE_CHECKING:
    from datastream.table.connectors.connector import TableConnector, TableInfo
    from datastream.table.connectors.lookup import TableLookup
    from datastream.table.execution.insert_plan import InsertPlan
    from datastream.table.lowering import Lowered, Lowering

JOB_NAME = "pipeline.name"


@dataclass(frozen=True)
class Context:
    """What lowering needs of a session; see `LoweringContext`.

    Attributes:
        session: It.
        plan: Says what the tables are; None: the session does.
    """

    session: Session
    plan: InsertPlan | None = None

    @property
    def env(self) -> StreamExecutionEnvironment:
        """The settings of streams."""
        return self.session.env

    @property
    def builder(self) -> GraphBuilder:
        """Where operators are made."""
        return self.session.builder

    @property
    def streams(self) -> Mapping[str, Node]:
        """Streams of the DataStream API, by their names in plans."""
        return self.session.streams

    @property
    def functions(self) -> FunctionLookup:
        """Finds functions."""
        return self.session.functions

    @property
    def config(self) -> Mapping[str, Any]:
        """The settings, with the session's time zone as it is in effect."""
        own = {**self.session.config.to_map(), LOCAL_TIME_ZONE: self.session.config.get_local_timezone()}
        return own if self.plan is None else {**own, **self.plan.settings}

    @property
    def batch(self) -> bool:
        """Whether queries give final rows only."""
        return not self.session.streaming

    def scan(self, scan: Scan) -> Node:
        """The rows of a table."""
        connector, info = self._read(scan)
        wanted = scan.names if scan.wanted is None else scan.wanted
        return node_of(connector.scan(self.session.env, info, wanted))

    def lookup(self, scan: Scan, keys: Sequence[str]) -> TableLookup:
        """What finds rows of it by key."""
        connector, info = self._read(scan)
        wanted = scan.names if scan.wanted is None else scan.wanted
        return connector.lookup(info, keys, wanted)

    def looks_up(self, scan: Scan) -> bool:
        """Whether it can be looked up in."""
        return self._read(scan)[0].looks_up

    def upsert_key(self, scan: Scan) -> tuple[Column, ...]:
        """The columns by which its rows replace each other."""
        connector, info = self._read(scan)
        return tuple(Column(name, info.type_of(name)) for name in connector.upsert_key(info))

    def _read(self, scan: Scan) -> tuple[TableConnector, TableInfo]:
        from datastream.table.connectors.registry import connector_for

        if self.plan is not None:
            info = self.plan.table(scan.path, scan.options)
        else:
            name = ObjectIdentifier(*scan.path)
            info = self.session.table_info(name, self.session.catalogs.get(name), dict(scan.options))
        return connector_for(info), info


def lowering(session: Session, plan: InsertPlan | None = None) -> Lowering:
    """What makes operators for the relations of one job.

    Args:
        session: Where it runs.
        plan: Of an INSERT.
    """
    from datastream.table.lowering import Lowering

    return Lowering(Context(session, plan), None if plan is None else plan.uids)


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
    return lowered_plan(into or lowering(session), plan, goal, upserted)


def lowered_plan(into: Lowering, plan: Relation, goal: str, upserted: frozenset[int] | None) -> Lowered:
    """A relation that has passed the rules as operators; see `lowered`."""
    into.uids.start(goal, of_any_job=goal == "stream")
    try:
        return into.lower(plan, upserted)
    except RecursionError:
        raise ValidationError(TOO_DEEP) from None


def optimized(session: Session, relation: Relation) -> Relation:
    """The relation with the rules applied."""
    from datastream.table import rules

    def primary_key(scan: Scan) -> Sequence[str]:
        name = ObjectIdentifier(*scan.path)
        return session.table_info(name, session.catalogs.get(name), dict(scan.options)).primary_key

    context = Context(session)
    tables = rules.Tables(primary_key, context.looks_up, lambda scan: bool(context.upsert_key(scan)))
    try:
        return rules.optimized(relation, session.functions, primary_key, tables)
    except RecursionError:
        raise ValidationError(TOO_DEEP) from None


def run_query(session: Session, relation: Relation) -> TableResult:
    """Start a query as a job whose rows come to this process."""
    with started.starting(), own_job(session):
        made = lowered(session, relation)
        stream = DataStream(session.env, made.node).execute_and_collect(session.config.get(JOB_NAME, "collect"))
    assert not isinstance(stream, list)
    return TableResult(
        ResolvedSchema.of_relation(relation),
        iter(stream),
        client=client_of(stream),
        updates=made.updates,
        streaming=session.streaming,
        zone=session.config.zone,
        stream=stream,
        max_width=session.config.get_configuration().get_integer(MAX_COLUMN_WIDTH, MAX_WIDTH),
    )


@contextmanager
def own_job(session: Session) -> Iterator[None]:
    """A job of the operators that are made meanwhile, and what feeds them; others of the environment are for later."""
    if not session.streaming:
        session.env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    with session.builder.own_job():
        yield
