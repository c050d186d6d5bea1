"""INSERT OVERWRITE: which tables can be overwritten, and that one job does it once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from datastream.errors import ValidationError
from datastream.table.execution.target import Target
from datastream.table.plan.relations import Relation
from datastream.table.planner import building

if TYPE_CHECKING:
    from datastream.table.connectors.connector import TableConnector


def check_overwrites(table: str, connector: TableConnector, streaming: bool) -> None:
    """See that a table can be overwritten.

    Raises:
        ValidationError: its connector cannot, or the mode is streaming.
    """
    if not connector.overwrites:
        raise ValidationError(
            f"INSERT OVERWRITE requires a connector that replaces what is in a table, and that of '{table}', "
            f"'{connector.name}', does not: use INSERT INTO, or a table of filesystem"
        )
    if streaming:
        raise ValidationError(
            f"INSERT OVERWRITE '{table}': streaming mode does not support overwrite, as its rows have no end; "
            "SET 'execution.runtime-mode' = 'batch' first"
        )


def overwritten_once(rows: Iterable[tuple[Target, Relation]]) -> list[tuple[Target, Relation]]:
    """The tables and their rows, in which the rows of several INSERT OVERWRITE of one table are those of one.

    Raises:
        ValidationError: A table is overwritten and appended to.
    """
    made: dict[object, tuple[Target, Relation]] = {}
    for target, relation in rows:
        modes = {other.overwrite for other, _ in made.values() if other.name == target.name}
        if modes == {not target.overwrite}:
            raise ValidationError(
                f"{target.name.as_summary_string()} is overwritten and appended to by one statement set: use one "
                "INSERT OVERWRITE with UNION ALL"
            )
        if not target.overwrite:
            made[object()] = target, relation
            continue
        key = target.name, tuple(sorted(target.options.items()))
        _, before = made.get(key, (target, None))
        made[key] = target, relation if before is None else building.set_operation(before, relation, "union", True)
    return list(made.values())
