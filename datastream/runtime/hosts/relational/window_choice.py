"""Which host runs a window aggregate."""

from __future__ import annotations

from datastream.graph.operators import WindowAggregate
from datastream.runtime.hosts.host import Host, Setting

from .given_windows import GivenWindowHost
from .session_aggregate import SessionAggregateHost
from .tumbling_parts import TumblingPartsHost
from .window_aggregate import WindowAggregateHost


def window_aggregate_host(op: WindowAggregate, setting: Setting) -> Host:
    """The host of a window aggregate."""
    if op.start is not None:
        return GivenWindowHost(op, setting)
    if op.window == "session":
        return SessionAggregateHost(op, setting)
    return (TumblingPartsHost if op.parts and op.window == "tumble" else WindowAggregateHost)(op, setting)
