"""Rows of a result as JSON objects, with the forms of the format ``json``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from datastream.table.connectors.formats.format import Layout
from datastream.table.connectors.formats.registry import find_format
from datastream.table.plan.relations import Column
from datastream.table.types.logical_types import DataType


def json_rows(names: Sequence[str], kinds: Sequence[DataType]) -> Callable[[tuple[Any, ...]], str]:
    """A function: a row's values as they are inside -> one line of JSON.

    Args:
        names: Of the columns.
        kinds: Their types.

    Raises:
        ValidationError: a type has no form in JSON, such as a map whose keys are no texts.
    """
    form = find_format("json", "the result")
    columns = tuple(Column(name, kind) for name, kind in zip(names, kinds, strict=True))
    encoder = form.encoder(Layout(columns, "the result"), {each.name: each.default for each in form.options})
    return lambda values: encoder.serialize(values).decode()
