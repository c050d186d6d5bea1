"""Functions of where a row is among the rows of its key."""

from __future__ import annotations

from typing import Any

from datastream.graph.operators.relational import Position


def positions_of(position: Position, rows: list[Any], peers: list[tuple[int, int]]) -> list[Any]:
    """The values of a function, one for each row.

    Args:
        position: The function.
        rows: In order.
        peers: Of each row: where those begin and end that have the same place in the order.
    """
    count = len(rows)
    match position.function:
        case "ROW_NUMBER":
            return list(range(1, count + 1))
        case "RANK":
            return [first + 1 for first, _ in peers]
        case "DENSE_RANK":
            numbers = {first: number for number, first in enumerate(dict.fromkeys(first for first, _ in peers), 1)}
            return [numbers[first] for first, _ in peers]
        case "PERCENT_RANK":
            return [first / (count - 1) if count > 1 else 0.0 for first, _ in peers]
        case "CUME_DIST":
            return [last / count for _, last in peers]
        case "NTILE":
            return _parts(count, position.distance)
    far = position.distance if position.function == "lag" else -position.distance
    return [_shifted(position, rows, i, i - far) for i in range(count)]


def _parts(count: int, parts: int) -> list[int]:
    """The part of each row when rows are divided into equal parts; the first parts have one row more than the last."""
    size, more = divmod(count, parts)
    sizes = [size + (number < more) for number in range(parts)]
    return [number for number, length in enumerate(sizes, 1) for _ in range(length)]


def _shifted(position: Position, rows: list[Any], here: int, there: int) -> Any:
    if 0 <= there < len(rows):
        assert position.column is not None
        return rows[there][position.column]
    return None if position.default is None else rows[here][position.default]
