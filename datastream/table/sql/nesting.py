"""How deeply statements may be nested."""

from __future__ import annotations

import sys

#: Frames of Python for the deepest statement: some 15 for each pair of parentheses, so 400 of them.
_FRAMES = 6_000


def allow_nesting() -> None:
    """Let this process read and plan statements that are nested some hundred times.

    Python's limit of 1,000 frames is meant for endless recursion, which 6,000 stop as well. They need no stack of C of
    their own.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES))
