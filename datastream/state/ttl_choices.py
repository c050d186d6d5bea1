"""What a `StateTtlConfig` chooses between."""

from __future__ import annotations

from enum import Enum


class UpdateType(Enum):
    """What starts a value's time to live anew."""

    #: Values never expire.
    Disabled = 0
    #: Writing it.
    OnCreateAndWrite = 1
    #: Writing and reading it.
    OnReadAndWrite = 2


class StateVisibility(Enum):
    """Whether an expired value may still be seen."""

    #: Yes, until it was cleaned up; reading it cleans it up.
    ReturnExpiredIfNotCleanedUp = 0
    #: Never.
    NeverReturnExpired = 1


class TtlTimeCharacteristic(Enum):
    """The clock that time to live goes by."""

    #: The machine's clock.
    ProcessingTime = 0
