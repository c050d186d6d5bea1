"""Keys of many kinds, for the tests of key groups and for those of whole jobs."""

from __future__ import annotations

import datetime
import enum
import uuid
from collections import namedtuple
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from datastream import Row
from datastream.runtime.key_groups import stable_hash


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1


class Letter(enum.StrEnum):
    A = "a"


class Text(str):
    pass


@dataclass(frozen=True)
class Place:
    x: int
    y: str


@dataclass(frozen=True)
class Noted:
    x: int
    note: str = field(compare=False)


Pair = namedtuple("Pair", "a b")
NOON = datetime.datetime(2024, 5, 1, 12, tzinfo=datetime.UTC)

#: Each line is one kind; what is in one inner list is one key.
KINDS = {
    "int": [[0], [1], [-1], [-2], [2**63], [2**200], [-(2**70)]],
    "bool, int, float and Decimal": [[True, 1, 1.0, Decimal(1), Fraction(1)], [False, 0, 0.0, -0.0], [1.5]],
    "str": [[""], ["a", Text("a"), Letter.A], ["ä"], ["a\0b"]],
    "surrogates": [["\ud800"], ["\udfff"], ["\U0001f600"]],
    "bytes": [[b""], [b"a"], [b"\xff"]],
    "None": [[None], [0]],
    "tuple": [[()], [(1, "a"), (True, "a"), Pair(1, "a"), (1.0, "a")], [(1, ("a", None))], [(None,)]],
    "frozenset": [[frozenset([1, "a"]), frozenset(["a", True])], [frozenset()]],
    "enum": [[Colour.RED], [Colour.BLUE], [Level.LOW, 1]],
    "dataclass": [[Place(1, "a"), Place(True, "a")], [Place(2, "a")]],
    "dataclass with a field that is not compared": [[Noted(1, "x"), Noted(1, "y")], [Noted(2, "x")]],
    "Row": [[Row(1, "a"), Row(True, "a")], [Row(2, "a")]],
    "named Row": [[Row(a=1, b=2), Row(b=2, a=1)], [Row(a=2, b=1)]],
    "Decimal": [[Decimal("1.10"), Decimal("1.1")], [Decimal("Infinity")]],
    "date and time": [
        [NOON, NOON.astimezone(datetime.timezone(datetime.timedelta(hours=5)))],
        [NOON.replace(tzinfo=None)],
        [NOON.date()],
        [NOON.timetz()],
        [datetime.timedelta(days=1), datetime.timedelta(hours=24)],
    ],
    "UUID": [[uuid.UUID(int=5), uuid.UUID("00000000-0000-0000-0000-000000000005")]],
    "complex": [[1j], [complex(0.5, -1)]],
}


def hashes():
    """The hash of each key, in this process."""
    return {kind: [[stable_hash(key) for key in equal] for equal in keys] for kind, keys in KINDS.items()}
