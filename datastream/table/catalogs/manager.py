"""All catalogs of an environment, its temporary objects, and what is current."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from datastream.errors import ValidationError, cut
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.catalog import Catalog
from datastream.table.catalogs.errors import (
    CatalogException,
    DamagedException,
    LaterVersionException,
    TableNotExistException,
)
from datastream.table.catalogs.in_memory import GenericInMemoryCatalog
from datastream.table.catalogs.names import ObjectIdentifier
from datastream.table.catalogs.store import FileCatalogStore, StoredCatalogs
from datastream.table.plan.errors import nearest, unknown


class CatalogManager:
    """Finds tables and views: temporary ones first, then those of the catalogs.

    Args:
        catalog: The name of the catalog that is there from the start.
        database: The name of its database.
        store: Where more catalogs are kept; None: nowhere.

    Attributes:
        catalogs: By name.
        temporary: Temporary tables and views.
        current_catalog: Where names without a catalog are looked up; None: nowhere.
        current_database: Where names without a database are looked up; None: nowhere.
    """

    def __init__(self, catalog: str, database: str, store: FileCatalogStore | None = None) -> None:
        self.catalogs = StoredCatalogs(store)
        self.catalogs[catalog] = GenericInMemoryCatalog(catalog, database)
        self.temporary: dict[ObjectIdentifier, CatalogBaseTable] = {}
        self.current_catalog: str | None = catalog
        self.current_database: str | None = database
        self._anonymous = 0

    def catalog(self, name: str) -> Catalog:
        """A catalog.

        Raises:
            ValidationError: there is none of this name.
        """
        found = self.catalogs.get(name)
        if found is None:
            raise CatalogException(f"A catalog with name [{name}] does not exist.{self._hint(name, self.catalogs)}")
        return found

    def register(self, name: str, catalog: Catalog) -> None:
        """Add a catalog.

        Raises:
            ValidationError: the name is taken, or it is no catalog.
        """
        if not isinstance(name, str) or not name:
            raise ValidationError(f"a catalog needs a name, got {cut(name)}")
        if not isinstance(catalog, Catalog):
            raise ValidationError(f"register_catalog needs a Catalog, got {cut(catalog)}")
        if name in self.catalogs:
            raise CatalogException(f"Catalog {name} already exists.")
        self.catalogs[name] = catalog

    def drop_catalog(self, name: str, if_exists: bool) -> None:
        """Remove a catalog.

        Raises:
            ValidationError: it is not there, or current.
        """
        if name not in self.catalogs:
            if if_exists:
                return
            self.catalog(name)
        if name == self.current_catalog:
            raise CatalogException("Cannot drop a catalog which is currently in use.")
        del self.catalogs[name]

    def use_catalog(self, name: str) -> None:
        """Make a catalog and its default database current."""
        self.current_database = self.catalog(name).get_default_database()
        self.current_catalog = name

    def use_database(self, catalog: str, database: str) -> None:
        """Make a database and its catalog current."""
        if not self.catalog(catalog).database_exists(database):
            hint = self._hint(database, self.catalog(catalog).list_databases())
            raise CatalogException(
                f"A database with name [{database}] does not exist in the catalog: [{catalog}].{hint}"
            )
        self.current_catalog, self.current_database = catalog, database

    def qualify(self, path: tuple[str, ...]) -> ObjectIdentifier:
        """The full name of an object.

        Raises:
            ValidationError: it has no catalog or database, and none is current.
        """
        if len(path) == 3:
            return ObjectIdentifier(*path)
        if len(path) not in (1, 2):
            raise ValidationError(f"expected the path of an object, of up to three names, got {'.'.join(path)}")
        if self.current_catalog is None or (len(path) == 1 and self.current_database is None):
            raise ValidationError(f"no catalog and database is current: write the full name of {'.'.join(path)}")
        database = path[0] if len(path) == 2 else str(self.current_database)
        return ObjectIdentifier(self.current_catalog, database, path[-1])

    def qualify_database(self, path: tuple[str, ...]) -> tuple[str, str]:
        """The catalog and the name of a database; both current ones of an empty path."""
        if len(path) > 2:
            raise ValidationError(f"expected a database, or catalog.database, got {'.'.join(path)}")
        catalog = path[0] if len(path) == 2 else self.current_catalog
        database = path[-1] if path else self.current_database
        if catalog is None or database is None:
            raise ValidationError("no catalog and database is current")
        return catalog, database

    def find(self, name: ObjectIdentifier) -> CatalogBaseTable | None:
        """A table or view; None: there is none."""
        if name in self.temporary:
            return self.temporary[name]
        catalog = self.catalogs.get(name.catalog)
        if catalog is None or not catalog.database_exists(name.database):
            return None
        path = name.to_object_path()
        try:
            return catalog.get_table(path) if catalog.table_exists(path) else None
        except TableNotExistException:  # another session has dropped it meanwhile
            return None

    def is_view(self, name: ObjectIdentifier) -> bool:
        """Whether there is a view of this name; one that is damaged counts, as what it is cannot be told."""
        try:
            found = self.find(name)
        except DamagedException:
            return True
        return found is not None and found.is_view

    def get(self, name: ObjectIdentifier) -> CatalogBaseTable:
        """A table or view.

        Raises:
            ValidationError: there is none.
        """
        found = self.find(name)
        if found is None:
            text = f"Table or view with identifier {name} does not exist."
            if missing := self.missing_place(name):
                raise ValidationError(f"{text} {unknown(*missing)}")
            raise ValidationError(f"{text}{self._hint(name.name, self.names(name))}")
        return found

    def missing_place(self, name: ObjectIdentifier) -> tuple[str, str, list[str]] | None:
        """What is missing around an object: ``catalog`` or ``database``, its name, and those that there are.

        None: its database is there, or has temporary objects.
        """
        if any(self.temporary_of(name.catalog, name.database)):
            return None
        catalog = self.catalogs.get(name.catalog)
        if catalog is None:
            return "catalog", name.catalog, sorted(self.catalogs)
        if not catalog.database_exists(name.database):
            return "database", name.database, catalog.list_databases()
        return None

    def names(self, beside: ObjectIdentifier | None = None) -> list[str]:
        """The names of all tables and views of a database. Default: the current one."""
        catalog = beside.catalog if beside else self.current_catalog
        database = beside.database if beside else self.current_database
        if catalog is None or database is None or catalog not in self.catalogs:
            return []
        known = self.catalogs[catalog]
        stored = known.list_tables(database) if known.database_exists(database) else []
        return sorted({*stored, *(each.name for each in self.temporary_of(catalog, database))})

    def temporary_of(self, catalog: str, database: str) -> Iterator[ObjectIdentifier]:
        """The temporary tables and views of a database."""
        return (each for each in self.temporary if (each.catalog, each.database) == (catalog, database))

    def create_temporary(self, name: ObjectIdentifier, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        """Add a temporary table or view.

        Raises:
            ValidationError: there is one of the name.
        """
        if name not in self.temporary:
            self.temporary[name] = table
        elif not ignore_if_exists:
            raise ValidationError(f"Temporary table '{name}' already exists")

    def create(self, name: ObjectIdentifier, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        """Add a table or view to its catalog.

        Raises:
            ValidationError: there is one of the name, or no such catalog or database.
        """
        self.catalog(name.catalog).create_table(name.to_object_path(), table, ignore_if_exists)

    def drop_temporary(self, name: ObjectIdentifier, view: bool) -> bool:
        """Remove a temporary table or view. Returns whether there was one."""
        found = self.temporary.get(name)
        if found is None or found.is_view is not view:
            return False
        del self.temporary[name]
        return True

    def drop(self, name: ObjectIdentifier, view: bool, if_exists: bool) -> bool:
        """Remove a table or view from its catalog. Returns whether there was one.

        Raises:
            ValidationError: there is none, it is of the other kind, or a temporary one hides it.
        """
        kind = "view" if view else "table"
        if name in self.temporary and self.temporary[name].is_view is view:
            raise ValidationError(
                f"Temporary {kind} with identifier '{name}' exists. Drop it first before removing the permanent {kind}."
            )
        catalog = self.catalogs.get(name.catalog)
        path = name.to_object_path()
        try:
            there = catalog is not None and catalog.table_exists(path) and catalog.get_table(path).is_view is view
        except LaterVersionException:
            raise
        except DamagedException:  # what it was cannot be told
            there = True
        except TableNotExistException:  # another session has dropped it meanwhile
            there = False
        if catalog is not None and there:
            catalog.drop_table(path, if_exists)
            return True
        if not if_exists:
            raise ValidationError(f"{kind.capitalize()} with identifier '{name.as_summary_string()}' does not exist.")
        return False

    def anonymous(self, connector: str | None) -> ObjectIdentifier:
        """A name for a table without one."""
        self._anonymous += 1
        catalog, database = self.qualify_database(())
        return ObjectIdentifier(catalog, database, f"*anonymous_{connector or 'table'}${self._anonymous}*")

    @staticmethod
    def _hint(name: str, known: Iterable[str]) -> str:
        near = nearest(name, known)
        return f" Did you mean '{near}'?" if near else ""
