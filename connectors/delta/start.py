"""Which version of a table is read, or where reading begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.connectors.lakehouse.texts import millis_of, one_line, text_of
from datastream.errors import ValidationError, cut

from .library import deltalake
from .location import DeltaLocation

LATEST = "latest"


@dataclass(frozen=True)
class DeltaStart:
    """Which version of a table is read, or where reading begins; the names are those of Flink's connector.

    Attributes:
        version_as_of: Of a bounded source: the version.
        timestamp_as_of: Of a bounded source: a time; the version that was the latest then.
        starting_version: Of an unbounded source: the first version whose additions are read, or ``latest``.
        starting_timestamp: The same, as the first version of this time or later.
    """

    version_as_of: int | None = None
    timestamp_as_of: str | None = None
    starting_version: int | str | None = None
    starting_timestamp: str | None = None

    def check(self, bounded: bool, of: str) -> None:
        """See that the settings fit each other.

        Raises:
            ValidationError: They do not.
        """
        of_bounded = {"versionAsOf": self.version_as_of, "timestampAsOf": self.timestamp_as_of}
        of_unbounded = {"startingVersion": self.starting_version, "startingTimestamp": self.starting_timestamp}
        for name, value in (of_unbounded if bounded else of_bounded).items():
            if value is not None:
                kind, other = ("unbounded", "versionAsOf") if bounded else ("bounded", "startingVersion")
                raise ValidationError(f"{of}: '{name}' is for {kind} reading only; did you mean '{other}'?")
        given = [name for name, value in {**of_bounded, **of_unbounded}.items() if value is not None]
        if len(given) > 1:
            raise ValidationError(f"{of}: only one of '{given[0]}' and '{given[1]}' may be set")
        version = self.version_as_of if bounded else self.starting_version
        if version not in (None, LATEST) and (not isinstance(version, int) or version < 0):
            raise ValidationError(f"{of}: expected the number of a version, got {cut(version)}")
        for text in (self.timestamp_as_of, self.starting_timestamp):
            if text is not None:
                millis_of(text)

    @property
    def only_changes(self) -> bool:
        """Whether what the table has at the beginning is left out."""
        return self.starting_version is not None or self.starting_timestamp is not None

    def version_of(self, location: DeltaLocation) -> int | None:
        """The version whose files are read first; None: the latest.

        Raises:
            ValidationError: The table had none at that time.
        """
        if self.timestamp_as_of is None:
            return self.version_as_of
        wanted = millis_of(self.timestamp_as_of)
        times = _times(location)
        found = [version for version, time in times if time <= wanted]
        if not found:
            raise _no_version(location, self.timestamp_as_of, times)
        return max(found)

    def first_change(self, location: DeltaLocation) -> int:
        """The first version whose additions are read.

        Raises:
            ValidationError: There is no such version.
        """
        table = location.open()
        if table is None:
            raise no_table(location)
        if self.starting_version == LATEST:
            return int(table.version()) + 1
        if self.starting_timestamp is None:
            version = int(self.starting_version or 0)
            if version > table.version() + 1:
                raise ValidationError(
                    f"the table {location.path} is at version {table.version()}: there is no version {version} to "
                    "start from"
                )
            return version
        wanted = millis_of(self.starting_timestamp)
        times = _times(location)
        found = [version for version, time in times if time >= wanted]
        if not found:
            raise _no_version(location, self.starting_timestamp, times)
        return min(found)


def no_table(location: DeltaLocation) -> ValidationError:
    """The error where no table is."""
    return ValidationError(f"there is no table of Delta Lake at {location.path}")


def open_version(location: DeltaLocation, version: int | None) -> Any:
    """A version of a table.

    Raises:
        ValidationError: There is no such table, or no such version any more.
    """
    try:
        table = location.open(version)
    except deltalake().exceptions.DeltaError as error:
        raise ValidationError(f"the table {location.path} has no version {version}: {one_line(error)}") from None
    if table is None:
        raise no_table(location)
    return table


def _times(location: DeltaLocation) -> list[tuple[int, int]]:
    table = open_version(location, None)
    with location.reaching():
        return [(each["version"], each["timestamp"]) for each in table.history() if "timestamp" in each]


def _no_version(location: DeltaLocation, text: str, times: list[tuple[int, int]]) -> ValidationError:
    shown = [text_of(time) for _, time in sorted(times)]
    there = f"from {shown[0]} to {shown[-1]}" if shown else "without times"
    return ValidationError(f"the table {location.path} has no version for {text!r}: its versions are {there}")
