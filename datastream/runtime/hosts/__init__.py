"""What runs operators that need more than a call a record: state, timers, windows, several inputs."""

from __future__ import annotations

from collections.abc import Callable

from datastream.graph import Kind, Operator

from .async_io import AsyncHost
from .broadcast_process import BroadcastProcessHost, KeyedBroadcastProcessHost
from .co_process import CoProcessHost, KeyedCoProcessHost
from .host import Host, KeyedHost, Out, Setting, Times
from .keyed_process import KeyedProcessHost
from .reduce import ReduceHost
from .timestamps import TimestampsHost
from .windows import window_host

__all__ = ["Host", "KeyedHost", "Out", "Setting", "Times", "TimestampsHost", "make_host"]

_HOSTS: dict[Kind, Callable[[Operator, Setting], Host]] = {
    Kind.ASYNC: AsyncHost,
    Kind.BROADCAST_PROCESS: BroadcastProcessHost,
    Kind.CO_PROCESS: CoProcessHost,
    Kind.KEYED_BROADCAST_PROCESS: KeyedBroadcastProcessHost,
    Kind.KEYED_CO_PROCESS: KeyedCoProcessHost,
    Kind.KEYED_PROCESS: KeyedProcessHost,
    Kind.REDUCE: ReduceHost,
    Kind.TIMESTAMPS: TimestampsHost,
    Kind.WINDOW: window_host,
}


def make_host(op: Operator, setting: Setting) -> Host:
    """The host of an operator of a hosted kind."""
    return _HOSTS[op.kind](op, setting)
