"""What a window operator finds in the content of a key."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from datastream.errors import ValidationError
from datastream.graph import Operator


def user_states(content: dict[Any, Any]) -> dict[Any, Any]:
    """What the user's functions keep of a key, other than by window."""
    return {slot: stored for slot, stored in content.items() if type(slot) is str}


def refuse_others(op: Operator, content: dict[Any, Any], own: frozenset[Hashable]) -> None:
    """Refuse what a window operator of another kind has stored.

    Args:
        op: The operator, for the message.
        content: Of a key.
        own: The slots that the host knows.

    Raises:
        ValidationError: There is such a thing.
    """
    for slot in content:
        if type(slot) is not str and slot not in own:
            raise ValidationError(
                f"the state of '{op.name}' was written for other windows, or for another way to fire them; it cannot "
                "be taken over: give the operator a new uid, and it starts without state"
            )
