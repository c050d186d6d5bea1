"""`ResultKind`."""

from __future__ import annotations

from enum import IntEnum


class ResultKind(IntEnum):
    """What a statement gave.

    SUCCESS: it was carried out and gave nothing but that. SUCCESS_WITH_CONTENT: it gave rows.
    """

    SUCCESS = 0
    SUCCESS_WITH_CONTENT = 1
