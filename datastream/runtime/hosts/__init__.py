"""What runs operators that need more than a call a record: state, timers, windows, several inputs."""

from __future__ import annotations

from datastream.graph import Kind, Operator

from .host import Host, KeyedHost, Out, Setting, Times
from .keyed_process import KeyedProcessHost
from .reduce import ReduceHost
from .timestamps import TimestampsHost

__all__ = ["Host", "KeyedHost", "Out", "Setting", "Times", "TimestampsHost", "make_host"]

_HOSTS: dict[Kind, type[Host]] = {
    Kind.KEYED_PROCESS: KeyedProcessHost,
    Kind.REDUCE: ReduceHost,
    Kind.TIMESTAMPS: TimestampsHost,
}


def make_host(op: Operator, setting: Setting) -> Host:
    """The host of an operator of a hosted kind."""
    return _HOSTS[op.kind](op, setting)
