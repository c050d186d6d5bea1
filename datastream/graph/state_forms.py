"""What operators keep in a checkpoint, declared by their classes.

`describe` writes the forms into ``job.json`` and savepoints, so that what shows, copies or moves state needs nothing
but them: neither the operator's code nor its kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple


class Stored(StrEnum):
    """How state is stored."""

    #: Key -> value.
    VALUES = "values"
    #: Key -> slot -> what is there: states of users by their names, what is the operator's own by number.
    CONTENTS = "contents"
    #: What was added of each key, in order, in as many buckets as a key group needs.
    LOGS = "logs"
    #: The same, with a bucket for each end of a window, in µs.
    LOGS_BY_WINDOW = "logs by window"
    #: Maps that each subtask has whole.
    BROADCAST = "broadcast"


class Slot(NamedTuple):
    """Where contents keep what is the operator's own.

    Attributes:
        number: The slot, or the first part of it.
        name: For people.
        timers: It holds times.
    """

    number: int
    name: str
    timers: bool = False


@dataclass(frozen=True)
class StateForm:
    """State that an operator keeps under one name.

    Attributes:
        stored: How it is stored.
        name: For people; in parentheses, as it is no user's. Of contents and broadcast state each part has its own.
        place: After the operator's uid, where it lies: an operator keeps some things apart. Empty: under the uid.
        made_of: What a value is made of, in words; a job with other words cannot go on from it.
        timed: Values have the time in ms of their last change beside them.
        typed: Values are of the operator's output type.
        slots: Those of contents that are not states of users.
        states: The names of broadcast states. They may change.
    """

    stored: Stored
    name: str = ""
    place: str = ""
    made_of: str = ""
    timed: bool = False
    typed: bool = False
    slots: tuple[Slot, ...] = ()
    states: tuple[str, ...] = ()

    @property
    def logs(self) -> bool:
        """Whether it is stored as logs."""
        return self.stored in (Stored.LOGS, Stored.LOGS_BY_WINDOW)

    @property
    def label(self) -> str:
        """What distinguishes it from the operator's other ones."""
        return f"{self.place} {self.stored.value}".strip()

    def under(self, uid: str) -> str:
        """The name that the entries lie under.

        Args:
            uid: The operator's.
        """
        return stored_uid(uid, self.place)

    def __str__(self) -> str:
        """What must stay the same for a job to go on from it, in words."""
        name = self.made_of or self.name.strip("()") or "states of functions"
        return name + (", with the time of the last change" if self.timed else "")

    def takes(self, other: StateForm) -> bool:
        """Whether an operator that keeps this can go on from the other, which may be of another kind of operator."""
        return self == replace(other, states=self.states)


def stored_uid(uid: str, place: str) -> str:
    """The name that entries lie under.

    Args:
        uid: The operator's.
        place: See `StateForm`.
    """
    return f"{uid}\0{place}" if place else uid


def to_json(forms: Iterable[StateForm]) -> list[dict[str, Any]]:
    """Forms as ``job.json`` has them; what is empty is left out."""
    return [
        {name: value.value if name == "stored" else value for name, value in vars(form).items() if value}
        for form in forms
    ]


def from_json(about: Mapping[str, Any]) -> tuple[StateForm, ...]:
    """The forms of an operator, of what ``job.json`` says of it."""
    return tuple(_form(one) for one in about["forms"])


def by_label(forms: Iterable[StateForm]) -> dict[str, StateForm]:
    """Forms by what distinguishes them from each other."""
    return {form.label: form for form in forms}


def _form(one: Mapping[str, Any]) -> StateForm:
    slots = tuple(Slot(*slot) for slot in one.get("slots", ()))
    return StateForm(**{**one, "stored": Stored(one["stored"]), "slots": slots, "states": tuple(one.get("states", ()))})


def keyed(forms: Iterable[StateForm]) -> Iterator[StateForm]:
    """Those that belong to keys."""
    return (form for form in forms if form.stored is not Stored.BROADCAST)
