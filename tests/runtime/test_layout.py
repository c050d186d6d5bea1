"""Keys of entries: their bytes are part of every checkpoint."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from datastream.runtime import state_format
from datastream.runtime.state_format import layout

RUNTIME = Path(state_format.__file__).parents[1]
ORDERS = layout.prefix_of("orders")
RULES = layout.broadcast_digest("rules")

#: Key -> its bytes: what `EntryPlace` it has, whether it is a piece, the subtasks whose entry a savepoint takes.
KEYS = {
    layout.page_key(ORDERS, 5, 3): ("a88ccdc9fa4974fb0000000500000003", (5, 3), False, (0, 1)),
    layout.page_key(ORDERS, *layout.SUMMARY): ("a88ccdc9fa4974fbffffffff00000000", layout.SUMMARY, False, ()),
    layout.log_head_key(ORDERS, 5): ("a88ccdc9fa4974fb0000000500000001", (5, 1), False, (0, 1)),
    layout.log_chunk_key(ORDERS, 5, -2, 9): (
        "a88ccdc9fa4974fb0000000500000000fffffffffffffffe00000009",
        (5, 0),
        False,
        (0, 1),
    ),
    layout.piece_key(ORDERS, 5, 7, 2): (
        "a88ccdc9fa4974fb00000005ffffffff000000000000000700000002",
        (5, 0xFFFFFFFF),
        True,
        (0, 1),
    ),
    layout.run_key(ORDERS, 5, 7, bytes(range(16)), 2): (
        "a88ccdc9fa4974fb00000005fffffffe0000000000000007000102030405060708090a0b0c0d0e0f00000002",
        (5, 0xFFFFFFFE),
        False,
        (0, 1),
    ),
    layout.broadcast_key(ORDERS, RULES, 3): (
        "a88ccdc9fa4974fbffffffff0000000238c2873acee254fe00000003",
        (layout.NO_GROUP, 2),
        False,
        (0,),
    ),
    layout.WATERMARKS_KEY: ("a0260abfad4899f3ffffffff00000001", (layout.NO_GROUP, 1), False, ()),
}


@pytest.mark.parametrize("key", KEYS, ids=lambda key: KEYS[key][0])
def test_keys_keep_their_bytes(key):
    form, place, piece, saved = KEYS[key]
    assert key.hex() == form
    assert layout.place_of(key) == place
    assert layout.is_piece(key) == piece
    assert tuple(subtask for subtask in range(2) if layout.is_saved(key, subtask)) == saved


def test_keys_say_what_they_are_made_of():
    assert layout.piece_of(layout.piece_key(ORDERS, 5, 1 << 63, 2)) == (1 << 63, 2)
    assert layout.run_of(layout.run_key(ORDERS, 5, 7, bytes(range(16)), 2)) == (7, bytes(range(16)), 2)
    assert layout.is_run(layout.run_key(ORDERS, 5, 7, bytes(16), 2)) and not layout.is_run(
        layout.page_key(ORDERS, 5, 3)
    )
    assert layout.bucket_of(layout.log_chunk_key(ORDERS, 5, -2, 9)) == -2
    assert layout.bucket_of(layout.log_head_key(ORDERS, 5)) is None
    assert layout.broadcast_of(layout.broadcast_key(ORDERS, RULES, 3)) == (RULES, 3)
    assert layout.broadcast_of(layout.WATERMARKS_KEY) is None


def test_nothing_else_packs_keys():
    others = [path for path in RUNTIME.rglob("*.py") if path.name not in ("layout.py", "key_groups.py")]
    found = {path.name for path in others if re.search(r"\bstruct\b|xxh3_64|0xFFFFFFFF00|\\xff\\xff", path.read_text())}
    assert not found
