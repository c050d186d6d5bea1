"""How far each shard is read, and which shards wait for their parents' end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .streams import Shard

Position = list[Any]
"""Where reading goes on: arguments of GetShardIterator: ``["TRIM_HORIZON"]``, ``["AT_TIMESTAMP", ms since 1970]``,
``["AFTER_SEQUENCE_NUMBER", number]``."""

OLDEST: Position = ["TRIM_HORIZON"]


@dataclass(frozen=True)
class Note:
    """What a task has read of a shard in an epoch.

    Attributes:
        position: Where the shard goes on.
        count: Records that were read.
        closed: The shard was split or merged, and nothing is left in it.
        caught_up: All that was there had been read.
        reached: A bounded source has read all that was there when it started.
        behind_ms: How old the next record is.
    """

    position: Position
    count: int
    closed: bool
    caught_up: bool
    reached: bool
    behind_ms: int


@dataclass
class Progress:
    """How far a source is. Shards have the names of their lanes: ``stream/shard``.

    Attributes:
        active: Shards that are read, and where they go on.
        waiting: Shards whose parents are not read to their end: ``{"parents": [...], "position": ...}``.
        rested: Shards that a bounded source has read as far as it goes.
        done: Shards that are read to their end, while the service lists them.
        until: When a bounded source began, in ms since 1970; None: it has no end.
    """

    active: dict[str, Position] = field(default_factory=dict)
    waiting: dict[str, dict[str, Any]] = field(default_factory=dict)
    rested: dict[str, Position] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    until: int | None = None

    @classmethod
    def of(cls, offset: Mapping[str, Any]) -> Progress:
        """The progress that an offset holds."""
        return cls(
            dict(offset["active"]),
            dict(offset["waiting"]),
            dict(offset["rested"]),
            list(offset["done"]),
            offset["until"],
        )

    def to_json(self) -> dict[str, Any]:
        """The part of an offset that holds it."""
        return {
            "active": self.active,
            "waiting": self.waiting,
            "rested": self.rested,
            "done": self.done,
            "until": self.until,
        }

    @property
    def finished(self) -> bool:
        """Whether a bounded source has read everything."""
        return self.until is not None and not self.active and not self.waiting

    def add(self, stream: str, listed: Iterable[Shard], position: Position, only_open: bool = False) -> None:
        """Take over shards of a stream that are not known as yet, and forget those that are no longer listed.

        Args:
            stream: The stream.
            listed: All its shards.
            position: Where new ones begin.
            only_open: Do not read those that are closed.
        """
        names = {f"{stream}/{shard.id}": shard for shard in listed}
        known = {*self.active, *self.waiting, *self.rested, *self.done}
        for name, shard in names.items():
            if name in known:
                continue
            if only_open and shard.closed:
                self.done.append(name)
            else:
                parents = [f"{stream}/{parent}" for parent in shard.parents]
                self.waiting[name] = {"parents": parents, "position": position}
        self.done = [name for name in self.done if name in names or not name.startswith(f"{stream}/")]
        self._admit()

    def read(self, notes: Mapping[str, Note]) -> None:
        """Take over what an epoch has read."""
        for name, note in notes.items():
            if note.closed:
                del self.active[name]
                self.done.append(name)
            elif note.reached and self.until is not None:
                del self.active[name]
                self.rested[name] = note.position
            else:
                self.active[name] = note.position
        self._admit()

    def resume(self, until: int | None) -> None:
        """Go on with what a bounded source has left."""
        self.active |= self.rested
        self.rested, self.until = {}, until
        self._admit()

    def _admit(self) -> None:
        """Shards are read once nothing is left of their parents, so that each key keeps its order."""
        moved = True
        while moved:
            moved = False
            for name, shard in list(self.waiting.items()):
                if not any(parent in self.active or parent in self.waiting for parent in shard["parents"]):
                    self.active[name] = self.waiting.pop(name)["position"]
                    moved = True
