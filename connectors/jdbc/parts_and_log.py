"""What each epoch of a source of changes reads: parts of its tables first, then the database's log."""

from __future__ import annotations

import pickle
import time
from abc import abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

from datastream.errors import CheckpointDamaged
from datastream.io import SplitEnumerator, Spool

#: A place in the log; places are compared.
PlaceT = TypeVar("PlaceT", bound=Any)


class PartsAndLog(SplitEnumerator, Generic[PlaceT]):
    """Reads tables by ranges of their keys, then the log.

    A reader notes each part of a table in the spool, with how much of the log it has seen. An offset has at least
    ``{"part": number of parts that were read, "parts": what those have seen, "stop": where it ends, or null}``, and the
    place in the log. What a part has seen is known once it was read: it is in the offset after. It has ``"settled":
    true`` when no part says anything about the log any more; `parts` is empty then.

    Attributes:
        source: The source's name, for errors.
        place: The name of the place in the log in an offset.
        anew: How to start again without what is lost.

    Args:
        ends: Whether it ends with what is committed when the job starts.
        poll_ms: The log is looked at this often.
        spool: Of the notes.
    """

    source: ClassVar[str]
    place: ClassVar[str]
    anew: ClassVar[str] = "start the job anew"

    def __init__(self, ends: bool, poll_ms: int, spool: Spool) -> None:
        self._ends, self._poll_s, self._spool = ends, poll_ms / 1000, spool
        self._look_at = 0.0
        self._ends_at: PlaceT | None = None

    @abstractmethod
    def written(self) -> PlaceT:
        """Up to where the log is written now."""

    @abstractmethod
    def read_all_parts(self, offset: dict[str, Any]) -> bool:
        """Whether the tables were read."""

    @abstractmethod
    def next_part(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        """The offset after the next part, of about this number of rows."""

    @abstractmethod
    def next_of_log(self, start: dict[str, Any], begun: dict[str, Any], budget: int) -> dict[str, Any] | None:
        """The offset after some of the log; None: there is nothing.

        Args:
            start: Where the epoch begins.
            begun: The same, with what the last part has seen.
            budget: About how many changes.
        """

    @abstractmethod
    def seen(self, offset: dict[str, Any], note: Any) -> list[Any]:
        """What the part that was read last has seen, for the offset's ``parts``, by its note."""

    @staticmethod
    def stored(place: PlaceT) -> Any:
        """A place as an offset has it."""
        return place

    @staticmethod
    def restored(stored: Any) -> PlaceT:
        """A place of an offset."""
        found: PlaceT = stored
        return found

    def reopen(self, offset: dict[str, Any]) -> dict[str, Any]:
        return {**offset, "stop": self.stored(self._end_now(offset)) if self._ends else None}

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        begun, budget = self.with_last_part(start), max(budget, 1)
        if not self.read_all_parts(start):
            return self.next_part(begun, budget)
        now = time.monotonic()
        if now < self._look_at:
            return start
        found = self.next_of_log(start, begun, budget)
        if found is None:
            self._look_at = now + self._poll_s
            return start
        return found

    def finished(self, offset: dict[str, Any]) -> bool:
        stop = offset["stop"]
        if stop is None or not self.read_all_parts(offset):
            return False
        return bool(self.restored(offset[self.place]) >= self.restored(stop))

    def commit(self, offset: dict[str, Any]) -> None:
        known = offset["part"] if offset.get("settled") else len(offset["parts"])
        if known:
            for number, task in self._spool.notes():
                if number < known:
                    self._spool.remove(number, task)

    def stop_of(self, start: dict[str, Any]) -> PlaceT | None:
        """Where it ends: as the checkpoint says, or now if that is of a job without an end."""
        if start["stop"] is not None:
            return self.restored(start["stop"])
        if self._ends and self._ends_at is None:
            self._ends_at = self._end_now(start)
        return self._ends_at

    def with_last_part(self, offset: dict[str, Any]) -> dict[str, Any]:
        """An offset with what the part has seen that was read last.

        Raises:
            CheckpointDamaged: Its note is not there.
        """
        if offset["part"] == len(offset["parts"]) or offset.get("settled"):
            return offset
        note = self._spool.read(offset["part"] - 1, 0)
        if note is None:
            raise CheckpointDamaged(
                f"{self.source}: a part of a table was read whose note is not there, as in a savepoint that was taken "
                f"while tables were read; {self.anew}"
            )
        return {**offset, "parts": [*offset["parts"], self.seen(offset, pickle.loads(note))]}

    def _end_now(self, offset: dict[str, Any]) -> PlaceT:
        return max(self.written(), self.restored(offset[self.place]))
