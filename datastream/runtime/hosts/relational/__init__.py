"""Hosts of table plans: aggregates, windows, joins, sorting."""

from .block_calc import BlockCalcHost
from .group_aggregate import GroupAggregateHost
from .join_choice import table_join_host
from .local_aggregate import LocalAggregateHost
from .normalize import ChangelogNormalizeHost
from .sort_limit import SortLimitHost
from .top_n import TopNHost
from .window_choice import window_aggregate_host

__all__ = [
    "BlockCalcHost",
    "GroupAggregateHost",
    "LocalAggregateHost",
    "SortLimitHost",
    "TopNHost",
    "ChangelogNormalizeHost",
    "table_join_host",
    "window_aggregate_host",
]
