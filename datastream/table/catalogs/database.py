"""`CatalogDatabase` and `CatalogDescriptor`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from datastream.config import Configuration


@dataclass(frozen=True)
class CatalogDatabase:
    """A database of a catalog.

    Attributes:
        properties: By key.
        comment: For people.
    """

    properties: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None

    @staticmethod
    def create_instance(properties: dict[str, str], comment: str | None = None) -> CatalogDatabase:
        """A database with properties and a comment."""
        return CatalogDatabase(dict(properties), comment)

    def get_properties(self) -> dict[str, str]:
        """Its properties."""
        return dict(self.properties)

    def get_comment(self) -> str | None:
        """What is said of it, for people."""
        return self.comment

    def copy(self) -> CatalogDatabase:
        """The same as another object."""
        return CatalogDatabase(dict(self.properties), self.comment)

    def get_description(self) -> str | None:
        """The same as `get_comment`."""
        return self.comment

    def get_detailed_description(self) -> str | None:
        """The same as `get_comment`."""
        return self.comment


@dataclass(frozen=True)
class CatalogDescriptor:
    """A catalog as it is declared.

    Attributes:
        name: Its name.
        configuration: Its options; ``type`` says which kind it is of.
        comment: For people.
    """

    name: str
    configuration: Configuration
    comment: str | None = None

    @staticmethod
    def of(catalog_name: str, configuration: Configuration, comment: str | None = None) -> CatalogDescriptor:
        """A catalog of a name and options."""
        return CatalogDescriptor(catalog_name, configuration, comment)
