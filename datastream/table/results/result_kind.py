"""`ResultKind`."""

from __future__ import annotations

from enum import IntEnum


class ResultKind(IntEnum):
    """What a statement gave.

    SUCCESS: it has run and returned nothing else. SUCCESS_WITH_CONTENT: it returned rows.
    """

    SUCCESS = 0
    SUCCESS_WITH_CONTENT = 1
