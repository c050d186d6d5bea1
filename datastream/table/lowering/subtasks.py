"""How many subtasks run what follows a query."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from datastream.graph.builder import Node


@contextmanager
def in_subtasks_of(node: Node) -> Iterator[None]:
    """Operators that are added meanwhile run in as many subtasks as another one, so that its rows keep their order.

    Those that are given a number of their own keep it.
    """
    builder, parallelism = node.builder, node.operator.parallelism
    known = set(builder.operators)
    yield
    for id in builder.operators.keys() - known:
        if parallelism is not None and builder.operators[id].parallelism is None:
            builder.change(id, parallelism=parallelism)
