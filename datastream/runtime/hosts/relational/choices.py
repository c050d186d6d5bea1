"""Which host runs an operator that has several: by the plan, and in batch mode."""

from __future__ import annotations

from datastream.graph.operators import MatchRecognize, OverAggregate, SinkMaterialize, TableJoin, WindowAggregate
from datastream.runtime.hosts.host import Host, Setting

from .batch_join import BatchJoinHost
from .expiring_join import ExpiringJoinHost
from .given_windows import GivenWindowHost
from .match_sorted import MatchSortedHost
from .match_time import MatchTimeHost
from .over_changes import OverChangesHost
from .over_sorted import OverSortedHost
from .over_time import OverTimeHost
from .session_aggregate import SessionAggregateHost
from .sink_conflicts import SinkConflictHost
from .sink_materialize import SinkMaterializeHost
from .table_join import TableJoinHost
from .window_aggregate import WindowAggregateHost
from .window_parts import WindowPartsHost


def table_join_host(op: TableJoin, setting: Setting) -> Host:
    """The host of a join."""
    if setting.batch:
        return BatchJoinHost(op, setting)
    return (ExpiringJoinHost if op.ttl_ms else TableJoinHost)(op, setting)


def match_host(op: MatchRecognize, setting: Setting) -> Host:
    """The host of a pattern of rows."""
    return MatchSortedHost(op, setting) if setting.batch else MatchTimeHost(op, setting)


def over_aggregate_host(op: OverAggregate, setting: Setting) -> Host:
    """The host of OVER windows."""
    if setting.batch:
        return OverSortedHost(op, setting)
    return OverTimeHost(op, setting) if op.timed or op.processing else OverChangesHost(op, setting)


def sink_materialize_host(op: SinkMaterialize, setting: Setting) -> Host:
    """The host of the rows of a sink's keys."""
    return (SinkMaterializeHost if op.conflict == "deduplicate" else SinkConflictHost)(op, setting)


def window_aggregate_host(op: WindowAggregate, setting: Setting) -> Host:
    """The host of a window aggregate."""
    if op.start is not None:
        return GivenWindowHost(op, setting)
    if op.window == "session":
        return SessionAggregateHost(op, setting)
    return (WindowPartsHost if op.by_slice else WindowAggregateHost)(op, setting)
