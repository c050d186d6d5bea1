"""An Avro schema as plain data: one object a type."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

#: The default of a field that has none (None is a default: null).
NO_DEFAULT: Final = object()
#: Values without bytes, such as nulls, that one array or block may claim.
_MOST_EMPTY: Final = 1024

PRIMITIVES: Final = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})


@dataclass(eq=False)
class Node:
    """A type. Two nodes are the same only if they are one object: recursive schemas have no other end."""


@dataclass(eq=False)
class Primitive(Node):
    """One of the eight primitive types.

    Attributes:
        kind: Its name.
        logical: The logical type, where it is a known one that fits; else None, as Avro says.
        precision: Of a decimal: digits in all.
        scale: Of a decimal: digits after the point.
        java_class: The property ``java-class`` of a string.
    """

    kind: str
    logical: str | None = None
    precision: int = 0
    scale: int = 0
    java_class: str | None = None


@dataclass(eq=False)
class Named(Node):
    """A type with a name.

    Attributes:
        name: The full name, with its namespace.
        aliases: Other full names.
    """

    name: str
    aliases: tuple[str, ...] = ()


@dataclass(eq=False)
class Fixed(Named):
    """This number of bytes; see `Primitive` for decimals."""

    size: int = 0
    logical: str | None = None
    precision: int = 0
    scale: int = 0


@dataclass(eq=False)
class Enumeration(Named):
    """One of some names.

    Attributes:
        default: What a reader takes a name for that it does not know; None: nothing.
    """

    symbols: tuple[str, ...] = ()
    default: str | None = None


@dataclass(eq=False)
class Field:
    """A field of a record; `default` as in JSON."""

    name: str
    node: Node
    default: Any = NO_DEFAULT
    aliases: tuple[str, ...] = ()


@dataclass(eq=False)
class Record(Named):
    """Fields in order.

    Attributes:
        uses: How many times the schema mentions the record.
        recursive: Whether a value may hold values of the same record.
    """

    fields: list[Field] = field(default_factory=list)
    uses: int = 1
    recursive: bool = False


@dataclass(eq=False)
class Array(Node):
    """Items of one type."""

    items: Node


@dataclass(eq=False)
class Map(Node):
    """Values of one type by text."""

    values: Node


@dataclass(eq=False)
class Union(Node):
    """One of several types."""

    branches: tuple[Node, ...]

    def nullable(self) -> Node | None:
        """The other type of a union of two with null; None for any other union."""
        others = [b for b in self.branches if not is_null(b)]
        return others[0] if len(others) == 1 and len(self.branches) == 2 else None


def is_null(node: Node) -> bool:
    """Whether the type is null."""
    return isinstance(node, Primitive) and node.kind == "null"


def name_of(node: Node) -> str:
    """A type as errors name it."""
    match node:
        case Primitive(kind, logical):
            return kind if logical is None else f"{kind} ({logical})"
        case Enumeration(name):
            return f"enum {name}"
        case Fixed(name, size=size):
            return f"fixed {name} of {size} bytes"
        case Record(name):
            return f"record {name}"
        case Array(items):
            return f"array of {name_of(items)}"
        case Map(values):
            return f"map of {name_of(values)}"
        case Union(branches):
            return "union of " + ", ".join(map(name_of, branches))
    return type(node).__name__


def least_size(node: Node, known: dict[int, int] | None = None) -> int:
    """The fewest bytes that a value takes: 0 or, for anything above, at least 1."""
    known = {} if known is None else known
    match node:
        case Primitive(kind):
            return 0 if kind == "null" else 1
        case Fixed(size=size):
            return min(size, 1)
        case Record(fields=fields):
            if id(node) not in known:
                known[id(node)] = 1  # a record inside itself has no finite value: nothing can be read
                known[id(node)] = max((least_size(f.node, known) for f in fields), default=0)
            return known[id(node)]
    return 1


def most_items(node: Node) -> int | None:
    """How many values without bytes, such as nulls, one array or block may hold; None: values have bytes.

    Readers refuse more, and writers do not write them: a few bytes may claim any number.
    """
    return None if least_size(node) else max(_MOST_EMPTY // values_inside(node, {}), 1)


def values_inside(node: Node, known: dict[int, int]) -> int:
    """How many values one value may hold, arrays and maps counted as one: what a few bytes, or none, may stand for."""
    match node:
        case Record(fields=fields):
            if id(node) not in known:
                known[id(node)] = 0
                known[id(node)] = 1 + sum(values_inside(f.node, known) for f in fields)
            return known[id(node)]
        case Union(branches):
            return max(values_inside(branch, known) for branch in branches)
    return 1
