"""Catalogs by their type."""

from __future__ import annotations

from collections.abc import Mapping

from datastream.errors import UnsupportedOperation, ValidationError
from datastream.table.catalogs.catalog import Catalog
from datastream.table.catalogs.in_memory import GenericInMemoryCatalog
from datastream.table.catalogs.options import check_options
from datastream.table.plan.errors import missing_name, nearest

_IN_MEMORY = "generic_in_memory"
_DELTA = "delta-catalog"
_TYPES = (_IN_MEMORY, "file", "jdbc", "iceberg", _DELTA, "state")
_OF_JDBC = ("default-database", "username", "password", "base-url")


def create_catalog(name: str, options: Mapping[str, str], comment: str | None = None) -> Catalog:
    """The catalog that options describe.

    Raises:
        ValidationError: the type is missing or unknown, or an option is.
        UnsupportedOperation: there are no catalogs of the type here.
        ConnectionError: the catalog does not answer.
    """
    kind = options.get("type")
    if kind is None:
        for option in options:
            if nearest(option, ("type",)):
                raise ValidationError(f"catalog {name}: there is no option '{option}', did you mean 'type'?")
        raise ValidationError(
            f"catalog {name}: the option 'type' is missing, such as 'type' = '{_IN_MEMORY}'. The types are: "
            f"{', '.join(_TYPES)}"
        )
    if kind in ("hive", "paimon"):
        raise UnsupportedOperation(
            f"catalog {name}: there are no catalogs of type '{kind}'; use '{_IN_MEMORY}' and declare its tables"
        )
    if kind == "iceberg":
        from datastream.table.catalogs.iceberg import IcebergCatalog

        return IcebergCatalog(name, options, comment)
    if kind == "file":
        from datastream.table.catalogs.file_catalog import FileCatalog

        return FileCatalog(name, options, comment)
    if kind == "state":
        from datastream.table.catalogs.state_catalog import StateCatalog

        return StateCatalog(name, options, comment)
    if kind == _DELTA:
        return _delta_catalog(name, options, comment)
    if kind == "jdbc":
        return _jdbc_catalog(name, options, comment)
    if kind != _IN_MEMORY:
        raise ValidationError(f"catalog {name}: {missing_name('type', kind, _TYPES)}")
    check_options(name, options, ("default-database",))
    return GenericInMemoryCatalog(name, options.get("default-database", "default"), comment)


def _delta_catalog(name: str, options: Mapping[str, str], comment: str | None) -> Catalog:
    """A catalog that keeps in memory where tables are, as that of Delta's connector for Flink."""
    check_options(name, options, ("catalog-type", "default-database"))
    kind = options.get("catalog-type", "in-memory")
    if kind != "in-memory":
        raise UnsupportedOperation(f"catalog {name}: the 'catalog-type' of a {_DELTA} is 'in-memory', got '{kind}'")
    made = GenericInMemoryCatalog(name, options.get("default-database", "default"), comment)
    made.options = dict(options)
    return made


def _jdbc_catalog(name: str, options: Mapping[str, str], comment: str | None) -> Catalog:
    from datastream.table.catalogs.jdbc import JdbcCatalog

    check_options(name, options, _OF_JDBC)
    if missing := [each for each in _OF_JDBC if each not in options]:
        raise ValidationError(f"catalog {name}: the option '{missing[0]}' is missing")
    database, user, password, url = (options[each] for each in _OF_JDBC)
    return JdbcCatalog(name, database, user, password, url, comment)
