"""The way of an edge over a drawn plan."""

from __future__ import annotations

from collections.abc import Iterable

from .layout import Box, Route

#: The tip of its arrow takes so much, in pixels.
TIP = 7.0


def points(route: Route) -> list[tuple[float, float]]:
    """Where an edge goes, from box to box: curves and straight lines in turns, a curve first."""
    start, end = route.path[0], route.path[-1]
    found = [(start.x + start.width, _port(start, start.after, route.path[1]))]
    for waypoint in route.path[1:-1]:
        found += [(waypoint.x, waypoint.middle), (waypoint.x + waypoint.width, waypoint.middle)]
    found.append((end.x - TIP, _port(end, end.before, route.path[-2])))
    return found


def _port(box: Box, others: Iterable[Box], to: Box) -> float:
    """Where on a box's side the edge to one of its neighbours docks: in the neighbours' own order."""
    near = sorted(others, key=lambda b: b.middle)
    step = min(20.0, box.height / (len(near) + 1))
    place = next(i for i, b in enumerate(near) if b is to)
    return box.middle + (place - (len(near) - 1) / 2) * step
