"""A launcher's settings from environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, ClassVar, Protocol, TypeVar

from datastream.errors import ValidationError


class Settings(Protocol):
    """A frozen dataclass of texts, texts or None, and tuples of texts."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


SettingsT = TypeVar("SettingsT", bound=Settings)


def read_variables(kind: type[SettingsT], prefix: str, variables: Mapping[str, str]) -> SettingsT:
    """Read a launcher's settings. An empty variable counts as none; a tuple is separated by commas.

    Args:
        kind: The settings' class.
        prefix: Such as ``DATASTREAM_GATEWAY_DOCKER_``; the field's name in upper case follows.
        variables: The environment.

    Raises:
        ValidationError: A variable with this prefix names no setting, or a value is wrong.
    """
    names = {prefix + each.name.upper(): each for each in fields(kind)}
    values: dict[str, Any] = {}
    for variable, text in sorted(variables.items()):
        if not variable.startswith(prefix) or not text.strip():
            continue
        each = names.get(variable)
        if each is None:
            near = get_close_matches(variable, names, 1, 0.6)
            remedy = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
            raise ValidationError(f"{variable}: there is no such setting; {remedy}")
        is_tuple = isinstance(each.default, tuple)
        values[each.name] = (
            tuple(part.strip() for part in text.split(",") if part.strip()) if is_tuple else text.strip()
        )
    return kind(**values)
