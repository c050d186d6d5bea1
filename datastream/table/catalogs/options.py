"""Options of catalogs, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from datastream.errors import ValidationError
from datastream.table.plan.errors import missing_name


def check_options(catalog: str, options: Mapping[str, str], known: Iterable[str]) -> None:
    """Refuse options that a catalog does not have.

    Args:
        catalog: Its name.
        options: As written.
        known: The names of its options, without those that every catalog has.

    Raises:
        ValidationError: There is one that it does not have; it names the nearest one that it has.
    """
    names = ("type", *known)
    if unknown := sorted(set(options) - {*names, "property-version"}):
        raise ValidationError(f"catalog {catalog}: {missing_name('option', unknown[0], names)}")
