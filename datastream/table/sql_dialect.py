"""`SqlDialect`."""

from __future__ import annotations

from enum import Enum


class SqlDialect(Enum):
    """The dialects of SQL that Flink knows; only the default one can be used here."""

    DEFAULT = 0
    HIVE = 1
