"""What is executed for each record."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.types import Row
from datastream.types.row import values_of as row_values

from .mapper_options import MapperSettings

#: Texts, names and comments, in which nothing is a part of the statement.
_NO_PARTS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\$\$.*?\$\$|(?:--|//)[^\n]*|/\*.*?\*/""", re.DOTALL)
_WRITES = re.compile(r"\s*(insert|update|delete)\b", re.IGNORECASE)
_CONDITION = re.compile(r"\bif\b", re.IGNORECASE)
_NEW_EACH_TIME = re.compile(r"\b(now|uuid|current\w*)\s*\(", re.IGNORECASE)
_QUOTED = re.compile(r'"(\w+)"')
#: An element of a list that is deleted: the next one has its number then.
_ELEMENTS = re.compile(r"\bdelete\b.*?(\w+)\s*\[", re.IGNORECASE | re.DOTALL)
_CHANGES = re.compile(r"(\w+)\s*=\s*(?:\1\s*[+-]|\?\s*\+\s*\1\b|[^,]*\+\s*\1\b)|(\w+)\s*[+-]=", re.IGNORECASE)


@dataclass(frozen=True)
class Query:
    """A statement with a ``?`` for each field of a record.

    Attributes:
        cql: The statement.
        ignore_nulls: A None leaves the column alone, where it would delete what it held.
    """

    cql: str
    ignore_nulls: bool = False

    @property
    def options(self) -> MapperSettings | None:
        """Of objects only."""
        return None

    def of_first(self, record: Any) -> str:
        """The statement."""
        return self.cql

    def values(self, record: Any) -> Sequence[Any]:
        """A value for each ``?``."""
        return values_of(record)


@dataclass(frozen=True)
class Mapping:
    """Dataclass objects as rows: each field is the column of its name.

    The table is the attribute ``__table_name__`` of the class, else the class's name in small letters; its keyspace the
    attribute ``__keyspace__``, else that of the cluster's settings.

    Attributes:
        options: How they are written.
        ignore_nulls: As of `Query`.
    """

    options: MapperSettings
    ignore_nulls: bool = False

    def of_first(self, record: Any) -> str:
        """The statement for objects like this one.

        Raises:
            ValidationError: It is no object of a dataclass.
        """
        if not dataclasses.is_dataclass(record) or isinstance(record, type):
            raise ValidationError(
                f"CassandraSink: without set_query records must be objects of a dataclass, got {cut(record)}; call "
                "set_query for tuples and rows"
            )
        cls = type(record)
        names = [field.name for field in dataclasses.fields(record)]
        table = getattr(cls, "__table_name__", cls.__name__.lower())
        keyspace = getattr(cls, "__keyspace__", None)
        options = self.options
        using = [f"TTL {options.ttl}"] if options.ttl is not None else []
        using += [f"TIMESTAMP {options.timestamp}"] if options.timestamp is not None else []
        return (
            f"INSERT INTO {'' if keyspace is None else f'{_name(keyspace)}.'}{_name(table)} "
            f"({', '.join(map(_name, names))}) VALUES ({', '.join('?' * len(names))})"
            f"{' IF NOT EXISTS' if options.if_not_exists else ''}"
            f"{' USING ' if using else ''}{' AND '.join(using)}"
        )

    def values(self, record: Any) -> Sequence[Any]:
        """The fields of an object."""
        return values_of(record)


Statement = Query | Mapping


def checked_query(cql: Any) -> str:
    """A statement of the user's.

    Raises:
        ValidationError: It is no text, writes nothing, or has no parameter.
    """
    if not isinstance(cql, str) or not cql.strip():
        raise ValidationError(
            f"CassandraSink: expected a statement such as 'INSERT INTO shop.totals (customer, total) VALUES (?, ?)', "
            f"got {cut(cql)}"
        )
    plain = _plain(cql)
    if not _WRITES.match(plain):
        raise ValidationError(f"CassandraSink: expected INSERT, UPDATE or DELETE, got {cut(cql)}")
    if "?" not in plain:
        raise ValidationError(f"CassandraSink: the statement has no parameter: write a '?' for each field: {cut(cql)}")
    return cql.strip().rstrip(";")


def is_conditional(cql: str) -> bool:
    """Whether it is a lightweight transaction."""
    return _CONDITION.search(_plain(cql)) is not None


def is_repeatable(cql: str, types: dict[str, str]) -> bool:
    """Whether it leaves the same when it is executed once more.

    Args:
        cql: The statement.
        types: The types of the table's columns, by name.
    """
    plain = _plain(_QUOTED.sub(r"\1", cql))
    if "counter" in types.values() or _NEW_EACH_TIME.search(plain):
        return False
    changed = [(found[1] or found[2]).lower() for found in _CHANGES.finditer(plain)]
    changed += [found[1].lower() for found in _ELEMENTS.finditer(plain)]
    return not any(types.get(name, "list").startswith("list") for name in changed)


def values_of(record: Any) -> Sequence[Any]:
    """The fields of a record: of a `Row`, a tuple, a list, a dataclass object, or any other as one field."""
    if isinstance(record, tuple):
        return record
    if isinstance(record, Row):
        return row_values(record)
    if isinstance(record, list):
        return record
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        return [getattr(record, field.name) for field in dataclasses.fields(record)]
    return (record,)


def _plain(cql: str) -> str:
    return _NO_PARTS.sub("''", cql)


def _name(name: str) -> str:
    """A name as CQL takes it: in small letters without quotes, or as it is within."""
    return '"' + name.replace('"', '""') + '"'  # always: it may be a word of CQL's
