"""Which host runs a join."""

from __future__ import annotations

from datastream.graph.operators import TableJoin
from datastream.runtime.hosts.host import Host, Setting

from .batch_join import BatchJoinHost
from .expiring_join import ExpiringJoinHost
from .table_join import TableJoinHost


def table_join_host(op: TableJoin, setting: Setting) -> Host:
    """The host of a join."""
    if setting.batch:
        return BatchJoinHost(op, setting)
    return (ExpiringJoinHost if op.ttl_ms else TableJoinHost)(op, setting)
