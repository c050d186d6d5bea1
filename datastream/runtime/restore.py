"""What a new job takes over from a savepoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datastream.graph.state_forms import StateForm


@dataclass(frozen=True)
class Restore:
    """What a new job takes over.

    Attributes:
        folder: The savepoint.
        id: Its id.
        epoch: The last epoch that is in it. The restored job counts on from there.
        files: Paths of the files with the state of operators that the job has.
        forms: Of these operators, by uid, the forms of their state in the savepoint.
        key_groups: The same, how many key groups they had.
        offsets: Of the sources that the job has, by uid.
        keys: How many keys are in the files.
        notes: The folder of the notes of its sources and sinks; there need not be one.
    """

    folder: str
    id: str
    epoch: int
    files: tuple[str, ...]
    forms: Mapping[str, tuple[StateForm, ...]]
    key_groups: Mapping[str, int]
    offsets: Mapping[str, Any]
    keys: int
    notes: str
