"""How many replicas must answer."""

from __future__ import annotations

from enum import Enum


class ConsistencyLevel(Enum):
    """How many replicas must take a write, or answer a read, before it counts."""

    ANY = 0
    ONE = 1
    TWO = 2
    THREE = 3
    QUORUM = 4
    ALL = 5
    LOCAL_QUORUM = 6
    EACH_QUORUM = 7
    SERIAL = 8
    LOCAL_SERIAL = 9
    LOCAL_ONE = 10
