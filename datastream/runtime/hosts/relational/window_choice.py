"""Which host runs a window aggregate."""

from __future__ import annotations

from datastream.graph.operators import WindowAggregate
from datastream.runtime.hosts.host import Host, Setting

from .session_aggregate import SessionAggregateHost
from .window_aggregate import WindowAggregateHost


def window_aggregate_host(op: WindowAggregate, setting: Setting) -> Host:
    """The host of a window aggregate."""
    return (SessionAggregateHost if op.window == "session" else WindowAggregateHost)(op, setting)
