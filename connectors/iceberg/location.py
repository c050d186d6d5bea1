"""Which table of which catalog, and how it is opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from datastream.connectors.files.remote.location import is_remote
from datastream.connectors.lakehouse.texts import one_line
from datastream.errors import ValidationError, cut

from .library import check_library

#: Properties whose values may be shown.
_SHOWN = frozenset(("type", "py-catalog-impl", "warehouse"))
#: The types of catalogs by the classes of Java that are Flink's 'catalog-impl'.
_CLASSES = {
    "org.apache.iceberg.rest.RESTCatalog": "rest",
    "org.apache.iceberg.hive.HiveCatalog": "hive",
    "org.apache.iceberg.aws.glue.GlueCatalog": "glue",
    "org.apache.iceberg.aws.dynamodb.DynamoDbCatalog": "dynamodb",
    "org.apache.iceberg.inmemory.InMemoryCatalog": "in-memory",
}
#: How often it is tried to make a namespace or a table that another process makes at the same time.
_TRIES = 3


def catalog_properties(name: str, options: Mapping[str, str]) -> dict[str, str]:
    """The properties of pyiceberg that options of Flink's catalogs mean.

    Args:
        name: Of the catalog, for errors.
        options: ``catalog-type``, ``catalog-impl``, and properties by their own names.

    Raises:
        ValidationError: ``catalog-impl`` is a class of Java that is not known.
    """
    found = dict(options)
    if (kind := found.pop("catalog-type", None)) is not None:
        found["type"] = kind
    if (of_java := found.pop("catalog-impl", None)) is None:
        return found
    if of_java in _CLASSES:
        return {"type": _CLASSES[of_java], **found}
    if of_java.startswith("org.apache."):
        raise ValidationError(
            f"catalog {name}: 'catalog-impl' = {cut(of_java)} is a class of Java that is not known here; set "
            "'catalog-type' to a type of pyiceberg's, such as 'rest' or 'sql', or 'catalog-impl' to a class of Python"
        )
    return {**found, "py-catalog-impl": of_java}


@dataclass(frozen=True)
class CatalogAddress:
    """A catalog of tables of Apache Iceberg.

    Attributes:
        name: Its name.
        properties: What pyiceberg needs to know of it, as pairs, such as ``type`` and ``uri``; they may hold
            credentials, and are never shown.

    Raises:
        ValidationError: The name is none, or a property is no text.
    """

    name: str
    properties: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ValidationError(f"a table of Iceberg needs the name of its catalog, got {cut(self.name)}")
        for name, value in self.properties:
            if not isinstance(name, str) or not isinstance(value, str):
                raise ValidationError(
                    f"the property {cut(name)} of the catalog {self.name} must have a text as its value"
                )

    def shown(self, error: BaseException) -> str:
        """What an error says, without what the properties hold."""
        text = one_line(error)
        for name, value in self.properties:
            if name not in _SHOWN and len(value) > 2:
                text = text.replace(value, "***")
        return text

    @contextmanager
    def reaching(self) -> Iterator[None]:
        """What failures of the catalog and of the store become: a ConnectionError, where a restart may help."""
        import requests
        from pyiceberg import exceptions as iceberg

        away: list[type[Exception]] = [requests.RequestException, iceberg.ServiceUnavailableError]
        away += [iceberg.ServerError, iceberg.TooManyRequestsError, *_database_errors()]
        try:
            yield
        except (FileNotFoundError, iceberg.CommitStateUnknownException):
            raise
        except tuple(away) as error:
            raise ConnectionError(f"the catalog {self.name} cannot be reached: {self.shown(error)}") from None
        except (iceberg.UnauthorizedError, iceberg.ForbiddenError, iceberg.OAuthError) as error:
            raise ValidationError(
                f"the catalog {self.name} does not let this job in: {self.shown(error)}: check its credentials"
            ) from None
        except (ConnectionError, TimeoutError) as error:
            raise type(error)(f"the catalog {self.name}: {self.shown(error)}") from None
        except OSError as error:
            warehouse = dict(self.properties).get("warehouse")
            if warehouse is None or is_remote(warehouse):
                raise ConnectionError(f"the files of the catalog {self.name}: {self.shown(error)}") from None
            raise

    def connect(self) -> Any:
        """The catalog of pyiceberg, which is to be closed.

        Raises:
            ConnectionError: It does not answer.
            ValidationError: It cannot be opened.
        """
        check_library()
        from pyiceberg.catalog import load_catalog
        from pyiceberg.exceptions import NoSuchPropertyException, NotInstalledError

        with self.reaching():
            try:
                return load_catalog(self.name, **dict(self.properties))
            except NotInstalledError as error:
                raise ValidationError(f"the catalog {self.name} needs more packages: {one_line(error)}") from None
            except (ValueError, NoSuchPropertyException) as error:
                raise ValidationError(f"the catalog {self.name} cannot be opened: {self.shown(error)}") from None


@dataclass(frozen=True)
class IcebergLocation:
    """A table of Apache Iceberg, which may not be there yet.

    Attributes:
        catalog: The catalog.
        table: The table's name, with its namespaces: ``db.table``.
        branch: The branch that is written, or read.

    Raises:
        ValidationError: The name is none.
    """

    catalog: CatalogAddress
    table: str
    branch: str = "main"

    def __post_init__(self) -> None:
        parts = self.table.split(".") if isinstance(self.table, str) else []
        if len(parts) < 2 or not all(parts):
            raise ValidationError(f"a table of Iceberg needs a name such as 'database.table', got {cut(self.table)}")

    @staticmethod
    def of(
        catalog: str, table: str, properties: Mapping[str, str] | None = None, branch: str = "main"
    ) -> IcebergLocation:
        """The location of a table.

        Raises:
            ValidationError: A name is none, or a property of the catalog is no text.
        """
        return IcebergLocation(CatalogAddress(catalog, tuple(sorted((properties or {}).items()))), table, branch)

    @property
    def name(self) -> str:
        """The table, for people."""
        return f"{self.catalog.name}.{self.table}"

    @property
    def namespace(self) -> tuple[str, ...]:
        """The names in front of the table's own."""
        return tuple(self.table.split(".")[:-1])

    def reaching(self) -> AbstractContextManager[None]:
        """What failures of the catalog and of the store become; see `CatalogAddress.reaching`."""
        return self.catalog.reaching()


