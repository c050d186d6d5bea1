"""`FileCatalog`: a catalog whose databases, tables, views, functions and models are files of a folder."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from datastream.errors import ValidationError
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.database import CatalogDatabase
from datastream.table.catalogs.errors import (
    DamagedException,
    LaterVersionException,
    TableAlreadyExistException,
    TableNotExistException,
)
from datastream.table.catalogs.files import CatalogFiles, KeptDatabases, KeptObjects
from datastream.table.catalogs.function import CatalogFunction
from datastream.table.catalogs.in_memory import GenericInMemoryCatalog
from datastream.table.catalogs.kept_objects import (
    database_json,
    database_of,
    function_json,
    function_of,
    model_json,
    model_of,
    table_json,
    table_of,
)
from datastream.table.catalogs.model import CatalogModel
from datastream.table.catalogs.names import ObjectPath
from datastream.table.catalogs.options import check_options

_OPTIONS = ("path", "default-database")


class FileCatalog(GenericInMemoryCatalog):
    """A catalog that outlives its environment, in files that their owner alone can read. Names keep their case.

    Processes may use it at once: each sees what the others have created, changed and dropped. Partitions and statistics
    are of the environment.

    Args:
        name: Its name.
        options: ``path``, a folder that is made unless it is there; ``default-database``, else ``default``.
        comment: For people.

    Raises:
        ValidationError: An option is missing or unknown.
        CatalogException: The folder cannot be used.
    """

    def __init__(self, name: str, options: Mapping[str, str], comment: str | None = None) -> None:
        check_options(name, options, _OPTIONS)
        if not options.get("path"):
            raise ValidationError(f"catalog {name}: the option 'path' is missing: a folder")
        path = options["path"].removeprefix("file://")
        if "://" in path:
            raise ValidationError(
                f"catalog {name}: option 'path': expected a folder of this machine or a mount, got {path!r}"
            )
        default = options.get("default-database", "default")
        super().__init__(name, default, comment)
        self.options = dict(options)
        self._files = files = CatalogFiles(name, path)
        self._databases = KeptDatabases(files, database_json, database_of)
        self._tables = KeptObjects(
            files, "table", lambda table: table_json(table, name), lambda content: table_of(content, name)
        )
        self._functions = KeptObjects(files, "function", function_json, function_of)
        self._models = KeptObjects(files, "model", model_json, model_of)
        if default not in self._databases:
            self.create_database(default, CatalogDatabase(), True)

    def changed(self) -> AbstractContextManager[None]:
        """Hold the lock of the catalog: nobody else changes it meanwhile."""
        return self._files.changed()

    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        with self._files.changed():
            super().create_database(name, database, ignore_if_exists)

    def drop_database(self, name: str, ignore_if_exists: bool, cascade: bool = False) -> None:
        with self._files.changed():
            _refuse_later(self._databases, name)
            if cascade:
                for kept in (self._tables, self._functions, self._models):
                    for path in kept:
                        if path.database == name:
                            _refuse_later(kept, path)
            super().drop_database(name, ignore_if_exists, cascade)

    def alter_database(self, name: str, new_database: CatalogDatabase, ignore_if_not_exists: bool) -> None:
        with self._files.changed():
            super().alter_database(name, new_database, ignore_if_not_exists)

    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        try:
            return super().get_table(table_path)
        except KeyError:  # another process has dropped it meanwhile
            raise TableNotExistException(
                f"Table (or view) {table_path} does not exist in Catalog {self.name}."
            ) from None

    def list_views(self, database_name: str) -> list[str]:
        found = []
        for name in self.list_tables(database_name):
            try:
                view = self.get_table(ObjectPath(database_name, name)).is_view
            except DamagedException:  # what it was cannot be told
                view = True
            except TableNotExistException:
                view = False
            if view:
                found.append(name)
        return found

    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        with self._files.changed():
            if table_path in self._tables or not ignore_if_not_exists:
                if table_path not in self._tables:
                    self.get_table(table_path)
                _refuse_later(self._tables, table_path)
                self._forget(table_path)

    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        with self._files.changed():
            super().rename_table(table_path, new_table_name, ignore_if_not_exists)

    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        with self._files.changed():
            try:
                super().create_table(table_path, table, ignore_if_exists)
            except TableAlreadyExistException as error:
                try:
                    self.get_table(table_path)
                except LaterVersionException as later:
                    raise TableAlreadyExistException(f"{error} {later}") from None
                except DamagedException as damage:
                    raise TableAlreadyExistException(f"{error} {damage}. DROP TABLE removes it") from None
                raise

    def alter_table(self, table_path: ObjectPath, new_table: CatalogBaseTable, ignore_if_not_exists: bool) -> None:
        with self._files.changed():
            super().alter_table(table_path, new_table, ignore_if_not_exists)

    def create_function(self, function_path: ObjectPath, function: CatalogFunction, ignore_if_exists: bool) -> None:
        with self._files.changed():
            super().create_function(function_path, function, ignore_if_exists)

    def alter_function(
        self, function_path: ObjectPath, new_function: CatalogFunction, ignore_if_not_exists: bool
    ) -> None:
        with self._files.changed():
            super().alter_function(function_path, new_function, ignore_if_not_exists)

    def drop_function(self, function_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        with self._files.changed():
            super().drop_function(function_path, ignore_if_not_exists)

    def create_model(self, model_path: ObjectPath, model: CatalogModel, ignore_if_exists: bool) -> None:
        with self._files.changed():
            super().create_model(model_path, model, ignore_if_exists)

    def alter_model(self, model_path: ObjectPath, new_model: CatalogModel, ignore_if_not_exists: bool) -> None:
        with self._files.changed():
            super().alter_model(model_path, new_model, ignore_if_not_exists)

    def rename_model(self, model_path: ObjectPath, new_model_name: str, ignore_if_not_exists: bool) -> None:
        with self._files.changed():
            super().rename_model(model_path, new_model_name, ignore_if_not_exists)

    def drop_model(self, model_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        with self._files.changed():
            super().drop_model(model_path, ignore_if_not_exists)


def _refuse_later(kept: Mapping[Any, Any], key: object) -> None:
    """Raise the error of an object whose file is of a later version. Damaged and missing ones are no error."""
    try:
        kept.get(key)
    except LaterVersionException:
        raise
    except DamagedException:
        return
