"""Connectors by name: those of this package, and those that other packages bring."""

from __future__ import annotations

import importlib
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.table.plan.errors import missing_name

from .connector import TableConnector, TableInfo

GROUP = "datastream.table_connectors"

#: Name -> module and class; imported when a table asks for them.
_BUILT_IN = {
    "blackhole": ("blackhole", "BlackholeConnector"),
    "cassandra": ("cassandra", "CassandraConnector"),
    "datagen": ("datagen", "DatagenConnector"),
    "delta": ("delta", "DeltaConnector"),
    "elasticsearch-7": ("elasticsearch", "ElasticsearchConnector"),
    "elasticsearch-8": ("elasticsearch", "Elasticsearch8Connector"),
    "filesystem": ("filesystem", "FilesystemConnector"),
    "firehose": ("kinesis", "FirehoseConnector"),
    "http": ("http", "HttpConnector"),
    "iceberg": ("iceberg", "IcebergConnector"),
    "jdbc": ("jdbc", "JdbcConnector"),
    "kafka": ("kafka", "KafkaConnector"),
    "kinesis": ("kinesis", "KinesisConnector"),
    "mqtt": ("mqtt", "MqttConnector"),
    "mysql-cdc": ("mysql_cdc", "MySqlCdcConnector"),
    "opensearch": ("elasticsearch", "OpensearchConnector"),
    "opensearch-2": ("elasticsearch", "Opensearch2Connector"),
    "postgres-cdc": ("postgres_cdc", "PostgresCdcConnector"),
    "print": ("print_table", "PrintConnector"),
    "pubsub": ("pubsub", "PubsubConnector"),
    "pulsar": ("pulsar", "PulsarConnector"),
    "rabbitmq": ("rabbitmq", "RabbitmqConnector"),
    "redis": ("redis", "RedisConnector"),
    "state": ("state", "StateConnector"),
    "upsert-kafka": ("upsert_kafka", "UpsertKafkaConnector"),
}
#: Those of older programs, which have no other way to them.
_LEGACY = {
    "legacy-csv": ("legacy_csv", "LegacyCsvConnector"),
    "legacy-print": ("legacy_csv", "LegacyPrintConnector"),
}


def connector_names() -> list[str]:
    """The names of all connectors that there are."""
    return sorted({*_BUILT_IN, *_plugins()})


def connector_for(table: TableInfo) -> TableConnector:
    """The connector of a table, whose options are checked.

    Raises:
        ValidationError: it names no connector or an unknown one, or has an option that the connector does not have.
    """
    name = table.options.get("connector")
    if name is None:
        raise ValidationError(
            f"{table}: the option 'connector' is missing; the connectors are: {', '.join(connector_names())}"
        )
    connector = find_connector(name)
    if connector is None:
        raise ValidationError(f"{table}: {missing_name('connector', name, connector_names())}")
    connector.check(table)
    return connector


def connectors_of_updates() -> str:
    """Which tables take rows of all kinds, as users read it: ``kafka with a format of changes, upsert-kafka``."""
    found: dict[str, list[str]] = {}
    for name in _BUILT_IN:
        connector = find_connector(name)
        if connector is not None and connector.updates is not None:
            found.setdefault(connector.updates, []).append(name)
    return "; ".join(f"{', '.join(names)} {needs}".strip() for needs, names in found.items())


def find_connector(name: str) -> TableConnector | None:
    """The connector of a name, or None.

    Raises:
        ValidationError: a package brings it, but it cannot be used.
    """
    known = _BUILT_IN.get(name) or _LEGACY.get(name)
    if known is not None:
        module, cls = known
        built_in: TableConnector = getattr(importlib.import_module(f".{module}", __package__), cls)()
        return built_in
    point = _plugins().get(name)
    return None if point is None else _loaded(point)


@cache
def _plugins() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def register_connector(name: str, value: str) -> None:
    """Make a connector known to this process, as if a package had it.

    Args:
        name: Its name.
        value: Its class, as an entry point has it: ``module:Class``.
    """
    _plugins()[name] = EntryPoint(name, value, GROUP)


def _loaded(point: EntryPoint) -> TableConnector:
    package = "unknown" if point.dist is None else point.dist.name
    try:
        found: Any = point.load()
    except Exception as error:
        raise ValidationError(
            f"{GROUP}: the connector '{point.name}', {point.value} of the package {package}, cannot be imported: "
            f"{type(error).__name__}: {error}"
        ) from error
    if not (isinstance(found, type) and issubclass(found, TableConnector)):
        raise ValidationError(
            f"{GROUP}: {point.value} of the package {package} must be a subclass of TableConnector, got {cut(found)}"
        )
    return found()