class OpenedCatalog:
    """A connection to the catalog of a table, made when it is first needed.

    Args:
        location: The table.
    """

    def __init__(self, location: IcebergLocation) -> None:
        self._location = location
        self._catalog: Any = None

    def load(self) -> Any:
        """The table as it is now; None: there is none.

        Raises:
            ConnectionError: The catalog does not answer.
            ValidationError: It cannot be opened.
        """
        from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

        catalog = self._connected()
        with self._location.reaching():
            try:
                return catalog.load_table(self._location.table)
            except (NoSuchTableError, NoSuchNamespaceError):
                return None

    def there(self) -> Any:
        """The table as it is now.

        Raises:
            ConnectionError: The catalog does not answer.
            ValidationError: There is no such table.
        """
        table = self.load()
        if table is None:
            raise ValidationError(
                f"there is no table {self._location.table} of Apache Iceberg in the catalog "
                f"{self._location.catalog.name}"
            )
        return table

    def create(self, schema: Any, partition_spec: Any, properties: Mapping[str, str]) -> Any:
        """Make the table, and its namespace, unless another process has just made it; and open it."""
        from pyiceberg.exceptions import NamespaceAlreadyExistsError, TableAlreadyExistsError
        from sqlalchemy.exc import IntegrityError

        catalog = self._connected()
        with self._location.reaching():
            for _ in range(_TRIES):
                try:
                    catalog.create_namespace_if_not_exists(self._location.namespace)
                    break
                except (NamespaceAlreadyExistsError, IntegrityError):
                    continue
            try:
                return catalog.create_table(
                    self._location.table, schema, partition_spec=partition_spec, properties=dict(properties)
                )
            except TableAlreadyExistsError:
                return self.there()

    def close(self) -> None:
        """End the connection."""
        catalog, self._catalog = self._catalog, None
        if catalog is not None:
            catalog.close()

    def _connected(self) -> Any:
        if self._catalog is None:
            self._catalog = self._location.catalog.connect()
        return self._catalog


def _database_errors() -> list[type[Exception]]:
    try:
        from sqlalchemy import exc
    except ImportError:
        return []
    return [exc.OperationalError, exc.InterfaceError, exc.TimeoutError]
