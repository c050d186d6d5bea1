"""Relations with other inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from datastream.table.plan.relations import ProcessTable, Relation


def with_inputs(relation: Relation, change: Callable[[Relation], Relation]) -> Relation:
    """A relation whose inputs are changed."""
    if isinstance(relation, ProcessTable):
        return replace(relation, tables=tuple(replace(each, input=change(each.input)) for each in relation.tables))
    changes: dict[str, Any] = {}
    for name in ("input", "left", "right"):
        found = getattr(relation, name, None)
        if isinstance(found, Relation) and (made := change(found)) is not found:
            changes[name] = made
    return replace(relation, **changes) if changes else relation
