"""Catalogs by their type."""

from __future__ import annotations

from collections.abc import Mapping

from datastream.errors import UnsupportedOperation, ValidationError
from datastream.table.catalogs.catalog import Catalog
from datastream.table.catalogs.in_memory import GenericInMemoryCatalog

_IN_MEMORY = "generic_in_memory"


def create_catalog(name: str, options: Mapping[str, str], comment: str | None = None) -> Catalog:
    """The catalog that options describe.

    Raises:
        ValidationError: the type is missing or unknown, or an option is.
        UnsupportedOperation: there are no catalogs of the type here.
    """
    kind = options.get("type")
    if kind is None:
        raise ValidationError(f"catalog {name}: the option 'type' is missing, such as 'type' = '{_IN_MEMORY}'")
    if kind in ("hive", "jdbc", "paimon", "iceberg"):
        raise UnsupportedOperation(
            f"catalog {name}: there are no catalogs of type '{kind}'; use '{_IN_MEMORY}' and declare its tables"
        )
    if kind != _IN_MEMORY:
        raise ValidationError(f"catalog {name}: there is no type '{kind}'; use '{_IN_MEMORY}'")
    unknown = set(options) - {"type", "default-database", "property-version"}
    if unknown:
        raise ValidationError(
            f"catalog {name}: there is no option '{min(unknown)}'; '{_IN_MEMORY}' has 'default-database'"
        )
    return GenericInMemoryCatalog(name, options.get("default-database", "default"), comment)
