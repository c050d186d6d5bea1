"""To which partition a message goes."""

from __future__ import annotations

from enum import Enum


class TopicRoutingMode(Enum):
    """To which partition a message goes.

    Attributes:
        ROUND_ROBIN: To one after the other.
        MESSAGE_KEY_HASH: Messages with a key go to the key's partition, those of a subtask without keys to one.
        CUSTOM: Not possible: it needs a class of Java.
    """

    ROUND_ROBIN = 0
    MESSAGE_KEY_HASH = 1
    CUSTOM = 2
