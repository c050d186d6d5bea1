"""What a table's log says: the files of a version, and what a version has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from datastream.errors import FormatError

from .location import DeltaLocation
from .partitions import partition_text


@dataclass(frozen=True)
class LoggedFile:
    """A file that the log has added.

    Attributes:
        path: As the log has it.
        size: Bytes.
        rows: How many rows; None: the log does not say.
        partition: Values of the partition columns.
        vectors: Whether some of its rows are deleted by a deletion vector.
    """

    path: str
    size: int
    rows: int | None
    partition: Mapping[str, str | None] = field(default_factory=dict)
    vectors: bool = False

    @property
    def key(self) -> str:
        """Where it is, relative to the table."""
        return unquote(self.path)


@dataclass(frozen=True)
class Change:
    """What a version has changed.

    Attributes:
        added: Files with new data, in the log's order.
        removed: Whether data was removed or rewritten: not only moved to other files.
        metadata: The table's new metadata, as the log has it; None: unchanged.
        features: The features of readers that are needed from here on; None: unchanged.
    """

    added: tuple[LoggedFile, ...]
    removed: bool
    metadata: Mapping[str, Any] | None = None
    features: tuple[str, ...] | None = None


def snapshot_files(location: DeltaLocation, table: Any) -> list[LoggedFile]:
    """The files of a table's version, from the oldest to the newest."""
    import pyarrow as pa

    with location.reaching():
        found = pa.table(table.get_add_actions()).to_pylist()
    vectored = _has_vectors(table)
    rows = [
        LoggedFile(
            each["path"],
            each["size_bytes"],
            each.get("num_records"),
            {name: partition_text(value) for name, value in (each.get("partition") or {}).items()},
            vectored,
        )
        for each in sorted(found, key=lambda each: (each["modification_time"], each["path"]))
    ]
    return rows


def _has_vectors(table: Any) -> bool:
    """Whether any file of a table has a deletion vector."""
    if "deletionVectors" not in (table.protocol().reader_features or ()):
        return False
    return any(batch.num_rows for batch in table.deletion_vectors())


def change_of(location: DeltaLocation, version: int) -> Change | None:
    """What a version has changed; None: its entry is not there.

    Raises:
        ConnectionError: The store does not answer.
        FormatError: The entry is damaged.
    """
    path = f"_delta_log/{version:020}.json"
    data = location.read(path)
    if data is None:
        return None
    try:
        return _change([*_actions(data)])
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"the log's entry {location.path}/{path} is damaged: {error}") from error


def checkpointed_version(location: DeltaLocation) -> int:
    """The version of the log's last checkpoint; -1: there is none.

    Raises:
        ConnectionError: The store does not answer.
    """
    data = location.read("_delta_log/_last_checkpoint")
    return -1 if data is None else int(json.loads(data)["version"])


def _actions(data: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    for line in data.splitlines():
        if line.strip():
            yield from json.loads(line).items()


def _change(actions: list[tuple[str, dict[str, Any]]]) -> Change:
    added, removed, metadata, features = [], False, None, None
    for name, action in actions:
        if name == "add" and action.get("dataChange", True):
            stats = json.loads(action.get("stats") or "{}")
            values = {key: value or None for key, value in (action.get("partitionValues") or {}).items()}
            vectors = action.get("deletionVector") is not None
            added.append(LoggedFile(action["path"], action["size"], stats.get("numRecords"), values, vectors))
        elif name == "remove" and action.get("dataChange", True):
            removed = True
        elif name == "metaData":
            metadata = action
        elif name == "protocol":
            features = tuple(action.get("readerFeatures") or ())
    return Change(tuple(added), removed, metadata, features)
