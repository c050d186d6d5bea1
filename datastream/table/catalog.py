"""Catalogs and what is kept in them, under the names of ``pyflink.table.catalog``."""

from __future__ import annotations

from datastream.errors import UnsupportedOperation
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.catalog import Catalog
from datastream.table.catalogs.database import CatalogDatabase, CatalogDescriptor
from datastream.table.catalogs.function import CatalogFunction, Procedure
from datastream.table.catalogs.in_memory import GenericInMemoryCatalog
from datastream.table.catalogs.jdbc import JdbcCatalog
from datastream.table.catalogs.model import CatalogModel
from datastream.table.catalogs.names import ObjectIdentifier, ObjectPath
from datastream.table.catalogs.partition import CatalogPartition, CatalogPartitionSpec
from datastream.table.catalogs.resolved_schema import (
    Column,
    ComputedColumn,
    Constraint,
    MetadataColumn,
    PhysicalColumn,
    ResolvedSchema,
    UniqueConstraint,
    WatermarkSpec,
)
from datastream.table.catalogs.statistics import CatalogColumnStatistics, CatalogTableStatistics

__all__ = [
    "Catalog",
    "CatalogBaseTable",
    "CatalogColumnStatistics",
    "CatalogDatabase",
    "CatalogDescriptor",
    "CatalogFunction",
    "CatalogModel",
    "CatalogPartition",
    "CatalogPartitionSpec",
    "CatalogTableStatistics",
    "Column",
    "ComputedColumn",
    "Constraint",
    "GenericInMemoryCatalog",
    "HiveCatalog",
    "JdbcCatalog",
    "MetadataColumn",
    "ObjectIdentifier",
    "ObjectPath",
    "PhysicalColumn",
    "Procedure",
    "ResolvedSchema",
    "UniqueConstraint",
    "WatermarkSpec",
]


class HiveCatalog:
    """A catalog of Hive's metastore."""

    def __init__(
        self,
        catalog_name: str,
        default_database: str | None = None,
        hive_conf_dir: str | None = None,
        hadoop_conf_dir: str | None = None,
        hive_version: str | None = None,
    ) -> None:
        raise UnsupportedOperation("HiveCatalog: there is no metastore here; declare the tables with CREATE TABLE")
