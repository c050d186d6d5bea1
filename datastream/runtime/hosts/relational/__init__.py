"""Hosts of table plans: aggregates, windows, sorting."""

from .group_aggregate import GroupAggregateHost
from .sort_limit import SortLimitHost
from .window_choice import window_aggregate_host

__all__ = ["GroupAggregateHost", "SortLimitHost", "window_aggregate_host"]
