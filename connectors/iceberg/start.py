"""Which snapshot of a table is read, or where reading begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.connectors.lakehouse.texts import millis_of, text_of
from datastream.errors import ValidationError, cut

from .location import IcebergLocation
from .snapshots import head_of, lineage

#: Where following begins; the names are those of Flink's connector.
TABLE_SCAN, LATEST, LATEST_EXCLUSIVE, EARLIEST, BY_ID, BY_TIMESTAMP = STRATEGIES = (
    "TABLE_SCAN_THEN_INCREMENTAL",
    "INCREMENTAL_FROM_LATEST_SNAPSHOT",
    "INCREMENTAL_FROM_LATEST_SNAPSHOT_EXCLUSIVE",
    "INCREMENTAL_FROM_EARLIEST_SNAPSHOT",
    "INCREMENTAL_FROM_SNAPSHOT_ID",
    "INCREMENTAL_FROM_SNAPSHOT_TIMESTAMP",
)
#: What is read of a snapshot: all rows that the table has then, what it has added, or nothing.
WHOLE, ADDED, NOTHING = "table", "added", "nothing"


@dataclass(frozen=True)
class IcebergStart:
    """Which snapshot of a table is read, or where reading begins.

    Attributes:
        snapshot_id: Of a bounded source: the snapshot.
        as_of_timestamp: Of a bounded source: a time; the snapshot that was the latest then.
        tag: Of a bounded source: the snapshot of a tag.
        strategy: Of an unbounded source: one of `STRATEGIES`. Default: as the others say, else from the latest.
        start_snapshot_id: Of an unbounded source: the first snapshot whose additions are read.
        start_snapshot_timestamp: The same, as the first snapshot of this time or later.
    """

    snapshot_id: int | None = None
    as_of_timestamp: str | None = None
    tag: str | None = None
    strategy: str | None = None
    start_snapshot_id: int | None = None
    start_snapshot_timestamp: str | None = None

    def check(self, bounded: bool, of: str) -> None:
        """See that the settings fit each other.

        Raises:
            ValidationError: They do not.
        """
        of_bounded = {"snapshot-id": self.snapshot_id, "as-of-timestamp": self.as_of_timestamp, "tag": self.tag}
        of_unbounded = {
            "start-snapshot-id": self.start_snapshot_id,
            "start-snapshot-timestamp": self.start_snapshot_timestamp,
        }
        for name, value in ({**of_unbounded, "starting-strategy": self.strategy} if bounded else of_bounded).items():
            if value is not None:
                kind = "streaming" if bounded else "bounded"
                raise ValidationError(f"{of}: '{name}' is for {kind} reading only")
        given = [name for name, value in {**of_bounded, **of_unbounded}.items() if value is not None]
        if len(given) > 1:
            raise ValidationError(f"{of}: only one of '{given[0]}' and '{given[1]}' may be set")
        if self.strategy is not None and self.strategy not in STRATEGIES:
            raise ValidationError(f"{of}: 'starting-strategy' must be one of {', '.join(STRATEGIES)}")
        needed = {BY_ID: "start-snapshot-id", BY_TIMESTAMP: "start-snapshot-timestamp"}.get(self._strategy)
        if (self.strategy is not None or needed) and given != ([needed] if needed else []) and not bounded:
            raise ValidationError(
                f"{of}: 'starting-strategy' = '{self._strategy}' takes " + (f"'{needed}'" if needed else "no snapshot")
            )
        for text in (self.as_of_timestamp, self.start_snapshot_timestamp):
            if text is not None:
                _millis(text)

    @property
    def _strategy(self) -> str:
        if self.strategy is not None:
            return self.strategy
        if self.start_snapshot_id is not None:
            return BY_ID
        return BY_TIMESTAMP if self.start_snapshot_timestamp is not None else LATEST

    def snapshot_of(self, location: IcebergLocation, table: Any) -> Any:
        """The snapshot that a bounded source reads; None: the table is empty.

        Raises:
            ValidationError: There is no such snapshot.
        """
        if self.tag is not None:
            found = table.snapshot_by_name(self.tag)
            if found is None:
                raise ValidationError(f"the table {location.name} has no tag {cut(self.tag)}")
            return found
        if self.snapshot_id is not None:
            return _by_id(location, table, self.snapshot_id)
        if self.as_of_timestamp is None:
            return head_of(location, table)
        wanted = _millis(self.as_of_timestamp)
        log = [entry for entry in table.history() if entry.timestamp_ms <= wanted]
        if not log:
            raise _no_snapshot(location, table, self.as_of_timestamp)
        return _by_id(location, table, log[-1].snapshot_id)

    def beginning(self, location: IcebergLocation, table: Any) -> tuple[Any, str]:
        """Where an unbounded source begins: a snapshot, None if the table is empty, and what is read of it.

        Raises:
            ValidationError: There is no such snapshot.
        """
        head = head_of(location, table)
        match self._strategy:
            case "TABLE_SCAN_THEN_INCREMENTAL":
                return head, WHOLE
            case "INCREMENTAL_FROM_LATEST_SNAPSHOT":
                return head, ADDED
            case "INCREMENTAL_FROM_LATEST_SNAPSHOT_EXCLUSIVE":
                return head, NOTHING
        known = list(lineage(table, head))
        if self._strategy == EARLIEST:
            return known[-1] if known else None, ADDED
        if self._strategy == BY_ID:
            found = _by_id(location, table, self.start_snapshot_id or 0)
            if found.snapshot_id not in {each.snapshot_id for each in known}:
                raise ValidationError(
                    f"the snapshot {found.snapshot_id} of the table {location.name} is not on the branch "
                    f"'{location.branch}'"
                )
            return found, ADDED
        wanted = _millis(self.start_snapshot_timestamp or "")
        later = [each for each in known if each.timestamp_ms >= wanted]
        if not later:
            raise _no_snapshot(location, table, self.start_snapshot_timestamp or "")
        return later[-1], ADDED


def _by_id(location: IcebergLocation, table: Any, number: int) -> Any:
    found = table.snapshot_by_id(number)
    if found is None:
        there = [each.snapshot_id for each in table.snapshots()][-10:]
        raise ValidationError(f"the table {location.name} has no snapshot {number}; it has {cut(there)}")
    return found


def _no_snapshot(location: IcebergLocation, table: Any, text: str) -> ValidationError:
    times = sorted(each.timestamp_ms for each in table.snapshots())
    there = f"from {text_of(times[0])} to {text_of(times[-1])}" if times else "none"
    return ValidationError(f"the table {location.name} has no snapshot for {text!r}: its snapshots are {there}")


def _millis(text: str) -> int:
    """A time in ms since 1970, which may be written as such a number."""
    return int(text) if text.isdecimal() and len(text) > 8 else millis_of(text)
