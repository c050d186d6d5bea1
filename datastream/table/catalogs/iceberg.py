"""`IcebergCatalog`: the databases and tables of a catalog of Apache Iceberg."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

from datastream.connectors.iceberg.location import CatalogAddress, catalog_properties
from datastream.connectors.iceberg.partitioning import partition_spec
from datastream.connectors.iceberg.schema import arrow_schema, iceberg_schema
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.database import CatalogDatabase
from datastream.table.catalogs.errors import (
    DatabaseAlreadyExistException,
    DatabaseNotEmptyException,
    DatabaseNotExistException,
    TableAlreadyExistException,
    TableNotExistException,
)
from datastream.table.catalogs.iceberg_types import data_type
from datastream.table.catalogs.in_memory import GenericInMemoryCatalog
from datastream.table.catalogs.names import ObjectPath
from datastream.table.catalogs.schema import Schema
from datastream.table.types.logical_types import is_nullable
from datastream.table.types.row_type import RowField, RowType

#: Options of the catalog that pyiceberg does not see.
_OWN = frozenset(("type", "default-database", "property-version"))
#: Properties of tables that are options of the connector too.
_OPTIONS = ("write.upsert.enabled",)
#: What the options begin with that the catalog adds to those of each table.
_ADDED = ("connector", "catalog-name", "catalog.", "catalog-database", "catalog-table")


class IcebergCatalog(GenericInMemoryCatalog):
    """A catalog whose databases and tables are those of a catalog of Apache Iceberg. It keeps functions itself.

    Args:
        name: Its name, here and for pyiceberg.
        options: Of CREATE CATALOG.
        comment: For people.
    """

    def __init__(self, name: str, options: Mapping[str, str], comment: str | None = None) -> None:
        super().__init__(name, options.get("default-database", "default"), comment)
        self.options = dict(options)
        given = catalog_properties(name, {key: value for key, value in options.items() if key not in _OWN})
        self._address = CatalogAddress(name, tuple(sorted(given.items())))
        with self._opened():
            pass

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        with closing(self._address.connect()) as catalog, self._address.reaching():
            yield catalog

    def list_databases(self) -> list[str]:
        with self._opened() as catalog:
            return sorted({".".join(each) for each in catalog.list_namespaces()} | {self.get_default_database()})

    def get_database(self, database_name: str) -> CatalogDatabase:
        if not self.database_exists(database_name):
            raise DatabaseNotExistException(f"Database {database_name} does not exist in Catalog {self.name}.")
        return CatalogDatabase()

    def database_exists(self, database_name: str) -> bool:
        if database_name == self.get_default_database():
            return True
        with self._opened() as catalog:
            return bool(catalog.namespace_exists(database_name))

    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        from pyiceberg.exceptions import NamespaceAlreadyExistsError

        with self._opened() as catalog:
            try:
                catalog.create_namespace(name, dict(database.properties))
            except NamespaceAlreadyExistsError:
                if not ignore_if_exists:
                    raise DatabaseAlreadyExistException(
                        f"Database {name} already exists in Catalog {self.name}."
                    ) from None

    def drop_database(self, name: str, ignore_if_exists: bool, cascade: bool = False) -> None:
        from pyiceberg.exceptions import NamespaceNotEmptyError, NoSuchNamespaceError

        with self._opened() as catalog:
            try:
                for table in catalog.list_tables(name) if cascade else ():
                    catalog.drop_table(table)
                catalog.drop_namespace(name)
            except NoSuchNamespaceError:
                if not ignore_if_exists:
                    self.get_database(name)
            except NamespaceNotEmptyError:
                raise DatabaseNotEmptyException(f"Database {name} in catalog {self.name} is not empty.") from None

    def alter_database(self, name: str, new_database: CatalogDatabase, ignore_if_not_exists: bool) -> None:
        raise UnsupportedOperation(f"catalog {self.name}: databases of Iceberg cannot be altered")

    def list_tables(self, database_name: str) -> list[str]:
        from pyiceberg.exceptions import NoSuchNamespaceError

        self.get_database(database_name)
        with self._opened() as catalog:
            try:
                return sorted(path[-1] for path in catalog.list_tables(database_name))
            except NoSuchNamespaceError:
                return []  # the default one, before it has a table

    def list_views(self, database_name: str) -> list[str]:
        self.get_database(database_name)
        return []

    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

        with self._opened() as catalog:
            try:
                table = catalog.load_table(_identifier(table_path))
            except (NoSuchTableError, NoSuchNamespaceError):
                raise TableNotExistException(
                    f"Table (or view) {table_path} does not exist in Catalog {self.name}."
                ) from None
        schema = table.schema()
        builder = Schema.new_builder()
        for field in schema.fields:
            builder.column(field.name, data_type(field.field_type, not field.required))
        if keys := [field.name for field in schema.fields if field.field_id in schema.identifier_field_ids]:
            builder.primary_key(*keys)
        spec = table.spec().fields
        by_columns = all(str(field.transform) == "identity" for field in spec)
        partitions = tuple(schema.find_column_name(field.source_id) for field in spec) if by_columns else ()
        return CatalogBaseTable(builder.build(), self._table_options(table_path, table.properties), partitions)

    def table_exists(self, table_path: ObjectPath) -> bool:
        with self._opened() as catalog:
            return bool(catalog.table_exists(_identifier(table_path)))

    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        from pyiceberg.exceptions import TableAlreadyExistsError

        if table.is_view:
            raise UnsupportedOperation(f"catalog {self.name} has no views: use CREATE TEMPORARY VIEW")
        self.get_database(table_path.database)
        schema = self._schema(table_path, table)
        properties = _of_table(table.options)
        partitions = [part for part in properties.pop("write.partition-by", "").split(";") if part]
        spec = partition_spec(schema, table.partition_keys or partitions)
        with self._opened() as catalog:
            try:
                catalog.create_namespace_if_not_exists(table_path.database)
                catalog.create_table(_identifier(table_path), schema, partition_spec=spec, properties=properties)
            except TableAlreadyExistsError:
                if not ignore_if_exists:
                    raise TableAlreadyExistException(
                        f"Table (or view) {table_path} already exists in Catalog {self.name}."
                    ) from None

    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        if self.table_exists(table_path) or not ignore_if_not_exists:
            self.get_table(table_path)
            with self._opened() as catalog:
                catalog.drop_table(_identifier(table_path))

    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        if not self.table_exists(table_path) and ignore_if_not_exists:
            return
        self.get_table(table_path)
        new = ObjectPath(table_path.database, new_table_name)
        if self.table_exists(new):
            raise TableAlreadyExistException(f"Table (or view) {new} already exists in Catalog {self.name}.")
        with self._opened() as catalog:
            catalog.rename_table(_identifier(table_path), _identifier(new))

    def alter_table(self, table_path: ObjectPath, new_table: CatalogBaseTable, ignore_if_not_exists: bool) -> None:
        raise UnsupportedOperation(
            f"catalog {self.name}: tables of Iceberg cannot be altered here; use pyiceberg, or ALTER TABLE of Spark"
        )

    def _schema(self, path: ObjectPath, table: CatalogBaseTable) -> Any:
        """The Iceberg schema of a declared table."""
        if table.options.get("connector", "iceberg") != "iceberg":
            raise ValidationError(
                f"table {path}: all tables of the catalog {self.name} are Iceberg's: leave out 'connector' = "
                f"'{table.options['connector']}', with LIKE by EXCLUDING OPTIONS"
            )
        if table.schema.watermark_spec is not None:
            raise UnsupportedOperation(f"table {path}: the catalog {self.name} keeps no WATERMARK")
        fields = []
        for column in table.schema.columns:
            if column.type is None or column.metadata is not None:
                raise UnsupportedOperation(
                    f"table {path}, column {column.name}: the catalog {self.name} keeps columns that are stored alone"
                )
            fields.append(RowField(column.name, column.type))
        key = table.schema.key or ()
        required = [field.name for field in fields if not is_nullable(field.data_type) or field.name in key]
        return iceberg_schema(arrow_schema(RowType(fields).to_type_info(), required), key)

    def _table_options(self, path: ObjectPath, properties: Mapping[str, str]) -> dict[str, str]:
        """The options of the connector of a table."""
        return {
            "connector": "iceberg",
            "catalog-name": self.name,
            **{f"catalog.{name}": value for name, value in self._address.properties},
            "catalog-database": path.database,
            "catalog-table": path.name,
            **{name: properties[name] for name in _OPTIONS if name in properties},
        }


def _of_table(options: Mapping[str, str]) -> dict[str, str]:
    """The options of a table without those of the connector, which the catalog adds to each table."""
    return {name: value for name, value in options.items() if not name.startswith(_ADDED)}


def _identifier(path: ObjectPath) -> tuple[str, ...]:
    return (*path.database.split("."), path.name)
