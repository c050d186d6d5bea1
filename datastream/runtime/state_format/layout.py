"""Keys of the entries of a job's state: nothing else makes or reads them.

A key begins with 8 bytes of the uid that the entry lies under, its key group in 4 and its page in 4 bytes, highest
first. What else it has distinguishes entries of one kind:

| Entry | Key group | Page | After |
| --- | --- | --- | --- |
| page of keys; page 0 is the head | its own | its number | |
| piece of a run of keys | its own | `RUNS` | place in time of the run in 8 bytes, digest in 16; piece's number in 4 |
| piece of a large collection | its own | `_PIECES` | the collection's number in 8 bytes, the piece's in 4 |
| chunk of a log | its own | 0 | the bucket in 8 bytes, with a sign; the chunk's number in 4 |
| head of logs, after their chunks | its own | 1 | |
| summary of timers | `NO_GROUP` | 0 | |
| watermarks | `NO_GROUP` | 1 | |
| part of broadcast state | `NO_GROUP` | 2 | 8 bytes of the state's name; the part's number in 4 |

Under one uid lie either pages with the pieces of their collections, or logs.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from xxhash import xxh3_64_digest

#: Instead of a key group: the entry belongs to none, and each subtask has one of its own.
NO_GROUP = 0xFFFFFFFF
#: How many bytes of the uid a key begins with.
PREFIX = 8

_PIECES = 0xFFFFFFFF
#: Instead of the page's number: all that a key group keeps in runs.
RUNS = 0xFFFFFFFE
_LOG_CHUNK, _LOG_HEAD = range(2)
_SUMMARY, _WATERMARKS, _BROADCAST = range(3)

_PLACE = struct.Struct(">II")
_PIECE = struct.Struct(">IIQI")
_RUN = struct.Struct(">IIQ16sI")
_CHUNK = struct.Struct(">IIqI")
_NUMBER = struct.Struct(">I")
_DIGEST = PREFIX + _PLACE.size  # where the key of broadcast state has its name


class EntryPlace(NamedTuple):
    """Where an entry belongs.

    Attributes:
        group: The key group, or `NO_GROUP`.
        page: The page's number, or what kind of entry it is.
    """

    group: int
    page: int


#: The page of the summary of timers, among those of the operator.
SUMMARY = EntryPlace(NO_GROUP, _SUMMARY)


def prefix_of(stored_uid: str) -> bytes:
    """What the keys of all entries under a uid begin with."""
    return xxh3_64_digest(stored_uid.encode())


def place_of(key: bytes) -> EntryPlace:
    """Where an entry belongs."""
    return EntryPlace(*_PLACE.unpack_from(key, PREFIX))


def page_key(prefix: bytes, group: int, page: int) -> bytes:
    """The key of a page of keys, or of the summary of timers."""
    return prefix + _PLACE.pack(group, page)


#: The key of what a level remembers of watermarks.
WATERMARKS_KEY = page_key(prefix_of("datastream watermarks"), NO_GROUP, _WATERMARKS)


def piece_key(prefix: bytes, group: int, collection: int, piece: int) -> bytes:
    """The key of a piece of a large collection."""
    return prefix + _PIECE.pack(group, _PIECES, collection, piece)


def is_piece(key: bytes) -> bool:
    """Whether an entry is a piece of a large collection."""
    group, page = place_of(key)
    return page == _PIECES and group != NO_GROUP


def piece_of(key: bytes) -> tuple[int, int]:
    """The numbers of the collection and of the piece that a key names."""
    _, _, collection, piece = _PIECE.unpack_from(key, PREFIX)
    return collection, piece


def run_key(prefix: bytes, group: int, sequence: int, name: bytes, piece: int) -> bytes:
    """The key of a piece of a run of keys.

    Args:
        prefix: Of the uid.
        group: The key group.
        sequence: Higher than that of all older runs of the key group.
        name: Its digest, 16 bytes.
        piece: The piece's number.
    """
    return prefix + _RUN.pack(group, RUNS, sequence, name, piece)


def is_run(key: bytes) -> bool:
    """Whether an entry is a piece of a run of keys."""
    group, page = place_of(key)
    return page == RUNS and group != NO_GROUP


def prefix_and_group(key: bytes) -> bytes:
    """What the keys of all entries of a key group under a uid begin with."""
    return key[: PREFIX + _NUMBER.size]


def run_of(key: bytes) -> tuple[int, bytes, int]:
    """What a key says of the piece of a run: sequence, name, number of the piece."""
    _, _, sequence, name, piece = _RUN.unpack_from(key, PREFIX)
    return sequence, name, piece


def log_head_key(prefix: bytes, group: int) -> bytes:
    """The key of the head of a key group's logs."""
    return page_key(prefix, group, _LOG_HEAD)


def log_chunk_key(prefix: bytes, group: int, bucket: int, chunk: int) -> bytes:
    """The key of a chunk of a log."""
    return prefix + _CHUNK.pack(group, _LOG_CHUNK, bucket, chunk)


def bucket_of(key: bytes) -> int | None:
    """The bucket of a log that an entry is a chunk of; None: it is the head."""
    _, page = place_of(key)
    return None if page == _LOG_HEAD else _CHUNK.unpack_from(key, PREFIX)[2]


def broadcast_digest(name: str) -> bytes:
    """What keys have of the name of a broadcast state."""
    return xxh3_64_digest(name.encode("utf-8", "surrogatepass"))


def broadcast_key(prefix: bytes, digest: bytes, part: int) -> bytes:
    """The key of a part of broadcast state."""
    return page_key(prefix, NO_GROUP, _BROADCAST) + digest + _NUMBER.pack(part)


def broadcast_of(key: bytes) -> tuple[bytes, int] | None:
    """The digest of a broadcast state's name and the number of its part; None: the entry is something else."""
    if place_of(key) != (NO_GROUP, _BROADCAST):
        return None
    return key[_DIGEST : _DIGEST + PREFIX], _NUMBER.unpack_from(key, _DIGEST + PREFIX)[0]


def is_saved(key: bytes, subtask: int) -> bool:
    """Whether an entry of a subtask is part of a savepoint.

    The summary of timers and watermarks are made again by each job. Broadcast state, which all subtasks have, is taken
    from the first one.
    """
    return place_of(key).group != NO_GROUP or (subtask == 0 and broadcast_of(key) is not None)


# -- the same for Spark --------------------------------------------------------------------------------------


def sql_is_under(key: str, prefix: bytes) -> str:
    """Spark's SQL for: the entry lies under a uid.

    Args:
        key: The column with the key.
        prefix: Of the uid.
    """
    return f"substring({key}, 1, {PREFIX}) = X'{prefix.hex()}'"


def sql_is_piece(key: str) -> str:
    """Spark's SQL for `is_piece`."""
    return f"({_sql_number(key, 1)} = {_sql(_PIECES)} AND {_sql_number(key, 0)} <> {_sql(NO_GROUP)})"


def sql_is_saved(key: str, subtask: str) -> str:
    """Spark's SQL for `is_saved`."""
    broadcast = f"{subtask} = 0 AND {_sql_number(key, 1)} = {_sql(_BROADCAST)}"
    return f"({_sql_number(key, 0)} <> {_sql(NO_GROUP)} OR ({broadcast}))"


def _sql_number(key: str, index: int) -> str:
    return f"substring({key}, {PREFIX + 1 + index * _NUMBER.size}, {_NUMBER.size})"


def _sql(number: int) -> str:
    return f"X'{number:08x}'"
