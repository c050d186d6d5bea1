"""`SqlDialect`."""

from __future__ import annotations


class SqlDialect:
    """The dialects of SQL that Flink knows; only the default one can be used here."""

    DEFAULT = 0
    HIVE = 1
