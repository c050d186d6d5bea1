"""Which host runs a sink's materialization."""

from __future__ import annotations

from datastream.graph.operators import SinkMaterialize
from datastream.runtime.hosts.host import Host, Setting

from .sink_conflicts import SinkConflictHost
from .sink_materialize import SinkMaterializeHost


def sink_materialize_host(op: SinkMaterialize, setting: Setting) -> Host:
    """The host of the rows of a sink's keys."""
    return (SinkMaterializeHost if op.conflict == "deduplicate" else SinkConflictHost)(op, setting)
