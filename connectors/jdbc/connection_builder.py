"""What the builders of sources of a database have in common."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

from datastream.types import TypeInformation

from .options import JdbcConnectionOptions


@dataclass(frozen=True)
class ConnectionBuilder:
    """Holds the database and the type of the rows."""

    _options: JdbcConnectionOptions = field(default_factory=lambda: JdbcConnectionOptions(""))
    _type: TypeInformation | None = None

    def set_connection_options(self, options: JdbcConnectionOptions) -> Self:
        """Set the database, user and password at once."""
        return replace(self, _options=options)

    def set_db_url(self, url: str) -> Self:
        """Set the database, such as ``jdbc:postgresql://host:5432/shop``."""
        return replace(self, _options=replace(self._options, url=url))

    def set_username(self, name: str) -> Self:
        """Set the user."""
        return replace(self, _options=replace(self._options, user_name=name))

    def set_password(self, password: str) -> Self:
        """Set the password."""
        return replace(self, _options=replace(self._options, password=password))

    def set_type_information(self, type_info: TypeInformation) -> Self:
        """Set the type of the rows. Default: unknown."""
        return replace(self, _type=type_info)
