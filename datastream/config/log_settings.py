"""What user functions may log."""

from __future__ import annotations

from dataclasses import dataclass

#: Names of levels, as `logging` has them.
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


@dataclass(frozen=True)
class LogSettings:
    """What the log of a job takes from its functions.

    Attributes:
        level: Lowest level, by its name in `logging`.
        per_second: Messages that one line of code may log in a second, in each process; 0: any number.
    """

    level: str = "INFO"
    per_second: int = 100
