"""The lines of a container's log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_LINE_BYTES = 6 << 20


def split_lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """The lines of a text that comes in pieces, without their ends; of a very long one the beginning."""
    rest = b""
    for chunk in chunks:
        first, *others = chunk.split(b"\n")
        rest += first[: max(0, _LINE_BYTES - len(rest))]
        for line in others:
            yield _text(rest)
            rest = line[:_LINE_BYTES]
    if rest:
        yield _text(rest)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").rstrip("\r")
