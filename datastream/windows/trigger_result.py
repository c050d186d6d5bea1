"""What a trigger decides."""

from __future__ import annotations

from enum import Enum


class TriggerResult(Enum):
    """Whether a window emits its result now, and whether its contents go."""

    #: Nothing happens.
    CONTINUE = (False, False)
    #: The window emits its result; then its contents go. The window itself stays, with the trigger's state.
    FIRE_AND_PURGE = (True, True)
    #: The window emits its result and keeps its contents.
    FIRE = (True, False)
    #: The contents go without a result.
    PURGE = (False, True)

    def is_fire(self) -> bool:
        """Return whether the window emits its result."""
        return self.value[0]

    def is_purge(self) -> bool:
        """Return whether the contents go."""
        return self.value[1]
