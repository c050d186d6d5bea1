"""What was typed as statements."""

from __future__ import annotations

from collections.abc import Iterator

from datastream.driver.sql.splitting import Statement, split

#: Commands that need no semicolon.
_BARE = ("QUIT", "EXIT", "HELP", "CLEAR")


def statements_of(text: str) -> Iterator[Statement]:
    """The statements of what was typed; commands of one word need no semicolon."""
    statements, rest = split(text)
    yield from statements
    if rest is not None:
        yield rest


def is_whole(text: str) -> bool:
    """Whether what was typed needs no further line."""
    _, rest = split(text)
    return rest is None or any(rest.is_only(word) for word in _BARE)
