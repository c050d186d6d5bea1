"""What a note of the source holds."""

from __future__ import annotations

import pickle

from datastream.io import Spool

from .posts import Post


def posts_in(spool: Spool, number: int) -> list[Post]:
    """The posts of a note.

    Raises:
        CheckpointError: It is missing or damaged.
    """
    return [Post(*each) for each in pickle.loads(spool.require(number, 0))]
