"""Names of objects in catalogs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from datastream.errors import ValidationError, cut
from datastream.table.types.type_text import quoted

_PART = re.compile(r"`((?:[^`]|``)+)`|([^.`\s]+)")


@dataclass(frozen=True, order=True, init=False)
class ObjectPath:
    """A database and the name of an object in it.

    Attributes:
        database: The database.
        name: The object.
    """

    database: str
    name: str

    def __init__(self, database_name: str | None = None, object_name: str | None = None) -> None:
        for what, value in (("database_name", database_name), ("object_name", object_name)):
            if not isinstance(value, str) or not value.strip():
                raise ValidationError(f"ObjectPath: {what} must be a name, got {cut(value)}")
        object.__setattr__(self, "database", database_name)
        object.__setattr__(self, "name", object_name)

    def get_database_name(self) -> str:
        """The database."""
        return self.database

    def get_object_name(self) -> str:
        """The object."""
        return self.name

    def get_full_name(self) -> str:
        """Both, with a dot between them."""
        return f"{self.database}.{self.name}"

    def compare_to(self, other: ObjectPath) -> int:
        """0: the same; else which is the first one by name."""
        return (self > other) - (self < other)

    @staticmethod
    def from_string(full_name: str) -> ObjectPath:
        """The path of ``database.object``.

        Raises:
            ValidationError: it has not two parts.
        """
        parts = full_name.split(".") if isinstance(full_name, str) else []
        if len(parts) != 2:
            raise ValidationError(f"Cannot get split '{full_name}' to get databaseName and objectName")
        return ObjectPath(*parts)

    def __str__(self) -> str:
        return self.get_full_name()


@dataclass(frozen=True, order=True)
class ObjectIdentifier:
    """A catalog, a database and the name of an object.

    Attributes:
        catalog: The catalog.
        database: The database.
        name: The object.
    """

    catalog: str
    database: str
    name: str

    @staticmethod
    def of(catalog_name: str, database_name: str, object_name: str) -> ObjectIdentifier:
        """The identifier of an object."""
        for value in (catalog_name, database_name, object_name):
            if not isinstance(value, str) or not value:
                raise ValidationError(f"ObjectIdentifier.of needs three names, got {cut(value)}")
        return ObjectIdentifier(catalog_name, database_name, object_name)

    def get_catalog_name(self) -> str:
        """The catalog."""
        return self.catalog

    def get_database_name(self) -> str:
        """The database."""
        return self.database

    def get_object_name(self) -> str:
        """The object."""
        return self.name

    def to_object_path(self) -> ObjectPath:
        """The database and the object."""
        return ObjectPath(self.database, self.name)

    def to_list(self) -> list[str]:
        """All three."""
        return [self.catalog, self.database, self.name]

    def as_serializable_string(self) -> str:
        """In backquotes, as SQL has it."""
        return ".".join(map(quoted, self.to_list()))

    def as_summary_string(self) -> str:
        """For people; of a table without a name that which it was given."""
        return self.name if self.name.startswith("*anonymous") else ".".join(self.to_list())

    def __str__(self) -> str:
        return self.as_serializable_string()


def split_path(path: str) -> tuple[str, ...]:
    """The parts of ``table``, ``database.table`` or ``catalog.database.table``, with backquotes or without.

    Raises:
        ValidationError: it is no such path.
    """
    if not isinstance(path, str) or not path.strip():
        raise ValidationError(f"expected the path of an object such as 'my_table' or 'db.my_table', got {cut(path)}")
    parts: list[str] = []
    place, text = 0, path.strip()
    while True:
        found = _PART.match(text, place)
        if found is None:
            break
        parts.append(found[1].replace("``", "`") if found[1] else found[2])
        place = found.end()
        if place == len(text):
            if len(parts) <= 3:
                return tuple(parts)
            break
        if text[place] != ".":
            break
        place += 1
    raise ValidationError(f"{cut(path)} is no path of an object: it has up to three names, with dots between them")
