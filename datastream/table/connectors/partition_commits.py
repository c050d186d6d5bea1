"""When a partition of files is complete, and how its readers learn of it: the options ``sink.partition-commit.*``."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol
from urllib.parse import unquote

from datastream.connectors.files import BucketCommits
from datastream.connectors.files.remote.location import is_remote, parse_location
from datastream.connectors.files.remote.stores import write_empty_file
from datastream.errors import JobError, UnsupportedOperation, ValidationError
from datastream.table.functions.date_time_formatter import date_time_formatter
from datastream.table.functions.java_calendar import days_of
from datastream.table.functions.pattern_texts import pattern_parts
from datastream.time.zones import instant_micros, zone_of

from .connector import Option, Settings, TableInfo

COMMIT = "sink.partition-commit"
EXTRACTOR = "partition.time-extractor"
OPTIONS = (
    Option(
        f"{COMMIT}.trigger", default="process-time", choices=("process-time", "partition-time"), doc="By which time."
    ),
    Option(f"{COMMIT}.delay", "duration", 0, doc="So long after its time a partition is complete."),
    Option(f"{COMMIT}.watermark-time-zone", default="UTC", doc="Zone of the partitions' times."),
    Option(f"{COMMIT}.policy.kind", doc="`success-file`, `custom`, or both with a comma. Default: no commits."),
    Option(f"{COMMIT}.policy.class", doc="Of `custom`: a class as `module.Class`."),
    Option(f"{COMMIT}.policy.class.parameters", "list", doc="Texts that it is made with."),
    Option(f"{COMMIT}.success-file.name", default="_SUCCESS", doc="The file that `success-file` writes."),
    Option(
        f"{EXTRACTOR}.kind", default="default", choices=("default", "custom"), doc="Where a partition's time is from."
    ),
    Option(f"{EXTRACTOR}.class", doc="Of `custom`: a class as `module.Class`."),
    Option(f"{EXTRACTOR}.timestamp-pattern", doc="Such as `$day $hour:00:00`. Default: the first partition column."),
    Option(f"{EXTRACTOR}.timestamp-formatter", doc="Java's pattern of that text. Default: `yyyy-MM-dd[ HH:mm:ss]`."),
)
_TIME = re.compile(r"([+-]?\d{1,10})-(\d{1,2})-(\d{1,2})(?: (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,9}))?)?")


@dataclass(frozen=True)
class CommittedPartition:
    """A partition that is complete, as policies get it, with the methods of Flink's ``PartitionCommitPolicy.Context``.

    Attributes:
        table: Catalog, database and name of the table.
        spec: Partition columns -> texts of their values.
        path: Its folder; a URI, with the access that the table's path names, if that is remote.
    """

    table: tuple[str, ...]
    spec: Mapping[str, str]
    path: str

    def catalog_name(self) -> str:
        return self.table[0]

    def database_name(self) -> str:
        return self.table[1]

    def table_name(self) -> str:
        return self.table[-1]

    def partition_keys(self) -> list[str]:
        return list(self.spec)

    def partition_values(self) -> list[str]:
        return list(self.spec.values())

    def partition_path(self) -> str:
        return self.path

    def partition_spec(self) -> dict[str, str]:
        return dict(self.spec)


class Policy(Protocol):
    """What is done with a partition that is complete: a class of users has no base."""

    def commit(self, context: CommittedPartition) -> None:
        """Do it; perhaps again after a crash."""


class TimeExtractor(Protocol):
    """Reads the time of a partition: a class of users has no base."""

    def extract(self, partition_keys: list[str], partition_values: list[str]) -> datetime:
        """The time, by the clocks of the zone of the watermark."""


@dataclass(frozen=True)
class SuccessFile:
    """Writes an empty file into the folder.

    Attributes:
        name: Its name.
    """

    name: str

    def commit(self, context: CommittedPartition) -> None:
        if is_remote(context.partition_path()):
            write_empty_file(parse_location(context.partition_path()), self.name)
            return
        os.makedirs(context.partition_path(), exist_ok=True)
        with open(os.path.join(context.partition_path(), self.name), "wb"):
            pass


@dataclass(frozen=True)
class DefaultTimeExtractor:
    """Reads the text that a pattern makes of the values.

    Attributes:
        pattern: ``$name`` stands for a value; None: the first value.
        formatter: Java's pattern of the text; None: ``yyyy-MM-dd HH:mm:ss`` or ``yyyy-MM-dd``, digits may lack.
    """

    pattern: str | None
    formatter: str | None

    def micros(self, spec: Mapping[str, str]) -> int:
        """What clocks show, in µs since 1970.

        Raises:
            ValueError: the text is no such time.
        """
        text = self.pattern
        if text is None:
            text = next(iter(spec.values()))
        else:
            for name, value in spec.items():
                text = text.replace(f"${name}", value)
        found = _read(text) if self.formatter is None else date_time_formatter(self.formatter).read(text)
        if found is None:
            expected = "yyyy-MM-dd HH:mm:ss or yyyy-MM-dd" if self.formatter is None else self.formatter
            raise ValueError(f"expected a time of the form {expected}, got {text!r}")
        return found


@dataclass(frozen=True)
class CustomTimeExtractor:
    """Asks a class of users.

    Attributes:
        extractor: An object of it.
    """

    extractor: TimeExtractor

    def micros(self, spec: Mapping[str, str]) -> int:
        """What clocks show, in µs since 1970."""
        found = self.extractor.extract(list(spec), list(spec.values()))
        return round((found.replace(tzinfo=UTC) - _EPOCH).total_seconds() * 1_000_000)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class PartitionCommits(BucketCommits):
    """See the module.

    Attributes:
        table: Catalog, database and name of the table.
        policies: What is done, in this order.
        time: Reads the time of a partition; None: the clock says when it is complete.
        after_ms: So long after its time.
        zone: Zone of the partitions' times.
    """

    table: tuple[str, ...]
    policies: tuple[Policy, ...]
    time: DefaultTimeExtractor | CustomTimeExtractor | None
    after_ms: int
    zone: str

    @property
    def watermarks(self) -> bool:  # type: ignore[override]
        return self.time is not None

    @property
    def delay_ms(self) -> int | None:  # type: ignore[override]
        return self.after_ms if self.time is None else None

    def is_complete(self, bucket: str, since: int, now: int, watermark: int) -> bool:
        if self.time is None:
            return not self.after_ms or now > since + self.after_ms
        try:
            local = self.time.micros(_spec(bucket))
        except Exception as error:
            raise JobError(
                f"table {'.'.join(f'`{part}`' for part in self.table)}: the partition {bucket} has no time: {error}; "
                f"see the options '{EXTRACTOR}.timestamp-pattern' and '{EXTRACTOR}.timestamp-formatter'"
            ) from error
        return watermark > instant_micros(local, zone_of(self.zone)) // 1000 + self.after_ms

    def commit(self, base: str, bucket: str) -> None:
        path = parse_location(base).below(bucket).full_uri if is_remote(base) else os.path.join(base, bucket)
        context = CommittedPartition(self.table, _spec(bucket), path)
        for policy in self.policies:
            policy.commit(context)


def partition_commits(table: TableInfo, settings: Settings) -> PartitionCommits | None:
    """How the partitions of a table are committed; None: they are not.

    Raises:
        ValidationError: an option has a value that it cannot have, or one that is needed is missing.
        UnsupportedOperation: of Hive.
    """
    try:
        zone_of(settings[f"{COMMIT}.watermark-time-zone"])
    except ValidationError as error:
        raise ValidationError(f"{table}: option '{COMMIT}.watermark-time-zone': {error}") from None
    formatter = settings[f"{EXTRACTOR}.timestamp-formatter"]
    if formatter is not None:
        try:
            date_time_formatter(formatter)
        except ValidationError as error:
            raise ValidationError(f"{table}: option '{EXTRACTOR}.timestamp-formatter': {error}") from None
        if not any(letter in ("d", "D") for letter, _ in pattern_parts(formatter)):
            raise ValidationError(
                f"{table}: option '{EXTRACTOR}.timestamp-formatter': the pattern {formatter!r} has no day of the month"
            )
    kinds = settings[f"{COMMIT}.policy.kind"]
    if kinds is None:
        return None
    policies = tuple(_policy(table, settings, kind) for kind in kinds.split(","))
    time: DefaultTimeExtractor | CustomTimeExtractor | None = None
    if settings[f"{COMMIT}.trigger"] == "partition-time":
        if settings[f"{EXTRACTOR}.kind"] == "custom":
            time = CustomTimeExtractor(_made(table, settings, f"{EXTRACTOR}.class", (), "extract"))
        else:
            time = DefaultTimeExtractor(settings[f"{EXTRACTOR}.timestamp-pattern"], formatter)
    return PartitionCommits(
        table.path, policies, time, settings[f"{COMMIT}.delay"], settings[f"{COMMIT}.watermark-time-zone"]
    )


def _policy(table: TableInfo, settings: Settings, kind: str) -> Policy:
    match kind.lower():
        case "success-file":
            name = settings[f"{COMMIT}.success-file.name"]
            if not name or "/" in name or name in (".", ".."):
                raise ValidationError(
                    f"{table}: option '{COMMIT}.success-file.name': expected a file's name, got {name!r}"
                )
            return SuccessFile(name)
        case "custom":
            made: Policy = _made(
                table, settings, f"{COMMIT}.policy.class", settings[f"{COMMIT}.policy.class.parameters"] or (), "commit"
            )
            return made
        case "metastore":
            raise UnsupportedOperation(
                f"{table}: a table of files has no 'metastore' partition commit policy: only tables of "
                f"Hive have a metastore; set '{COMMIT}.policy.kind' = 'success-file'"
            )
    raise ValidationError(
        f"{table}: option '{COMMIT}.policy.kind': expected success-file, custom, or both with a comma and no blank "
        f"between them, got {kind!r}"
    )


def _made(table: TableInfo, settings: Settings, option: str, arguments: Sequence[str], method: str) -> Any:
    """An object of the class that an option names."""
    target = settings[option]
    if target is None:
        raise ValidationError(f"{table}: the option '{option}' is missing: a Python class as module.Class")
    module, _, name = target.rpartition(".")
    try:
        made = getattr(importlib.import_module(module), name)(*arguments)
    except Exception as error:
        raise ValidationError(
            f"{table}: option '{option}': an object of {target} cannot be made: {error}; expected a Python class "
            "as module.Class"
        ) from error
    if not callable(getattr(made, method, None)):
        raise ValidationError(f"{table}: option '{option}': {target} has no method '{method}'")
    return made


def _spec(bucket: str) -> dict[str, str]:
    """The columns and values of a folder ``a=1/b=x``."""
    pairs = (part.partition("=") for part in bucket.split("/") if part)
    return {unquote(name): unquote(value) for name, _, value in pairs}


def _read(text: str) -> int | None:
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    days = days_of(year + (month - 1) // 12, (month - 1) % 12 + 1, day)  # numbers may be too large, as in Flink
    seconds = days * 86_400 + hour * 3600 + minute * 60 + second
    return seconds * 1_000_000 + int((found[7] or "").ljust(6, "0")[:6])
