"""`Catalog`: what every catalog can do."""

from __future__ import annotations

from abc import ABC, abstractmethod

from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.database import CatalogDatabase
from datastream.table.catalogs.function import CatalogFunction, Procedure
from datastream.table.catalogs.model import CatalogModel
from datastream.table.catalogs.names import ObjectPath
from datastream.table.catalogs.partition import CatalogPartition, CatalogPartitionSpec
from datastream.table.catalogs.statistics import CatalogColumnStatistics, CatalogTableStatistics


class Catalog(ABC):
    """Keeps databases, and in them tables, views and functions, by name.

    Every method raises a ValidationError where an object is not there, or is there already, unless its argument
    `ignore_if_not_exists` or `ignore_if_exists` is true.
    """

    @abstractmethod
    def get_default_database(self) -> str:
        """The database that is current at first."""

    @abstractmethod
    def list_databases(self) -> list[str]:
        """The names of all databases."""

    @abstractmethod
    def get_database(self, database_name: str) -> CatalogDatabase:
        """A database."""

    @abstractmethod
    def database_exists(self, database_name: str) -> bool:
        """Whether there is a database."""

    @abstractmethod
    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        """Add a database."""

    @abstractmethod
    def drop_database(self, name: str, ignore_if_exists: bool) -> None:
        """Remove a database."""

    @abstractmethod
    def alter_database(self, name: str, new_database: CatalogDatabase, ignore_if_not_exists: bool) -> None:
        """Put a database in the place of another."""

    @abstractmethod
    def list_tables(self, database_name: str) -> list[str]:
        """The names of all tables and views of a database."""

    @abstractmethod
    def list_views(self, database_name: str) -> list[str]:
        """The names of all views of a database."""

    @abstractmethod
    def list_materialized_tables(self, database_name: str) -> list[str]:
        """The names of all materialized tables of a database."""

    @abstractmethod
    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        """A table or view."""

    @abstractmethod
    def table_exists(self, table_path: ObjectPath) -> bool:
        """Whether there is a table or view."""

    @abstractmethod
    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """Remove a table or view."""

    @abstractmethod
    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        """Give a table or view another name."""

    @abstractmethod
    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        """Add a table or view."""

    @abstractmethod
    def alter_table(self, table_path: ObjectPath, new_table: CatalogBaseTable, ignore_if_not_exists: bool) -> None:
        """Put a table or view in the place of another of the same kind."""

    @abstractmethod
    def list_partitions(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec | None = None
    ) -> list[CatalogPartitionSpec]:
        """The partitions of a table, or those that a specification contains."""

    @abstractmethod
    def get_partition(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogPartition:
        """A partition."""

    @abstractmethod
    def partition_exists(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> bool:
        """Whether there is a partition."""

    @abstractmethod
    def create_partition(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        partition: CatalogPartition,
        ignore_if_exists: bool,
    ) -> None:
        """Add a partition."""

    @abstractmethod
    def drop_partition(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, ignore_if_not_exists: bool
    ) -> None:
        """Remove a partition."""

    @abstractmethod
    def alter_partition(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        new_partition: CatalogPartition,
        ignore_if_not_exists: bool,
    ) -> None:
        """Put a partition in the place of another."""

    @abstractmethod
    def list_functions(self, database_name: str) -> list[str]:
        """The names of all functions of a database."""

    @abstractmethod
    def list_procedures(self, database_name: str) -> list[str]:
        """The names of all procedures of a database."""

    @abstractmethod
    def get_function(self, function_path: ObjectPath) -> CatalogFunction:
        """A function."""

    @abstractmethod
    def get_procedure(self, procedure_path: ObjectPath) -> Procedure:
        """A procedure."""

    @abstractmethod
    def function_exists(self, function_path: ObjectPath) -> bool:
        """Whether there is a function."""

    @abstractmethod
    def create_function(self, function_path: ObjectPath, function: CatalogFunction, ignore_if_exists: bool) -> None:
        """Add a function."""

    @abstractmethod
    def alter_function(
        self, function_path: ObjectPath, new_function: CatalogFunction, ignore_if_not_exists: bool
    ) -> None:
        """Put a function in the place of another."""

    @abstractmethod
    def drop_function(self, function_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """Remove a function."""

    @abstractmethod
    def list_models(self, database_name: str) -> list[str]:
        """The names of all models of a database."""

    @abstractmethod
    def get_model(self, model_path: ObjectPath) -> CatalogModel:
        """A model."""

    @abstractmethod
    def model_exists(self, model_path: ObjectPath) -> bool:
        """Whether there is a model."""

    @abstractmethod
    def drop_model(self, model_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """Remove a model."""

    @abstractmethod
    def rename_model(self, model_path: ObjectPath, new_model_name: str, ignore_if_not_exists: bool) -> None:
        """Give a model another name."""

    @abstractmethod
    def create_model(self, model_path: ObjectPath, model: CatalogModel, ignore_if_exists: bool) -> None:
        """Add a model."""

    @abstractmethod
    def alter_model(self, model_path: ObjectPath, new_model: CatalogModel, ignore_if_not_exists: bool) -> None:
        """Put a model in the place of another."""

    @abstractmethod
    def get_table_statistics(self, table_path: ObjectPath) -> CatalogTableStatistics:
        """The statistics of a table."""

    @abstractmethod
    def get_table_column_statistics(self, table_path: ObjectPath) -> CatalogColumnStatistics:
        """The statistics of a table's columns."""

    @abstractmethod
    def get_partition_statistics(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec
    ) -> CatalogTableStatistics:
        """The statistics of a partition."""

    @abstractmethod
    def bulk_get_partition_statistics(
        self, table_path: ObjectPath, partition_specs: list[CatalogPartitionSpec]
    ) -> list[CatalogTableStatistics]:
        """The statistics of partitions."""

    @abstractmethod
    def get_partition_column_statistics(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec
    ) -> CatalogColumnStatistics:
        """The statistics of a partition's columns."""

    @abstractmethod
    def bulk_get_partition_column_statistics(
        self, table_path: ObjectPath, partition_specs: list[CatalogPartitionSpec]
    ) -> list[CatalogColumnStatistics]:
        """The statistics of partitions' columns."""

    @abstractmethod
    def alter_table_statistics(
        self, table_path: ObjectPath, table_statistics: CatalogTableStatistics, ignore_if_not_exists: bool
    ) -> None:
        """Set the statistics of a table."""

    @abstractmethod
    def alter_table_column_statistics(
        self, table_path: ObjectPath, column_statistics: CatalogColumnStatistics, ignore_if_not_exists: bool
    ) -> None:
        """Set the statistics of a table's columns."""

    @abstractmethod
    def alter_partition_statistics(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        partition_statistics: CatalogTableStatistics,
        ignore_if_not_exists: bool,
    ) -> None:
        """Set the statistics of a partition."""

    @abstractmethod
    def alter_partition_column_statistics(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        column_statistics: CatalogColumnStatistics,
        ignore_if_not_exists: bool,
    ) -> None:
        """Set the statistics of a partition's columns."""
