"""Queries as jobs, and what INSERTs as jobs share with them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from datastream.api import DataStream, StreamExecutionEnvironment
from datastream.api.environment import runtime_mode_of
from datastream.api.job_client import client_of
from datastream.api.step import node_of
from datastream.config import RuntimeExecutionMode
from datastream.errors import ValidationError
from datastream.graph.builder import GraphBuilder, Node
from datastream.io import Predicate
from datastream.job import started
from datastream.table.catalogs.errors import TableException
from datastream.table.catalogs.names import ObjectIdentifier
from datastream.table.catalogs.resolved_schema import ResolvedSchema
from datastream.table.config.table_config import (
    CDC_DUPLICATES,
    LOCAL_TIME_ZONE,
    MAX_COLUMN_WIDTH,
    REUSE_SOURCE,
    REUSE_SUB_PLAN,
)
from datastream.table.execution.determinism import determinism
from datastream.table.execution.session import TOO_DEEP, Session
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.relations import Column, Relation, Scan
from datastream.table.planner.upsert_keys import PrimaryKey
from datastream.table.results.printing import MAX_WIDTH
from datastream.table.results.table_result import TableResult
from datastream.table.types.logical_types import DataType

if TYPE_CHECKING:
    from datastream.table.connectors.connector import TableConnector, TableInfo
    from datastream.table.connectors.lookup import TableLookup
    from datastream.table.connectors.models import RunnableModel
    from datastream.table.execution.insert_plan import InsertPlan
    from datastream.table.lowering.context import Lowered
    from datastream.table.lowering.lowering import Lowering

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
        return node_of(
            connector.scan(
                self.session.env,
                replace(info, predicates=scan.predicates, limit=scan.limit, fields=scan.fields),
                wanted,
            )
        )

    def lookup(self, scan: Scan, keys: Sequence[str]) -> TableLookup:
        """What finds rows of it by key."""
        connector, info = self._read(scan)
        wanted = scan.names if scan.wanted is None else scan.wanted
        return connector.lookup(info, keys, wanted)

    def model(self, path: tuple[str, ...]) -> RunnableModel:
        """A model and what runs it."""
        return self.session.runnable_model(path)

    def looks_up(self, scan: Scan) -> bool:
        """Whether it can be looked up in."""
        return self._read(scan)[0].looks_up

    def takes(self, scan: Scan, predicate: Predicate) -> bool:
        """Whether its connector leaves out rows for which a predicate is not true."""
        connector, info = self._read(scan)
        physical = any(column.name == predicate.column for column in info.columns)
        return physical and connector.takes(info, predicate)

    def skips(self, scan: Scan, kind: DataType) -> bool:
        """Whether its connector leaves out fields of a type of ROW columns; rows that are kept in state are whole."""
        connector, info = self._read(scan)
        return connector.skips(info, kind) and self.only_adds(scan)

    def upsert_key(self, scan: Scan) -> tuple[Column, ...]:
        """The columns by which its rows replace each other."""
        connector, info = self._read(scan)
        key = connector.upsert_key(info)
        if not key and connector.has_changes(info) and self._repeated():
            key = info.primary_key
            if not key:
                raise TableException(
                    f"Configuration '{CDC_DUPLICATES}' is set to true which requires the changelog sources to define a "
                    f"PRIMARY KEY. However, table '{'.'.join(scan.path)}' doesn't have a primary key."
                )
        return tuple(Column(name, info.type_of(name)) for name in key)

    def has_changes(self, scan: Scan) -> bool:
        """Whether its rows are changes."""
        connector, info = self._read(scan)
        return connector.has_changes(info)

    def only_adds(self, scan: Scan) -> bool:
        """Whether each of its rows is one more."""
        return not self.has_changes(scan) and not self.upsert_key(scan)

    def metadata_columns(self, scan: Scan) -> Collection[str]:
        """The columns of a table that are of its connector's metadata."""
        return self._read(scan)[1].metadata.keys()

    def _repeated(self) -> bool:
        return str(self.config.get(CDC_DUPLICATES, "false")).lower() == "true"

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
    from datastream.table.lowering.relations import Lowering

    return Lowering(Context(session, plan), None if plan is None else plan.uids)


def lowered(session: Session, relation: Relation, goal: str = "query") -> Lowered:
    """A relation as operators.

    Args:
        session: Where its tables and functions are.
        relation: It.
        goal: Where its rows go; a part of the operators' uids. ``stream``: to a stream that any job may read.
    """
    return lowered_relation(session, relation, lowering(session), goal)[1]


def lowered_relation(
    session: Session, relation: Relation, into: Lowering, goal: str = "query", emitted: bool = True
) -> tuple[Relation, Lowered]:
    """A relation after the rules, and as operators.

    Args:
        session: Where its tables and functions are.
        relation: Before the rules.
        into: Makes the operators of the job.
        goal: See `lowered`.
        emitted: Its rows go somewhere, so that those that it takes back have to be found.
    """
    (plan,) = optimized(session, [relation])
    made = lowered_plan(into, plan, goal, None)
    if (tests := determinism(into, primary_keys(session))) is not None:
        tests.check(plan, None if emitted else ())
    return plan, made


def lowered_plan(into: Lowering, plan: Relation, goal: str, upserted: frozenset[int] | None) -> Lowered:
    """A relation that has passed the rules as operators; `upserted`: see `Lowering.lower`."""
    into.uids.start(goal, of_any_job=goal == "stream")
    try:
        return into.lower(plan, upserted)
    except RecursionError:
        raise ValidationError(TOO_DEEP) from None


def optimized(session: Session, relations: Sequence[Relation]) -> list[Relation]:
    """The relations of a job with the rules applied; what they have in common is one object."""
    from datastream.table import rules

    primary_key = primary_keys(session)
    context = Context(session)
    tables = rules.Tables(
        primary_key,
        context.looks_up,
        lambda scan: not context.only_adds(scan),
        context.takes,
        context.skips,
    )
    config = session.config
    try:
        plans = [rules.optimized(each, session.functions, primary_key, tables) for each in relations]
        if config.get(REUSE_SUB_PLAN, "true").lower() == "false":
            return plans
        scans = config.get(REUSE_SOURCE, "true").lower() != "false"
        shared = rules.with_shared_scans(plans) if scans else plans
        return rules.with_common_parts(shared, session.functions, scans)
    except RecursionError:
        raise ValidationError(TOO_DEEP) from None


def primary_keys(session: Session) -> PrimaryKey:
    """What finds the primary key of a table."""

    def primary_key(scan: Scan) -> Sequence[str]:
        name = ObjectIdentifier(*scan.path)
        return session.table_info(name, session.catalogs.get(name), dict(scan.options)).primary_key

    return primary_key


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
    mode = runtime_mode_of(session.env)
    if not session.streaming:
        session.env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    try:
        with session.builder.own_job():
            yield
    finally:
        session.env.set_runtime_mode(mode)
