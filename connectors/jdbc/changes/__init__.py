"""Change capture: a table of PostgreSQL as it is, and every change of it from then on."""

from .source import PostgresChangeSource

__all__ = ["PostgresChangeSource"]
