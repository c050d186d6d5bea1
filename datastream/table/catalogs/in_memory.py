"""`GenericInMemoryCatalog`: a catalog that lives as long as its environment."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, TypeVar

from datastream.errors import ValidationError
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.catalog import Catalog
from datastream.table.catalogs.database import CatalogDatabase
from datastream.table.catalogs.errors import (
    CatalogException,
    DatabaseAlreadyExistException,
    DatabaseNotEmptyException,
    DatabaseNotExistException,
    FunctionAlreadyExistException,
    FunctionNotExistException,
    ModelAlreadyExistException,
    ModelNotExistException,
    PartitionAlreadyExistsException,
    PartitionNotExistException,
    PartitionSpecInvalidException,
    TableAlreadyExistException,
    TableNotExistException,
    TableNotPartitionedException,
)
from datastream.table.catalogs.function import CatalogFunction, Procedure
from datastream.table.catalogs.model import CatalogModel
from datastream.table.catalogs.names import ObjectPath
from datastream.table.catalogs.partition import CatalogPartition, CatalogPartitionSpec
from datastream.table.catalogs.statistics import CatalogColumnStatistics, CatalogTableStatistics

V = TypeVar("V")
Place = tuple[ObjectPath, CatalogPartitionSpec | None]


class GenericInMemoryCatalog(Catalog):
    """A catalog in memory. Names keep their case.

    Args:
        name: Its name, for errors.
        default_database: The database that is current at first.
        comment: For people.
    """

    def __init__(self, name: str, default_database: str = "default", comment: str | None = None) -> None:
        self.name, self.comment = name, comment
        self.options = {"type": "generic_in_memory"}
        if default_database != "default":
            self.options["default-database"] = default_database
        self._default = default_database
        self._databases: MutableMapping[str, CatalogDatabase] = {default_database: CatalogDatabase()}
        self._tables: MutableMapping[ObjectPath, CatalogBaseTable] = {}
        self._functions: MutableMapping[ObjectPath, CatalogFunction] = {}
        self._models: MutableMapping[ObjectPath, CatalogModel] = {}
        self._partitions: dict[ObjectPath, dict[CatalogPartitionSpec, CatalogPartition]] = {}
        self._statistics: dict[Place, CatalogTableStatistics] = {}
        self._column_statistics: dict[Place, CatalogColumnStatistics] = {}

    def get_default_database(self) -> str:
        return self._default

    def list_databases(self) -> list[str]:
        return sorted(self._databases)

    def get_database(self, database_name: str) -> CatalogDatabase:
        if database_name not in self._databases:
            raise DatabaseNotExistException(f"Database {database_name} does not exist in Catalog {self.name}.")
        return self._databases[database_name]

    def database_exists(self, database_name: str) -> bool:
        return database_name in self._databases

    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        if name not in self._databases:
            self._databases[name] = database
        elif not ignore_if_exists:
            raise DatabaseAlreadyExistException(f"Database {name} already exists in Catalog {self.name}.")

    def drop_database(self, name: str, ignore_if_exists: bool, cascade: bool = False) -> None:
        if name not in self._databases:
            if not ignore_if_exists:
                self.get_database(name)
            return
        inside = [path for path in (*self._tables, *self._functions, *self._models) if path.database == name]
        if inside and not cascade:
            raise DatabaseNotEmptyException(f"Database {name} in catalog {self.name} is not empty.")
        for path in inside:
            self._forget(path)
            self._functions.pop(path, None)
            self._models.pop(path, None)
        del self._databases[name]

    def alter_database(self, name: str, new_database: CatalogDatabase, ignore_if_not_exists: bool) -> None:
        if name in self._databases or not ignore_if_not_exists:
            self.get_database(name)
            self._databases[name] = new_database

    def list_tables(self, database_name: str) -> list[str]:
        return self._names(self._tables, database_name)

    def list_views(self, database_name: str) -> list[str]:
        return [n for n in self.list_tables(database_name) if self._tables[ObjectPath(database_name, n)].is_view]

    def list_materialized_tables(self, database_name: str) -> list[str]:
        self.get_database(database_name)
        return []

    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        if table_path not in self._tables:
            raise TableNotExistException(f"Table (or view) {table_path} does not exist in Catalog {self.name}.")
        return self._tables[table_path]

    def table_exists(self, table_path: ObjectPath) -> bool:
        return table_path in self._tables

    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        if table_path in self._tables or not ignore_if_not_exists:
            self.get_table(table_path)
            self._forget(table_path)

    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        if table_path not in self._tables and ignore_if_not_exists:
            return
        self.get_table(table_path)
        new = ObjectPath(table_path.database, new_table_name)
        if new in self._tables:
            raise TableAlreadyExistException(f"Table (or view) {new} already exists in Catalog {self.name}.")
        self._tables[new] = self._tables.pop(table_path)
        if table_path in self._partitions:
            self._partitions[new] = self._partitions.pop(table_path)
        _move(self._statistics, table_path, new)
        _move(self._column_statistics, table_path, new)

    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        self.get_database(table_path.database)
        if table_path not in self._tables:
            self._tables[table_path] = table
        elif not ignore_if_exists:
            raise TableAlreadyExistException(f"Table (or view) {table_path} already exists in Catalog {self.name}.")

    def alter_table(self, table_path: ObjectPath, new_table: CatalogBaseTable, ignore_if_not_exists: bool) -> None:
        if table_path not in self._tables and ignore_if_not_exists:
            return
        if self.get_table(table_path).is_view is not new_table.is_view:
            raise CatalogException(f"Table types don't match: {table_path} is a table and the other a view, or reverse")
        self._tables[table_path] = new_table

    def list_partitions(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec | None = None
    ) -> list[CatalogPartitionSpec]:
        found = list(self._partitions_of(table_path))
        return found if partition_spec is None else [each for each in found if partition_spec.contains(each)]

    def get_partition(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogPartition:
        found = self._partitions_of(table_path).get(partition_spec)
        if found is None:
            raise PartitionNotExistException(
                f"Partition {partition_spec} of table {table_path} in catalog {self.name} does not exist."
            )
        return found

    def partition_exists(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> bool:
        return partition_spec in self._partitions.get(table_path, {})

    def create_partition(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        partition: CatalogPartition,
        ignore_if_exists: bool,
    ) -> None:
        keys = self.get_table(table_path).partition_keys
        if set(partition_spec.get_partition_spec()) != set(keys):
            raise PartitionSpecInvalidException(
                f"{partition_spec} does not name the partition keys {list(keys)} of {table_path}"
            )
        if not self.partition_exists(table_path, partition_spec):
            self._partitions_of(table_path)[partition_spec] = partition
        elif not ignore_if_exists:
            raise PartitionAlreadyExistsException(
                f"Partition {partition_spec} of table {table_path} in catalog {self.name} already exists."
            )

    def drop_partition(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, ignore_if_not_exists: bool
    ) -> None:
        if self.partition_exists(table_path, partition_spec) or not ignore_if_not_exists:
            self.get_partition(table_path, partition_spec)
            del self._partitions[table_path][partition_spec]
            self._statistics.pop((table_path, partition_spec), None)
            self._column_statistics.pop((table_path, partition_spec), None)

    def alter_partition(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        new_partition: CatalogPartition,
        ignore_if_not_exists: bool,
    ) -> None:
        if self.partition_exists(table_path, partition_spec) or not ignore_if_not_exists:
            self.get_partition(table_path, partition_spec)
            self._partitions[table_path][partition_spec] = new_partition

    def list_functions(self, database_name: str) -> list[str]:
        return self._names(self._functions, database_name)

    def list_procedures(self, database_name: str) -> list[str]:
        self.get_database(database_name)
        return []

    def get_function(self, function_path: ObjectPath) -> CatalogFunction:
        function_path = _function(function_path)
        if function_path not in self._functions:
            raise FunctionNotExistException(f"Function {function_path} does not exist in Catalog {self.name}.")
        return self._functions[function_path]

    def get_procedure(self, procedure_path: ObjectPath) -> Procedure:
        raise ValidationError(f"Procedure {procedure_path} does not exist in Catalog {self.name}.")

    def function_exists(self, function_path: ObjectPath) -> bool:
        function_path = _function(function_path)
        return function_path in self._functions

    def create_function(self, function_path: ObjectPath, function: CatalogFunction, ignore_if_exists: bool) -> None:
        function_path = _function(function_path)
        self.get_database(function_path.database)
        if function_path not in self._functions:
            self._functions[function_path] = function
        elif not ignore_if_exists:
            raise FunctionAlreadyExistException(f"Function {function_path} already exists in Catalog {self.name}.")

    def alter_function(
        self, function_path: ObjectPath, new_function: CatalogFunction, ignore_if_not_exists: bool
    ) -> None:
        function_path = _function(function_path)
        if function_path in self._functions or not ignore_if_not_exists:
            self.get_function(function_path)
            self._functions[function_path] = new_function

    def drop_function(self, function_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        function_path = _function(function_path)
        if function_path in self._functions or not ignore_if_not_exists:
            self.get_function(function_path)
            del self._functions[function_path]

    def list_models(self, database_name: str) -> list[str]:
        return self._names(self._models, database_name)

    def get_model(self, model_path: ObjectPath) -> CatalogModel:
        if model_path not in self._models:
            name = f"`{self.name}`.`{model_path.database}`.`{model_path.name}`"
            raise ModelNotExistException(f"Model '{name}' does not exist.")
        return self._models[model_path]

    def model_exists(self, model_path: ObjectPath) -> bool:
        return model_path in self._models

    def drop_model(self, model_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        if model_path in self._models or not ignore_if_not_exists:
            self.get_model(model_path)
            del self._models[model_path]

    def rename_model(self, model_path: ObjectPath, new_model_name: str, ignore_if_not_exists: bool) -> None:
        if model_path not in self._models and ignore_if_not_exists:
            return
        model, new = self.get_model(model_path), ObjectPath(model_path.database, new_model_name)
        self.create_model(new, model, False)
        del self._models[model_path]

    def create_model(self, model_path: ObjectPath, model: CatalogModel, ignore_if_exists: bool) -> None:
        self.get_database(model_path.database)
        if model_path not in self._models:
            self._models[model_path] = model
        elif not ignore_if_exists:
            raise ModelAlreadyExistException(f"Model {model_path} already exists in Catalog {self.name}.")

    def alter_model(self, model_path: ObjectPath, new_model: CatalogModel, ignore_if_not_exists: bool) -> None:
        if model_path in self._models or not ignore_if_not_exists:
            self.get_model(model_path)
            self._models[model_path] = new_model

    def get_table_statistics(self, table_path: ObjectPath) -> CatalogTableStatistics:
        self.get_table(table_path)
        return self._statistics.get((table_path, None), CatalogTableStatistics())

    def get_table_column_statistics(self, table_path: ObjectPath) -> CatalogColumnStatistics:
        self.get_table(table_path)
        return self._column_statistics.get((table_path, None), CatalogColumnStatistics())

    def get_partition_statistics(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec
    ) -> CatalogTableStatistics:
        self.get_partition(table_path, partition_spec)
        return self._statistics.get((table_path, partition_spec), CatalogTableStatistics())

    def bulk_get_partition_statistics(
        self, table_path: ObjectPath, partition_specs: list[CatalogPartitionSpec]
    ) -> list[CatalogTableStatistics]:
        return [self.get_partition_statistics(table_path, each) for each in partition_specs]

    def get_partition_column_statistics(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec
    ) -> CatalogColumnStatistics:
        self.get_partition(table_path, partition_spec)
        return self._column_statistics.get((table_path, partition_spec), CatalogColumnStatistics())

    def bulk_get_partition_column_statistics(
        self, table_path: ObjectPath, partition_specs: list[CatalogPartitionSpec]
    ) -> list[CatalogColumnStatistics]:
        return [self.get_partition_column_statistics(table_path, each) for each in partition_specs]

    def alter_table_statistics(
        self, table_path: ObjectPath, table_statistics: CatalogTableStatistics, ignore_if_not_exists: bool
    ) -> None:
        if self.table_exists(table_path) or not ignore_if_not_exists:
            self.get_table(table_path)
            self._statistics[table_path, None] = table_statistics

    def alter_table_column_statistics(
        self, table_path: ObjectPath, column_statistics: CatalogColumnStatistics, ignore_if_not_exists: bool
    ) -> None:
        if self.table_exists(table_path) or not ignore_if_not_exists:
            self.get_table(table_path)
            self._column_statistics[table_path, None] = column_statistics

    def alter_partition_statistics(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        partition_statistics: CatalogTableStatistics,
        ignore_if_not_exists: bool,
    ) -> None:
        if self.partition_exists(table_path, partition_spec) or not ignore_if_not_exists:
            self.get_partition(table_path, partition_spec)
            self._statistics[table_path, partition_spec] = partition_statistics

    def alter_partition_column_statistics(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        column_statistics: CatalogColumnStatistics,
        ignore_if_not_exists: bool,
    ) -> None:
        if self.partition_exists(table_path, partition_spec) or not ignore_if_not_exists:
            self.get_partition(table_path, partition_spec)
            self._column_statistics[table_path, partition_spec] = column_statistics

    def _names(self, objects: MutableMapping[ObjectPath, Any], database: str) -> list[str]:
        self.get_database(database)
        return sorted(path.name for path in objects if path.database == database)

    def _partitions_of(self, path: ObjectPath) -> dict[CatalogPartitionSpec, CatalogPartition]:
        if not self.get_table(path).partition_keys:
            raise TableNotPartitionedException(f"Table {path} in catalog {self.name} is not partitioned.")
        return self._partitions.setdefault(path, {})

    def _forget(self, path: ObjectPath) -> None:
        if path in self._tables:
            del self._tables[path]
        self._partitions.pop(path, None)
        kept: dict[Place, Any]
        for kept in (self._statistics, self._column_statistics):
            for place in [place for place in kept if place[0] == path]:
                del kept[place]


def _function(path: ObjectPath) -> ObjectPath:
    """A function's path in the form in which it is kept: names of functions have no case."""
    return ObjectPath(path.database, path.name.lower())


def _move(kept: dict[Place, V], old: ObjectPath, new: ObjectPath) -> None:
    for path, spec in [place for place in kept if place[0] == old]:
        kept[new, spec] = kept.pop((path, spec))
