"""What went wrong in a job."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class JobException:
    """A failure of a job. What is not known is None.

    Attributes:
        time_ms: When, in ms since 1970.
        kind: ``restart``, ``epoch`` or ``failed``.
        type: The exception's type.
        message: Its message.
        trace: Its traceback.
        operator: The operator that failed.
        function: The user's function.
        file: File of the user's function.
        line: Its line.
        value: The record, as text.
        number: Number of the restart.
        attempt: The driver that reported it.
    """

    time_ms: int | None = None
    kind: str = ""
    type: str = ""
    message: str = ""
    trace: str = ""
    operator: str | None = None
    function: str | None = None
    file: str | None = None
    line: int | None = None
    value: str | None = None
    number: int | None = None
    attempt: int | None = None
