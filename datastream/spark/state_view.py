"""Reading a checkpoint's state by Spark's state data source; see `datastream.runtime.state_view`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from datastream.errors import CheckpointError
from datastream.runtime.savepoints.entries import SavepointEntries
from datastream.runtime.savepoints.manifest import is_savepoint, read_manifest, verify
from datastream.runtime.state_format.layout import NO_GROUP, place_of, sql_is_piece, sql_is_under
from datastream.runtime.state_view import StateReader, StateRow, plain

from .checkpoints import read_job
from .checkpoints.moved_directories import readable
from .process.session import session
from .state_store import pages, readable_state, stores

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["open_reader", "operators_with_state", "state_view"]

_COLUMNS = "operator string, kind string, state string, form string, key string, value string, entries long"
_BATCH = 1000


def state_view(
    checkpoint: str | Path, operator: str | None = None, state: str | None = None, limit: int | None = None
) -> DataFrame:
    """What a job keeps in a checkpoint directory or savepoint, as a Spark DataFrame with a row for each key and state.

    The columns are ``operator`` (its uid), ``kind``, ``state``, ``form`` (value, list, map, timers, broadcast), ``key``
    and ``value`` as JSON text (as the repr, where JSON has no form), and ``entries`` of a collection. It is made of
    rows that pass through this process, so a large state wants a limit.

    Args:
        checkpoint: The folder.
        operator: The uid of the only operator to read.
        state: The name of the only state to give.
        limit: At most this number of rows, and of entries of a collection.

    Raises:
        CheckpointError: The folder is no checkpoint, or nothing has been committed to it.
        ValidationError: There is no such operator.
    """
    spark = session.for_job("local[*]", {})
    rows = open_reader(checkpoint).rows(operator, state, limit=limit)
    return spark.createDataFrame([_columns(row) for row in rows], _COLUMNS)


def open_reader(
    checkpoint: str | Path, master: str = "local[*]", properties: Mapping[str, str] | None = None
) -> StateReader:
    """What reads a checkpoint directory or savepoint.

    Args:
        checkpoint: The folder.
        master: Where Spark's session is, which is made on first use; savepoints need none.
        properties: Its settings.

    Raises:
        CheckpointError: The folder is no checkpoint, or nothing has been committed to it.
    """
    folder = _folder(checkpoint)
    if is_savepoint(folder):
        manifest = read_manifest(folder)
        verify(folder, manifest)
        return StateReader(SavepointEntries(folder, manifest), manifest.operators)
    operators: dict[str, dict[str, Any]] = read_job(folder)["job"]["state"]
    if not any(name.name.isdecimal() for name in (folder / "commits").glob("*")):
        raise CheckpointError(f"{folder} holds no state yet: no epoch has been committed")
    return StateReader(_CheckpointEntries(folder, master, dict(properties or {})), operators)


def operators_with_state(checkpoint: str | Path) -> list[str]:
    """The uids of the operators of a checkpoint directory or savepoint that keep state; nothing of it is read.

    Raises:
        CheckpointError: The folder is no checkpoint.
    """
    folder = _folder(checkpoint)
    return sorted(read_manifest(folder).operators if is_savepoint(folder) else read_job(folder)["job"]["state"])


def _folder(checkpoint: str | Path) -> Path:
    return Path(str(checkpoint).removeprefix("file://")).absolute()


def _columns(row: StateRow) -> tuple[Any, ...]:
    texts = (json.dumps(plain(part), ensure_ascii=False) for part in (row.key, row.value))
    return (row.operator, row.kind, row.state, row.form, *texts, row.entries)


class _CheckpointEntries:
    """The entries of all levels of a checkpoint, as of its last commit."""

    def __init__(self, folder: Path, master: str, properties: dict[str, str]) -> None:
        self._folder = folder
        self._master, self._properties = master, properties
        self._all: DataFrame | None = None

    def pages(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        everywhere: set[bytes] = set()
        for key, data in self._read(f"{sql_is_under('page', prefix)} AND NOT {sql_is_piece('page')}"):
            if place_of(key).group == NO_GROUP:
                if key in everywhere:
                    continue
                everywhere.add(key)
            yield key, data

    def get(self, keys: list[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        for start in range(0, len(keys), _BATCH):
            found.update(self._read(f"page IN ({', '.join(map(_hex, keys[start : start + _BATCH]))})"))
        return found

    def _read(self, condition: str) -> Iterator[tuple[bytes, bytes]]:
        with readable_state(self._folder):
            if self._all is None:
                self._all = self._load()
            if self._all is not None:
                rows: Iterable[Any] = self._all.where(condition).toLocalIterator()
                yield from ((bytes(row.page), bytes(row.content)) for row in rows)

    def _load(self) -> DataFrame | None:
        spark = session.for_job(self._master, self._properties)
        folder = readable(self._folder, session.run_folder())
        frames = [pages(spark, folder, store) for store in stores(folder)]
        return reduce(lambda a, b: a.unionAll(b), frames) if frames else None


def _hex(data: bytes) -> str:
    return f"X'{data.hex()}'"
