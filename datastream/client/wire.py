"""Dataclasses from the API's JSON objects, and back.

A field's key in JSON is its name, unless ``key`` of its metadata names another. What later servers add is ignored, and
what they leave out or give as null is the field's default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields, is_dataclass
from typing import Any, TypeVar

T = TypeVar("T")


def at(key: str, default: Any = None, of: Callable[[Any], Any] | None = None) -> Any:
    """A field with another key in JSON.

    Args:
        key: The key.
        default: The value where JSON has none.
        of: Makes the value of what JSON has.
    """
    return field(default=default, metadata={"key": key, "of": of})


def made(of: Callable[[Any], Any], default: Any = None) -> Any:
    """A field whose value is made of what JSON has.

    Args:
        of: Makes it.
        default: The value where JSON has none.
    """
    return field(default=default, metadata={"of": of})


def mapping() -> Any:
    """A field that holds a JSON object as it is."""
    return field(default_factory=dict, metadata={"of": lambda value: dict(value) if isinstance(value, Mapping) else {}})


def read(cls: type[T], data: Any) -> T:
    """An object of a dataclass.

    Raises:
        ValueError: A field that has no default is missing, or `data` is not a JSON object.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"expected an object for {cls.__name__}, got {type(data).__name__}")
    values: dict[str, Any] = {}
    for each in fields(cls):  # type: ignore[arg-type]
        value = data.get(each.metadata.get("key", each.name))
        if value is None:
            if each.default is MISSING and each.default_factory is MISSING:
                raise ValueError(f"{cls.__name__} without '{each.metadata.get('key', each.name)}'")
            continue
        of = each.metadata.get("of")
        values[each.name] = value if of is None else of(value)
    return cls(**values)


def reader(cls: type[T]) -> Callable[[Any], T]:
    """What makes an object of a dataclass."""
    return lambda data: read(cls, data)


def all_of(cls: type[T]) -> Callable[[Any], tuple[T, ...]]:
    """What makes a tuple of objects of a dataclass."""
    return lambda items: tuple(read(cls, item) for item in items)


def each_of(cls: type[T]) -> Callable[[Any], dict[str, T]]:
    """What makes a dict of objects of a dataclass."""
    return lambda items: {str(key): read(cls, item) for key, item in items.items()}


def to_json(value: Any) -> Any:
    """A value with the API's keys."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.metadata.get("key", each.name): to_json(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    return value
