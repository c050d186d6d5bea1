"""`Row`: a record of fields by position or by name."""

# ruff: noqa: SLF001 - the functions of this module are parts of `Row` that users do not see.

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any

from datastream.errors import ValidationError
from datastream.stored_types import reader
from datastream.types.row_kind import RowKind

# Reading a member off its Enum class is slow in Python 3.11, and rows do it all the time.
_INSERT = RowKind.INSERT
_new_row = object.__new__
#: Names of fields for which `Row` has a `_Field`, so many at most.
_learnt: set[str] = set()
_MOST_LEARNT = 1000
#: The values of a row: its own list. As fast as an attribute in `map`.
values_of: Callable[[Row], list[Any]] = attrgetter("_values")
#: Names of the fields of a row; None: it has none.
names_of: Callable[[Row], tuple[str, ...] | None] = attrgetter("_fields")


class Row:
    """A record of fields, with or without names, and the kind of its change.

    `Row(1, "a")` has no names; `Row(id=1, name="a")` keeps the names in the order given.
    Fields are read as `row[0]`, `row["id"]` or `row.id`, and set by position or name.
    A row of strings also makes rows: `Person = Row("name", "age"); Person("Alice", 11)`.
    Equality and printing follow `pyflink.common.Row`: named rows compare by name, whatever the
    order of their fields. Unlike there, equal rows also have equal hashes.

    Raises:
        ValidationError: Both positional and named fields are given.
    """

    # Slots refuse other attributes, as PyFlink's Row does, without the price of a __setattr__.
    __slots__ = ("_fields", "_row_kind", "_values")

    _fields: tuple[str, ...] | None
    _row_kind: RowKind
    _values: list[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs:
            if args:
                raise ValidationError("Can not use both args and kwargs to create Row.")
            self._fields = tuple(kwargs)
            self._values = list(kwargs.values())
        else:
            self._fields = None
            self._values = list(args)
        self._row_kind = _INSERT

    @staticmethod
    def of_kind(row_kind: RowKind, *args: Any, **kwargs: Any) -> Row:
        """Return a row of the given kind and fields."""
        row = Row(*args, **kwargs)
        row._row_kind = row_kind
        return row

    def as_dict(self, recursive: bool = False) -> dict[str, Any]:
        """Return the fields by name.

        Args:
            recursive: Turn rows inside fields, lists and dicts into dicts as well.

        Raises:
            TypeError: The row, or a row inside it, has no names.
        """
        if self._fields is None:
            raise TypeError(f"Cannot convert {self!r} into a dict: its fields have no names.")
        values = map(_nested_as_dict, self._values) if recursive else self._values
        return dict(zip(self._fields, values, strict=False))

    def get_row_kind(self) -> RowKind:
        """Return the kind of the change."""
        return self._row_kind

    def set_row_kind(self, row_kind: RowKind) -> None:
        """Set the kind of the change."""
        self._row_kind = row_kind

    def set_field_names(self, field_names: Iterable[str]) -> None:
        """Set the names of the fields, by position."""
        self._fields = tuple(field_names)

    def get_fields_by_names(self, names: list[str]) -> list[Any]:
        """Return the values of these fields; all values when the row has no names.

        Raises:
            ValidationError: A name is not a field of the row.
        """
        if self._fields is None or tuple(names) == self._fields:
            return self._values
        missing = [name for name in names if name not in self._fields]
        if missing:
            raise ValidationError(f"Field names {missing} not exist in {list(self._fields)}.")
        return [self._values[self._fields.index(name)] for name in names]

    def __call__(self, *args: Any) -> Row:
        if len(args) > len(self._values):
            raise ValidationError(f"Can not create Row with fields {self}, expected {len(self)} values but got {args}")
        return _row_of_kind(self._row_kind.value, tuple(self._values), *args)

    def __contains__(self, item: object) -> bool:
        return item in (self._values if self._fields is None else self._fields)

    def __getitem__(self, item: int | slice | str) -> Any:
        return self._values[self._position(item) if isinstance(item, str) else item]

    def __setitem__(self, key: int | slice | str, value: Any) -> None:
        if isinstance(key, (int, slice)):
            self._values[key] = value
        else:
            self._values[self._position(key)] = value

    def _position(self, name: str) -> int:
        if self._fields is None:
            raise KeyError(name)
        try:
            return self._fields.index(name)
        except ValueError:
            raise ValidationError(f"Row has no field {name!r}: it has {list(self._fields)}.") from None

    def __getattr__(self, item: str) -> Any:
        # Python probes rows for its own names, also before they have slots; these are never fields.
        if item[:1] == "_" and (item.startswith("__") or item in Row.__slots__):
            raise AttributeError(item)
        fields = self._fields
        if fields is not None and item in fields:
            _learn(item)
            return self._values[fields.index(item)]
        has = "its fields have no names" if fields is None else f"it has {list(fields)}"
        raise AttributeError(f"Row has no field {item!r}: {has}", name=item, obj=self)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Row):
            return NotImplemented
        if self._row_kind is not other._row_kind or self.__class__ is not other.__class__:
            return False
        if self._fields == other._fields:
            return self._values == other._values
        if self._fields is None or other._fields is None or sorted(self._fields) != sorted(other._fields):
            return False
        return all(self[name] == other[name] for name in self._fields)

    def __hash__(self) -> int:
        if self._fields is None:
            return hash(tuple(self._values))
        return hash(tuple(self[name] for name in sorted(self._fields)))

    def __repr__(self) -> str:
        if self._fields is None:
            return f"<Row({', '.join(map(repr, self._values))})>"
        fields = zip(self._fields, self._values, strict=False)
        return f"Row({', '.join(f'{name}={value!r}' for name, value in fields)})"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.__class__ is not Row:
            slots = {name: getattr(self, name) for name in Row.__slots__}
            return _new_row, (self.__class__,), (getattr(self, "__dict__", None), slots)
        # One flat tuple of arguments a row: fewer pickle opcodes than a nested one.
        if self._row_kind is not _INSERT:
            return _row_of_kind, (self._row_kind.value, self._fields, *self._values)
        if self._fields is None:
            return _row, tuple(self._values)
        return _named_row, (self._fields, *self._values)


