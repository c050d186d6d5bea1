"""The hint LOOKUP: how a table is looked up in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from datastream.config.duration_text import parse_duration_ms
from datastream.errors import ValidationError
from datastream.table.plan.errors import unknown, wrong
from datastream.table.plan.expressions import Position
from datastream.table.sql.syntax import Hint, JoinRef, QueryNode, TableRef

from .join_hints import no_table

_RETRY = ("retry-predicate", "retry-strategy", "fixed-delay", "max-attempts")


@dataclass(frozen=True)
class LookupHints:
    """What a hint says.

    Attributes:
        one_by_one: One row is looked up at a time.
        output_mode: ``ORDERED``, ``ALLOW_UNORDERED``; None: as is configured.
        capacity: How many rows are looked up at a time; None: as is configured.
        timeout_ms: How long a lookup may take; None: as is configured.
        retries: How often a key is looked up again that has no rows.
        delay_ms: How long before.
    """

    one_by_one: bool = False
    output_mode: str | None = None
    capacity: int | None = None
    timeout_ms: int | None = None
    retries: int = 0
    delay_ms: int = 0

    @staticmethod
    def of(options: Mapping[str, str]) -> LookupHints:
        """The meaning of a hint's options, as in Flink. Those that are not known have no effect here.

        Raises:
            ValidationError: One has no such value, or another one is missing.
        """
        read = {name: _read(name, options[name]) for name in _READERS if name in options}
        given = [name for name in _RETRY if name in options]
        if given and len(given) < len(_RETRY):
            raise _invalid(": retry options can be both null or all not null")
        if given and options["retry-predicate"] != "lookup_miss":
            raise _invalid(
                f" option: unsupported retry-predicate '{options['retry-predicate']}', only 'lookup_miss' is supported "
                "currently"
            )
        for name in ("max-attempts", "capacity"):
            if read.get(name, 1) < 1:
                raise _invalid(f" option: {name} value should be positive integer but was {read[name]}")
        return LookupHints(
            read.get("async") is False,
            read.get("output-mode"),
            read.get("capacity"),
            read.get("timeout"),
            read.get("max-attempts", 0),
            read.get("fixed-delay", 0),
        )


def lookup_hints(
    hints: Iterable[Hint], source: QueryNode | None, position: Position | None
) -> dict[str, Mapping[str, str]]:
    """The options of the hints LOOKUP of a SELECT, by the name of the table.

    Args:
        hints: All hints.
        source: What FROM names.
        position: Where the SELECT begins.

    Raises:
        ValidationError: A hint is wrong, or names no table of the SELECT.
    """
    found: dict[str, Mapping[str, str]] = {}
    names = set(_as_of_a_time(source))
    for hint in hints:
        if hint.name != "LOOKUP":
            continue
        if hint.args:
            raise wrong("Invalid list options in LOOKUP hint, only support key-value options.", position)
        if "table" not in hint.options:
            raise wrong("Invalid LOOKUP hint: incomplete required option(s): [Key: 'table']", position)
        try:
            LookupHints.of(hint.options)
        except ValidationError as error:
            raise wrong(str(error), position) from None
        if hint.options["table"] not in names:
            raise no_table(hint.options["table"], "LOOKUP", position)
        for name in hint.options:
            if name not in _OPTIONS:
                raise unknown("option of the hint LOOKUP", name, _OPTIONS, position)
        found.setdefault(hint.options["table"], hint.options)
    return found


def _as_of_a_time(node: QueryNode | None) -> Iterable[str]:
    """The names of the tables after FROM that are read as of a time."""
    if isinstance(node, JoinRef):
        yield from _as_of_a_time(node.left)
        yield from _as_of_a_time(node.right)
    elif isinstance(node, TableRef) and node.as_of is not None:
        yield node.alias or node.path[-1]


def _invalid(what: str) -> ValidationError:
    return ValidationError(f"Invalid LOOKUP hint{what}")


def _one_of(*values: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.upper() not in values:
            raise ValueError(text)
        return text.upper()

    return read


def _truth(text: str) -> bool:
    return _one_of("TRUE", "FALSE")(text) == "TRUE"


_READERS: dict[str, Callable[[str], Any]] = {
    "async": _truth,
    "shuffle": _truth,
    "output-mode": _one_of("ORDERED", "ALLOW_UNORDERED"),
    "capacity": int,
    "timeout": lambda text: parse_duration_ms("timeout", text),
    "retry-strategy": _one_of("FIXED_DELAY"),
    "fixed-delay": lambda text: parse_duration_ms("fixed-delay", text),
    "max-attempts": int,
}


_OPTIONS = ("table", *_READERS, "retry-predicate")


def _read(name: str, text: str) -> Any:
    try:
        return _READERS[name](text)
    except ValueError:
        raise _invalid(f" options: Could not parse value '{text}' for key '{name}'.") from None
