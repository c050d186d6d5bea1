"""Connectors of other packages: an entry point of the group ``datastream.connectors`` is a name of this package."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from datastream.errors import ValidationError

GROUP = "datastream.connectors"


@cache
def _found() -> dict[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=GROUP):
        points = found.setdefault(point.name, [])
        if point.value not in [other.value for other in points]:
            points.append(point)
    return found


def names() -> list[str]:
    """The names that installed packages bring."""
    return sorted(_found())


def load(name: str) -> Any:
    """What a package calls by a name.

    Raises:
        KeyError: No package has the name.
        ValidationError: Two have it, or it cannot be imported.
    """
    points = _found()[name]
    if len(points) > 1:
        packages = " and ".join(f"{_package(point)} ({point.value})" for point in points)
        raise ValidationError(f"{GROUP}.{name} is in {packages}: uninstall one, or import it from its own module")
    (point,) = points
    try:
        return point.load()
    except Exception as error:
        raise ValidationError(
            f"{GROUP}.{name}, {point.value} of the package {_package(point)}, cannot be imported: "
            f"{type(error).__name__}: {error}"
        ) from error


def _package(point: EntryPoint) -> str:
    return "unknown" if point.dist is None else point.dist.name
