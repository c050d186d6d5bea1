"""What contexts of connectors are made of, and how errors name their parts."""

from __future__ import annotations

import logging
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.graph.operators import Operator, Sink, Source
from datastream.io import Spool
from datastream.io.feedback import FeedbackSink, FeedbackSource
from datastream.metrics import MetricRegistry

from .program import Program


def logger_of(op: Operator) -> logging.Logger:
    """The logger of a source or sink: a child of the project's."""
    return logging.getLogger("datastream").getChild(op.state_uid)


def spool_of(program: Program, op: Operator) -> Spool:
    """The spool of a source or sink; both ends of a loop have the same."""
    return Spool(program.spec.spool_dir, _loop_of(op) or op.state_uid)


def _loop_of(op: Operator) -> str | None:
    connector = op.user_code
    return connector.loop if isinstance(connector, (FeedbackSource, FeedbackSink)) else None


def metrics_of(program: Program, op: Operator, subtask: int) -> MetricRegistry:
    """The metrics of a source's reader or a sink's writer."""
    return MetricRegistry(program.plan.graph.name, op.name, op.state_uid, subtask)


def method_name(op: Source | Sink, part: object, method: str) -> str:
    """A connector's method for messages: parts of our own base classes stand for the user's source or sink.

    Args:
        op: The operator.
        part: What the method belongs to: an enumerator, a reader, a writer, a committer, or the source or sink.
        method: Its name.
    """
    settings: object = op.source if isinstance(op, Source) else op.sink
    ours = type(part).__module__.startswith("datastream.io.")
    return f"{type(settings if ours else part).__qualname__}.{method}"


def require(made: Any, kind: type, method: str) -> None:
    """Refuse what a connector's ``create_...`` returned, if it is of another kind.

    Raises:
        ValidationError: It is.
    """
    if not isinstance(made, kind):
        raise ValidationError(f"{method} must return a {kind.__name__}, got {cut(made)}")
