"""Types from Python's annotations.

An annotation means a type only where every value that fits it keeps its class: a dataclass or a named tuple is
no `Row`, a tuple of any length no list, a member of an Enum no str. These, and all that is wider than one type, are
pickled. `row_of` returns the type of rows with the fields of such a class, for those who do make rows.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import types
import typing
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.time.instant import Instant
from datastream.types.factories import Types
from datastream.types.row_type import RowTypeInfo
from datastream.types.type_information import TypeInformation

_NONE = type(None)
_ANY = Types.PICKLED_BYTE_ARRAY()
_CLASSES: dict[Any, TypeInformation] = {
    _NONE: Types.VOID(),
    bool: Types.BOOLEAN(),
    int: Types.LONG(),
    float: Types.DOUBLE(),
    str: Types.STRING(),
    bytes: Types.PRIMITIVE_ARRAY(Types.BYTE()),
    Decimal: Types.BIG_DEC(),
    dt.date: Types.SQL_DATE(),
    dt.time: Types.SQL_TIME(),
    dt.datetime: Types.SQL_TIMESTAMP(),
    Instant: Types.INSTANT(),
    list: Types.LIST(_ANY),
}
#: What a `type` statement makes, from Python 3.12 on.
_ALIAS: Any = getattr(typing, "TypeAliasType", ())
_UNIONS = (typing.Union, types.UnionType)
#: Wrappers that say nothing about the class of a value.
_MARKS = tuple(
    getattr(typing, name)
    for name in ("Final", "ClassVar", "Required", "NotRequired", "ReadOnly")
    if hasattr(typing, name)
)


def type_of_hint(annotation: Any) -> TypeInformation:
    """The type of the values that an annotation allows; see `Types.from_hint`."""
    hint = resolved(annotation)
    try:
        return _Translation().translate(hint)
    except RecursionError:
        raise ValidationError("the annotation is nested too deeply") from None


def row_of_class(cls: type) -> RowTypeInfo:
    """The type of a row with the fields of a class; see `Types.row_of`."""
    fields = _fields(cls)
    if fields is None:
        raise ValidationError(f"expected a dataclass, NamedTuple or TypedDict, found {cut(cls)}")
    return _Translation(rows=True).row(cls, fields)


def resolved(annotation: Any, names: dict[str, Any] | None = None) -> Any:
    """The annotation without strings inside.

    Args:
        annotation: Anything that may follow a colon or an arrow.
        names: The names that strings may use, besides the built-in ones.

    Raises:
        ValidationError: A string is not Python, or uses another name.
    """
    holder = types.SimpleNamespace(__annotations__={"it": annotation})
    try:
        return typing.get_type_hints(holder, globalns=names or {}, include_extras=True)["it"]
    except Exception as error:  # strings in annotations are code, and may raise anything
        raise ValidationError(
            f"the annotation {cut(annotation)} cannot be resolved ({error}); pass the class itself instead of its name"
        ) from error


def without_none(annotation: Any) -> tuple[list[Any], bool]:
    """The members of a union, or the annotation alone, without None; and whether None was there."""
    if isinstance(annotation, _ALIAS):
        return without_none(annotation.__value__)
    if typing.get_origin(annotation) is typing.Annotated:
        inner, none = without_none(annotation.__origin__)
        return ([annotation] if not none else inner), none
    if typing.get_origin(annotation) not in _UNIONS:
        return [annotation], False
    members = list(typing.get_args(annotation))
    return [member for member in members if member is not _NONE], _NONE in members


def one_of(kinds: Iterable[TypeInformation]) -> TypeInformation:
    """The type that all of these are, or the pickled one."""
    # By their text, because rows with different names are equal.
    found = {repr(kind): kind for kind in kinds}
    return next(iter(found.values())) if len(found) == 1 else _ANY


class _Translation:
    """One walk through an annotation; it remembers which classes and aliases it is inside of."""

    def __init__(self, rows: bool = False) -> None:
        self._rows = rows
        self._inside: list[Any] = []

    def translate(self, hint: Any) -> TypeInformation:
        if isinstance(hint, TypeInformation):
            return hint
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Annotated:
            told = [mark for mark in hint.__metadata__ if isinstance(mark, TypeInformation)]
            return told[0] if told else self.translate(args[0])
        if origin in _MARKS:
            return self.translate(args[0])
        if origin in _UNIONS:
            return self._union(hint)
        if origin is typing.Literal:
            return self._literal(args)
        if origin is list and len(args) == 1:
            return Types.LIST(self.translate(args[0]))
        if origin is dict and len(args) == 2:
            return self._map(*args)
        if origin is tuple:
            return self._tuple(args)
        if isinstance(hint, typing.NewType):
            return self.translate(hint.__supertype__)
        if isinstance(hint, typing.TypeVar):
            return self._variable(hint)
        if isinstance(hint, _ALIAS):
            return self._alias(hint)
        return self._class(hint)

    def _class(self, hint: Any) -> TypeInformation:
        try:
            found = _CLASSES.get(hint)
        except TypeError:  # not hashable, so no class
            return _ANY
        if found is None and self._rows and (fields := _fields(hint)) is not None:
            return self.row(hint, fields)
        return found or _ANY

    def row(self, cls: type, fields: dict[str, Any]) -> RowTypeInfo:
        if cls in self._inside:
            raise ValidationError(
                f"{cls.__qualname__} holds itself, and the type of a row must end; annotate the inner field "
                "as Annotated[..., Types.PICKLED_BYTE_ARRAY()]"
            )
        self._inside.append(cls)
        kinds = [self.translate(hint) for hint in fields.values()]
        self._inside.pop()
        return Types.ROW_NAMED(list(fields), kinds)

    def _alias(self, hint: Any) -> TypeInformation:
        if hint in self._inside:
            return _ANY
        self._inside.append(hint)
        try:
            return self.translate(resolved(hint.__value__))
        finally:
            self._inside.pop()

    def _union(self, hint: Any) -> TypeInformation:
        return one_of(map(self.translate, without_none(hint)[0]))

    def _literal(self, members: tuple[Any, ...]) -> TypeInformation:
        classes = {type(member) for member in members} - {_NONE}
        return one_of(_CLASSES.get(cls, _ANY) for cls in classes or {_NONE})

    def _map(self, key: Any, value: Any) -> TypeInformation:
        # None is no legal key, so that keys of any kind are no map.
        kind = _ANY if may_be_none(key) else self.translate(key)
        return _ANY if kind == _ANY else Types.MAP(kind, self.translate(value))

    def _tuple(self, members: tuple[Any, ...]) -> TypeInformation:
        if Ellipsis in members or any(map(_is_unpacked, members)):
            return _ANY  # of any length
        return Types.TUPLE([_ANY if may_be_none(member) else self.translate(member) for member in members])

    def _variable(self, variable: typing.TypeVar) -> TypeInformation:
        if variable in self._inside:
            return _ANY
        self._inside.append(variable)
        bound = variable.__constraints__ or ((variable.__bound__,) if variable.__bound__ else ())
        kind = one_of(map(self.translate, bound)) if bound else _ANY
        self._inside.pop()
        return kind


def _is_unpacked(member: Any) -> bool:
    return typing.get_origin(member) is typing.Unpack or getattr(member, "__unpacked__", False) is True


def may_be_none(annotation: Any) -> bool:
    """Whether an annotation of several types has None among them."""
    if typing.get_origin(annotation) is typing.Literal:
        return None in typing.get_args(annotation)
    return without_none(annotation)[1]


def _fields(cls: Any) -> dict[str, Any] | None:
    """The annotations of a class's fields by name; None when it is not a class of fields."""
    if not isinstance(cls, type):
        return None
    names: Iterable[str]
    if dataclasses.is_dataclass(cls):
        names = [field.name for field in dataclasses.fields(cls)]
    elif issubclass(cls, tuple) and hasattr(cls, "_fields"):
        names = cls._fields
    elif typing.is_typeddict(cls):
        names = cls.__annotations__
    else:
        return None
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except Exception as error:  # strings in annotations are code, and may raise anything
        raise ValidationError(f"the annotations of {cls.__qualname__} cannot be resolved: {error}") from error
    return {name: hints.get(name, Any) for name in names}
