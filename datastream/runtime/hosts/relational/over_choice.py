"""Which host runs an OVER window."""

from __future__ import annotations

from datastream.graph.operators import OverAggregate
from datastream.runtime.hosts.host import Host, Setting

from .over_changes import OverChangesHost
from .over_sorted import OverSortedHost
from .over_time import OverTimeHost


def over_aggregate_host(op: OverAggregate, setting: Setting) -> Host:
    """The host for an operator in this setting."""
    if setting.batch:
        return OverSortedHost(op, setting)
    return OverTimeHost(op, setting) if op.timed or op.processing else OverChangesHost(op, setting)
