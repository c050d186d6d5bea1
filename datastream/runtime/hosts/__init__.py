"""What runs operators that need more than a call a record: state, timers, windows, several inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.graph.operators import (
    Async,
    BlockCalc,
    BroadcastProcess,
    ChangelogNormalize,
    CoProcess,
    GroupAggregate,
    IntervalJoin,
    KeyedBroadcastProcess,
    KeyedCoProcess,
    KeyedProcess,
    LocalAggregate,
    MatchRecognize,
    Operator,
    OverAggregate,
    ProcessTable,
    Rank,
    Reduce,
    RowWindowAggregate,
    SessionTable,
    SinkMaterialize,
    SortLimit,
    TableJoin,
    TemporalJoin,
    Timestamps,
    TopN,
    Window,
    WindowAggregate,
    WindowJoin,
)

from .async_io import AsyncHost
from .broadcast_process import BroadcastProcessHost, KeyedBroadcastProcessHost
from .co_process import CoProcessHost, KeyedCoProcessHost
from .host import Host, KeyedHost, Out, Setting, Times
from .keyed_process import KeyedProcessHost
from .reduce import ReduceHost
from .relational.block_calc import BlockCalcHost
from .relational.choices import (
    match_host,
    over_aggregate_host,
    sink_materialize_host,
    table_join_host,
    window_aggregate_host,
)
from .relational.group_aggregate import GroupAggregateHost
from .relational.interval_join import IntervalJoinHost
from .relational.local_aggregate import LocalAggregateHost
from .relational.normalize import ChangelogNormalizeHost
from .relational.rank import rank_host
from .relational.row_window import RowWindowHost
from .relational.session_table import SessionTableHost
from .relational.sort_limit import SortLimitHost
from .relational.temporal_join import TemporalJoinHost
from .relational.top_n import TopNHost
from .relational.window_join import WindowJoinHost
from .timestamps import TimestampsHost
from .windows import window_host

__all__ = ["Host", "KeyedHost", "Out", "Setting", "Times", "TimestampsHost", "make_host"]

_HOSTS: dict[type[Operator], Callable[[Any, Setting], Host]] = {
    Async: AsyncHost,
    BlockCalc: BlockCalcHost,
    BroadcastProcess: BroadcastProcessHost,
    ChangelogNormalize: ChangelogNormalizeHost,
    CoProcess: CoProcessHost,
    GroupAggregate: GroupAggregateHost,
    KeyedBroadcastProcess: KeyedBroadcastProcessHost,
    KeyedCoProcess: KeyedCoProcessHost,
    KeyedProcess: KeyedProcessHost,
    LocalAggregate: LocalAggregateHost,
    MatchRecognize: match_host,
    ProcessTable: KeyedProcessHost,
    Reduce: ReduceHost,
    RowWindowAggregate: RowWindowHost,
    SessionTable: SessionTableHost,
    SortLimit: SortLimitHost,
    IntervalJoin: IntervalJoinHost,
    OverAggregate: over_aggregate_host,
    Rank: rank_host,
    SinkMaterialize: sink_materialize_host,
    TableJoin: table_join_host,
    TemporalJoin: TemporalJoinHost,
    WindowJoin: WindowJoinHost,
    Timestamps: TimestampsHost,
    TopN: TopNHost,
    Window: window_host,
    WindowAggregate: window_aggregate_host,
}


def make_host(op: Operator, setting: Setting) -> Host:
    """The host of an operator of a hosted kind."""
    return _HOSTS[type(op)](op, setting)
