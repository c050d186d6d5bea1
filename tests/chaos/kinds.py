"""The kinds of jobs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from tests.chaos.trial import Fault

JOBS = Path(__file__).parent / "jobs"

#: Faults of any job.
ANYWHERE: tuple[Fault, ...] = (
    *("driver", "java", "worker", "planner", "committer"),
    *("pause", "disk", "truncate", "flip", "sink"),
)


class Kind(Protocol):
    """A kind of job.

    Attributes:
        name: Its name.
        faults: What may go wrong.
        alone: Name of something that no two trials use at once; None: nothing is shared.
        epoch_records: A small epoch, so that faults find the job at work.
        settings: Its own settings, for ``-D``.
    """

    name: str
    faults: tuple[Fault, ...]
    alone: str | None
    epoch_records: int
    settings: Mapping[str, str]

    def script(self, folder: Path) -> list[str]:
        """The script and its arguments, for a new trial whose output goes to the folder."""

    def differences(self, folder: Path) -> list[str]:
        """What is wrong with the output of a trial; nothing, where it is as it should be."""
