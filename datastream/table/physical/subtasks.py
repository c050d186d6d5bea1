"""How many subtasks run what is behind a query."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from datastream.api.data_stream import DataStream


@contextmanager
def in_subtasks_of(stream: DataStream) -> Iterator[None]:
    """Operators that are added meanwhile run in as many subtasks as a stream, so that its rows keep their order.

    Those that are given a number of their own keep it.
    """
    builder = stream._env._builder
    parallelism = builder.operators[stream._id].parallelism
    known = set(builder.operators)
    yield
    for id in builder.operators.keys() - known:
        if parallelism is not None and builder.operators[id].parallelism is None:
            builder.change(id, parallelism=parallelism)
