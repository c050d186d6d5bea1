"""Change capture: tables of MySQL or MariaDB as they are, and every change of them from then on."""

from .source import MySqlChangeSource, StartupOptions

__all__ = ["MySqlChangeSource", "StartupOptions"]
