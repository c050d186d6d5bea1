"""Table connectors: what the option ``connector`` of a table names."""

from .connector import KeyedConnector, Option, Settings, TableConnector, TableInfo
from .registry import connector_for, connector_names, find_connector, register_connector

__all__ = [
    "KeyedConnector",
    "Option",
    "Settings",
    "TableConnector",
    "TableInfo",
    "connector_for",
    "connector_names",
    "find_connector",
    "register_connector",
]
