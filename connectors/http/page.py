"""What a feed brings at once."""

from __future__ import annotations

from typing import Any

import msgspec

#: Position of a feed: JSON that only the feed understands.
State = dict[str, Any]


class Page(msgspec.Struct):
    """Some records, and where what follows them begins.

    Attributes:
        records: Their bytes.
        state: Of the feed after them.
        last: Nothing follows.
    """

    records: list[bytes]
    state: State
    last: bool = False
