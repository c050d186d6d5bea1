"""What contexts of connectors are made of."""

from __future__ import annotations

import logging

from datastream.graph.operators import Operator
from datastream.io import Spool
from datastream.metrics import MetricRegistry

from .program import Program


def logger_of(op: Operator) -> logging.Logger:
    """The logger of a source or sink: a child of the project's."""
    return logging.getLogger("datastream").getChild(op.state_uid)


def spool_of(program: Program, op: Operator) -> Spool:
    """The spool of a source or sink."""
    return Spool(program.spec.spool_dir, op.state_uid)


def metrics_of(program: Program, op: Operator, subtask: int) -> MetricRegistry:
    """The metrics of a source's reader or a sink's writer."""
    return MetricRegistry(program.plan.graph.name, op.name, op.state_uid, subtask)
