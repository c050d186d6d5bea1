"""Models as queries know them."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.table.plan.relations import Column


@dataclass(frozen=True)
class ModelShape:
    """A model in a query.

    Attributes:
        path: Its full name.
        inputs: What it takes.
        outputs: What it makes of it.
        runs_async: It can be called asynchronously.
        runs_sync: It can be called row by row, or by many rows.
        function: The name of what runs it, for people.
        problem: Why nothing runs it; None: it can be called.
    """

    path: tuple[str, ...]
    inputs: tuple[Column, ...]
    outputs: tuple[Column, ...]
    runs_async: bool = False
    runs_sync: bool = False
    function: str = ""
    problem: str | None = None