class _Field:
    """A name of fields that rows find without `Row.__getattr__`, in a fifth of the time.

    A row that has no such field goes on to `Row.__getattr__`; an attribute of a subclass's own comes first.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, row: Any, cls: type) -> Any:
        try:
            return row._values[row._fields.index(self._name)]
        except ValueError:
            raise AttributeError(self._name) from None


def _learn(name: str) -> None:
    if len(_learnt) < _MOST_LEARNT and not hasattr(Row, name):
        _learnt.add(name)
        setattr(Row, name, _Field(name))


def row_factory(fields: Iterable[str] | None) -> Callable[[list[Any]], Row]:
    """What makes rows of these names of lists of values, fast. The row keeps the list itself."""
    names = None if fields is None else tuple(fields)

    def make(values: list[Any]) -> Row:
        row = _new_row(Row)
        row._fields = names
        row._values = values
        row._row_kind = _INSERT
        return row

    return make


def inserted_values(rows: Iterable[Any], names: tuple[str, ...], also: tuple[str, ...] | None) -> list[list[Any]]:
    """The values of those rows that are insertions and have one of two names of their fields.

    Args:
        rows: The rows.
        names: Names of the fields; None: a row without names.
        also: Others.
    """
    return [
        row._values
        for row in rows
        if row._row_kind is _INSERT and ((own := row._fields) is names or own is also or own == names)
    ]


def with_values(row: Row, values: list[Any], names: tuple[str, ...]) -> Row:
    """The row with these values, and with these names unless it has its own."""
    if values is row._values and row._fields is not None:
        return row
    made = _new_row(Row)
    made._fields = names if row._fields is None else row._fields
    made._values = values
    made._row_kind = row._row_kind
    return made


def copy_row(row: Row) -> Row:
    """A row whose fields can be set without those of the other."""
    made = copy.copy(row)
    made._values = list(row._values)
    return made


@reader("row")
def _row(*values: Any) -> Row:
    row = _new_row(Row)
    row._fields = None
    row._values = list(values)
    row._row_kind = _INSERT
    return row


@reader("named_row")
def _named_row(fields: tuple[str, ...] | None, *values: Any) -> Row:
    row = _new_row(Row)
    row._fields = fields
    row._values = list(values)
    row._row_kind = _INSERT
    return row


@reader("row_of_kind")
def _row_of_kind(kind: int, fields: tuple[str, ...] | None, *values: Any) -> Row:
    row = _named_row(fields, *values)
    row._row_kind = RowKind(kind)
    return row


def _nested_as_dict(value: Any) -> Any:
    if isinstance(value, Row):
        return value.as_dict(True)
    if isinstance(value, list):
        return [_nested_as_dict(item) for item in value]
    if isinstance(value, dict):
        return {key: _nested_as_dict(item) for key, item in value.items()}
    return value
