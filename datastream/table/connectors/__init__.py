"""Table connectors: what the option ``connector`` of a table names."""

from .connector import Option, TableConnector, TableInfo
from .registry import connector_for, connector_names, find_connector

__all__ = ["Option", "TableConnector", "TableInfo", "connector_for", "connector_names", "find_connector"]
