"""Databases: the driver of Python for a URL of JDBC's, and what differs between them."""

from __future__ import annotations

import re

from datastream.environments.secret_values import hide
from datastream.errors import ValidationError

from ..options import JdbcConnectionOptions
from .base import Dialect, MarkerStatements
from .mysql import MySQL
from .postgresql import PostgreSQL
from .sqlite import SQLite

__all__ = ["Dialect", "MarkerStatements", "MySQL", "PostgreSQL", "SQLite", "dialect_of"]

#: The word of the URL -> the kind.
_DIALECTS: dict[str, type[Dialect]] = {
    "postgresql": PostgreSQL,
    "mysql": MySQL,
    "mariadb": MySQL,
    "sqlite": SQLite,
}


def dialect_of(options: JdbcConnectionOptions) -> Dialect:
    """The kind of a database.

    Raises:
        ValidationError: The URL is none of JDBC's, or of a database without a driver here.
    """
    found = re.match(r"jdbc:([a-z0-9]+):", options.url)
    if found is None:
        example = "jdbc:postgresql://host/db"
        raise ValidationError(f"a database's URL begins with jdbc:, such as {example}, got {hide(options.url)}")
    kind = _DIALECTS.get(found[1])
    if kind is None:
        raise ValidationError(f"there is no driver for {hide(options.url)}; there are {', '.join(_DIALECTS)}")
    return kind(options)
