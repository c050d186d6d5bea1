"""Hosts of table plans: aggregates, windows, joins, sorting."""

from .block_calc import BlockCalcHost
from .group_aggregate import GroupAggregateHost
from .interval_join import IntervalJoinHost
from .join_choice import table_join_host
from .local_aggregate import LocalAggregateHost
from .match_sorted import match_host
from .normalize import ChangelogNormalizeHost
from .over_choice import over_aggregate_host
from .rank import rank_host
from .session_table import SessionTableHost
from .sink_choice import sink_materialize_host
from .sort_limit import SortLimitHost
from .temporal_join import TemporalJoinHost
from .top_n import TopNHost
from .window_choice import window_aggregate_host
from .window_join import WindowJoinHost

__all__ = [
    "BlockCalcHost",
    "GroupAggregateHost",
    "IntervalJoinHost",
    "LocalAggregateHost",
    "SessionTableHost",
    "SortLimitHost",
    "TemporalJoinHost",
    "TopNHost",
    "ChangelogNormalizeHost",
    "WindowJoinHost",
    "match_host",
    "over_aggregate_host",
    "rank_host",
    "sink_materialize_host",
    "table_join_host",
    "window_aggregate_host",
]
