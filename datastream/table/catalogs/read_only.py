"""Catalogs whose databases and tables are found elsewhere, and cannot be changed here."""

from __future__ import annotations

from abc import abstractmethod
from typing import NoReturn

from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.database import CatalogDatabase
from datastream.table.catalogs.errors import DatabaseNotExistException
from datastream.table.catalogs.in_memory import GenericInMemoryCatalog
from datastream.table.catalogs.names import ObjectPath


class ReadOnlyCatalog(GenericInMemoryCatalog):
    """A catalog whose databases and tables are those that subclasses list. It keeps functions itself."""

    def get_database(self, database_name: str) -> CatalogDatabase:
        if not self.database_exists(database_name):
            raise DatabaseNotExistException(f"Database {database_name} does not exist in Catalog {self.name}.")
        return CatalogDatabase()

    def database_exists(self, database_name: str) -> bool:
        return database_name in self.list_databases()

    def list_views(self, database_name: str) -> list[str]:
        self.get_database(database_name)
        return []

    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> NoReturn:
        self._refuse("databases are made")

    def drop_database(self, name: str, ignore_if_exists: bool, cascade: bool = False) -> NoReturn:
        self._refuse("databases are dropped")

    def alter_database(self, name: str, new_database: CatalogDatabase, ignore_if_not_exists: bool) -> NoReturn:
        self._refuse("databases are altered")

    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> NoReturn:
        self._refuse("tables are made")

    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> NoReturn:
        self._refuse("tables are dropped")

    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> NoReturn:
        self._refuse("tables are renamed")

    def alter_table(self, table_path: ObjectPath, new_table: CatalogBaseTable, ignore_if_not_exists: bool) -> NoReturn:
        self._refuse("tables are altered")

    @abstractmethod
    def _refuse(self, what: str) -> NoReturn:
        """Raise what says how it is done instead.

        Args:
            what: What is done elsewhere, such as ``tables are made``.
        """
