"""Options of tables: the WITH clause, checked and read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from datastream.config.duration_text import parse_duration_ms
from datastream.errors import ValidationError, cut
from datastream.table.plan.errors import missing_name

_BYTES = {
    **dict.fromkeys(("", "b", "bytes"), 1),
    **dict.fromkeys(("k", "kb", "kibibytes"), 1 << 10),
    **dict.fromkeys(("m", "mb", "mebibytes"), 1 << 20),
    **dict.fromkeys(("g", "gb", "gibibytes"), 1 << 30),
}


@dataclass(frozen=True)
class Option:
    """An option that a connector or format has.

    Attributes:
        name: As in the WITH clause. ``#`` stands for a part without a dot, ``*`` at the end for any text.
        kind: Of its value: ``string``, ``boolean``, ``integer``, ``double``, ``duration`` (read as ms), ``memory``
            (bytes), ``list`` (of str, by semicolons), ``map`` (``k:v,k:v``).
        default: What it is where it is not set.
        required: Whether it has to be set.
        doc: One line for the reference.
        choices: The only values that there are, in lower case; empty: any.
    """

    name: str
    kind: str = "string"
    default: Any = None
    required: bool = False
    doc: str = ""
    choices: tuple[str, ...] = ()

    def fits(self, name: str) -> bool:
        """Whether it is the option of this name."""
        if "#" not in self.name and "*" not in self.name:
            return name == self.name
        pattern = re.escape(self.name).replace(r"\#", "[^.]+").replace("#", "[^.]+").replace(r"\*", ".+")
        return re.fullmatch(pattern, name) is not None

    def read(self, text: str) -> Any:
        """The value of a text.

        Raises:
            ValidationError: it is no such value.
        """
        try:
            value = _READERS[self.kind](text)
        except ValueError as error:
            reason = str(error)
            raise ValidationError(f"option '{self.name}': expected {_NAMES[self.kind]}, got {cut(text)}") from (
                error if reason else None
            )
        if self.choices and str(value).lower() not in self.choices:
            raise ValidationError(f"option '{self.name}': expected one of {', '.join(self.choices)}, got {cut(text)}")
        return str(value).lower() if self.choices else value


def _boolean(text: str) -> bool:
    try:
        return {"true": True, "false": False}[text.strip().lower()]
    except KeyError:
        raise ValueError from None


def _memory(text: str) -> int:
    found = re.fullmatch(r"\s*(\d+)\s*([a-z]*)\s*", text.lower())
    if found is None or found[2] not in _BYTES:
        raise ValueError
    return int(found[1]) * _BYTES[found[2]]


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";") if part.strip())


def _map(text: str) -> dict[str, str]:
    pairs = [part.partition(":") for part in text.split(",") if part.strip()]
    if not all(colon for _, colon, _ in pairs):
        raise ValueError
    return {key.strip(): value.strip() for key, _, value in pairs}


_READERS: dict[str, Callable[[str], Any]] = {
    "string": str,
    "boolean": _boolean,
    "integer": int,
    "double": float,
    "duration": lambda text: parse_duration_ms("of a table", text),
    "memory": _memory,
    "list": _list,
    "map": _map,
}
_NAMES = {
    "string": "text",
    "boolean": "true or false",
    "integer": "a whole number",
    "double": "a number",
    "duration": "an amount of time such as '200 ms' or '3 min'",
    "memory": "an amount of bytes such as '128 mb'",
    "list": "texts with semicolons between them",
    "map": "pairs such as 'a:1,b:2'",
}


class Settings(Mapping[str, Any]):
    """The options of a table, read; one that is not set has its default. Made by `read_options`."""

    def __init__(self, values: Mapping[str, Any], options: tuple[Option, ...], of: str) -> None:
        self._values, self._options, self._of = dict(values), options, of

    def __getitem__(self, name: str) -> Any:
        if name in self._values:
            return self._values[name]
        for option in self._options:
            if option.fits(name):
                return option.default
        raise KeyError(f"{self._of} has no option {name!r}")

    def __contains__(self, name: object) -> bool:
        """Whether it is set."""
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def below(self, prefix: str) -> dict[str, Any]:
        """The options that are set and begin so, without that beginning."""
        return {name.removeprefix(prefix): value for name, value in self._values.items() if name.startswith(prefix)}


def read_options(given: Mapping[str, str], options: Iterable[Option], of: str) -> Settings:
    """Options as they are written, checked and read.

    Args:
        given: Name -> text.
        options: Those that there are.
        of: For errors: ``table `a`.`b`.`c```.

    Raises:
        ValidationError: one is unknown, missing, or has a value that it cannot have.
    """
    there = tuple(options)
    values = {}
    for name, text in given.items():
        option = next((each for each in there if each.fits(name)), None)
        if option is None:
            raise ValidationError(f"{of}: {unknown_option(name, there)}")
        try:
            values[name] = option.read(str(text))
        except ValidationError as error:
            message = str(error).replace(f"option '{option.name}'", f"option '{name}'")
            raise ValidationError(f"{of}: {message}") from None
    for option in there:
        if option.required and option.name not in values:
            raise ValidationError(f"{of}: the option '{option.name}' is missing ({option.doc.rstrip('.')})")
    return Settings(values, there, of)


def unknown_option(name: str, there: Iterable[Option]) -> str:
    """What is said about an option that does not exist, with the nearest one and the list."""
    return missing_name("option", name, sorted({option.name for option in there}))
