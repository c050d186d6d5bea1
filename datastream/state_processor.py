"""Savepoints that no job has written: state from a file, a DataFrame or any other records. Flink: State Processor API.

A job starts from such a savepoint as from any other, and its operators find the state by their uids.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from datastream.api.callables import resolve
from datastream.errors import FunctionError, ValidationError, WorkerFailure, cut
from datastream.functions import KeyedProcessFunction
from datastream.graph import JobGraph
from datastream.graph.operators import KeyedProcess, Operator, Reduce
from datastream.graph.state_forms import to_json
from datastream.job import JobID
from datastream.local.executor import DictStore
from datastream.runtime.hosts import Host
from datastream.runtime.key_groups import KeyPlacement
from datastream.runtime.program import JobSpec, Program
from datastream.runtime.savepoints.entry_files import owners
from datastream.runtime.savepoints.manifest import (
    Manifest,
    folder_of,
    new_folder,
    read_manifest,
    verify,
    write_manifest,
)
from datastream.runtime.savepoints.taking import Written, copy_to_disk, manifest_of, write_entries
from datastream.runtime.state_format.layout import is_saved
from datastream.runtime.user_errors import user_failure
from datastream.time import MIN_WATERMARK

__all__ = ["KeyedStateBootstrapFunction", "OperatorTransformation", "SavepointWriter", "StateBootstrapTransformation"]

_BLOCK = 4096
_FLUSH = 32  # blocks


class KeyedStateBootstrapFunction(KeyedProcessFunction):
    """Makes the state of a key of its records: in `process_element`, by states that were got in `open`, and timers.

    What `process_element` returns is ignored.
    """


@dataclass(frozen=True)
class StateBootstrapTransformation:
    """Records, and how they become the state of an operator. Made by `OperatorTransformation`."""

    records: Iterable[Any]
    key: Callable[[Any], Any]
    operator: Callable[[str], Operator]


class OperatorTransformation:
    """Where state comes from."""

    @staticmethod
    def bootstrap_with(records: Any) -> OneInputStateTransformation:
        """State is made of these records.

        Args:
            records: An iterable, or a DataFrame of Spark, whose rows are dicts here.

        Raises:
            ValidationError: They are neither.
        """
        rows = getattr(records, "toLocalIterator", None)
        if rows is not None:
            return OneInputStateTransformation(_Rows(rows))
        if isinstance(records, (str, bytes)) or not isinstance(records, Iterable):
            raise ValidationError(f"bootstrap_with needs records: an iterable or a DataFrame, got {cut(records)}")
        return OneInputStateTransformation(records)


@dataclass(frozen=True)
class OneInputStateTransformation:
    """Records whose keys are still to be named."""

    records: Iterable[Any]

    def key_by(self, key_selector: Any) -> KeyedStateTransformation:
        """Name the key of each record: a function of it, or a `KeySelector`.

        Raises:
            ValidationError: It is neither.
        """
        key, _ = resolve(key_selector, "get_key", ("value",), "key_by")
        return KeyedStateTransformation(self.records, key)


@dataclass(frozen=True)
class KeyedStateTransformation:
    """Records with keys."""

    records: Iterable[Any]
    key: Callable[[Any], Any]

    def transform(self, function: KeyedStateBootstrapFunction) -> StateBootstrapTransformation:
        """Let a function make the state of process functions: keyed, connected or with a broadcast stream.

        Raises:
            ValidationError: It is no `KeyedStateBootstrapFunction`.
        """
        process, instance = resolve(function, "process_element", ("value", "ctx"), "transform")
        if not isinstance(instance, KeyedProcessFunction):
            raise ValidationError(f"transform needs a KeyedStateBootstrapFunction, got {cut(function)}")
        return StateBootstrapTransformation(
            self.records, self.key, lambda uid: KeyedProcess(0, uid, process, uid=uid, instance=instance)
        )

    def reduce(self, function: Any) -> StateBootstrapTransformation:
        """Make the aggregates of a `reduce` of the same function; a key with one record keeps that.

        Raises:
            ValidationError: It is neither a function of two values nor a `ReduceFunction`.
        """
        reduce, instance = resolve(function, "reduce", ("value1", "value2"), "reduce")
        return StateBootstrapTransformation(
            self.records, self.key, lambda uid: Reduce(0, uid, reduce, uid=uid, instance=instance)
        )


class SavepointWriter:
    """Writes a savepoint. It holds what one operator gets in memory, while that is being written."""

    def __init__(self, max_parallelism: int, existing: Path | None) -> None:
        self._max_parallelism = max_parallelism
        self._existing = existing
        self._new: dict[str, StateBootstrapTransformation] = {}
        self._removed: set[str] = set()

    @classmethod
    def new_savepoint(cls, max_parallelism: int = 128) -> SavepointWriter:
        """A savepoint with nothing but what is given to this writer: its sources start where new ones do.

        Args:
            max_parallelism: Number of key groups. A job may have another number; with the same it starts faster.

        Raises:
            ValidationError: It is no number from 1 to 32768.
        """
        if type(max_parallelism) is not int or not 1 <= max_parallelism <= 1 << 15:
            raise ValidationError(f"max_parallelism must be a whole number from 1 to 32768, got {cut(max_parallelism)}")
        return cls(max_parallelism, None)

    @classmethod
    def from_existing_savepoint(cls, path: str | os.PathLike[str], max_parallelism: int = 128) -> SavepointWriter:
        """A savepoint with all that another one has, which stays as it is.

        Args:
            path: The other one.
            max_parallelism: Number of key groups of operators that are added.

        Raises:
            CheckpointError: It is none, or damaged.
        """
        writer: SavepointWriter = cls.new_savepoint(max_parallelism)
        writer._existing = folder_of(path)
        read_manifest(writer._existing)
        return writer

    def with_operator(self, uid: str, transformation: StateBootstrapTransformation) -> SavepointWriter:
        """Give an operator its state.

        Args:
            uid: What the job passes to the operator's ``uid()``.
            transformation: What the state is made of.

        Raises:
            ValidationError: The uid is empty or given already, or the other thing is no transformation.
        """
        if not isinstance(uid, str) or not uid:
            raise ValidationError(f"a uid must be a text that is not empty, got {cut(uid)}")
        if not isinstance(transformation, StateBootstrapTransformation):
            raise ValidationError(
                "with_operator needs a StateBootstrapTransformation, as "
                "OperatorTransformation.bootstrap_with(records).key_by(selector).transform(function) returns, "
                f"got {cut(transformation)}"
            )
        if uid in self._new:
            raise ValidationError(f"the operator '{uid}' has been given state already")
        self._new[uid] = transformation
        return self

    def remove_operator(self, uid: str) -> SavepointWriter:
        """Leave out what the existing savepoint has of an operator."""
        self._removed.add(uid)
        return self

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the savepoint to a folder that is empty or not there.

        Raises:
            CheckpointError: The folder cannot be written, or the existing savepoint is damaged.
            ValidationError: An operator that is to be added is in the existing savepoint, or one that is to be removed
                is not.
            FunctionError: A function raised.
        """
        known = self._known()
        with new_folder(path) as folder:
            written: list[Written] = []
            shape: dict[str, Any] = {"state": {}, "sources": {}, "sinks": {}}
            uids = list(self._new)
            offset: dict[str, Any] = {"sources": {}, "final": False}
            for uid, transformation in self._new.items():
                written += _write(folder, uid, uids, transformation, self._max_parallelism)
                op = transformation.operator(uid)
                shape["state"][uid] = {
                    "kind": op.kind,
                    "level": 1,
                    "parallelism": 1,
                    "max_parallelism": self._max_parallelism,
                    "forms": to_json(op.state_forms),
                }
            manifest = manifest_of(folder, shape, written, offset, job_id=str(JobID()), job_name="", epoch=0)
            write_manifest(folder, manifest if known is None else self._joined(folder, known, manifest))

    def _joined(self, folder: Path, known: Manifest, new: Manifest) -> Manifest:
        """Copy what stays of the existing savepoint; the manifest of all."""
        assert self._existing is not None
        kept = []
        for file in (*known.files, *known.spool):
            if file.operator in self._removed:
                continue
            name = f"state/kept-{Path(file.name).name}" if file.operator else file.name
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            copy_to_disk(self._existing / file.name, folder / name)
            if file.operator:
                kept.append(replace(file, name=name))
        operators = {uid: about for uid, about in known.operators.items() if uid not in self._removed}
        return replace(
            known,
            id=new.id,
            created=new.created,
            release=new.release,
            operators={**operators, **new.operators},
            files=(*kept, *new.files),
        )

    def _known(self) -> Manifest | None:
        """What the existing savepoint has."""
        if self._existing is None:
            if self._removed:
                raise ValidationError(
                    "remove_operator needs a savepoint: SavepointWriter.from_existing_savepoint(path)"
                )
            return None
        manifest = read_manifest(self._existing)
        missing = self._removed - manifest.operators.keys()
        if missing:
            there = ", ".join(map(repr, manifest.operators)) or "none"
            raise ValidationError(
                f"{self._existing} has no operator {sorted(missing)[0]!r} to remove; there are: {there}"
            )
        twice = (self._new.keys() & manifest.operators.keys()) - self._removed
        if twice:
            raise ValidationError(
                f"{self._existing} has state of the operator {sorted(twice)[0]!r}; call remove_operator for it first"
            )
        verify(self._existing, manifest)
        return manifest


class _Rows:
    """The rows of a DataFrame of Spark, as dicts."""

    def __init__(self, rows: Callable[[], Iterable[Any]]) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (row.asDict(recursive=True) for row in self._rows())


def _write(
    folder: Path, uid: str, uids: list[str], transformation: StateBootstrapTransformation, key_groups: int
) -> list[Written]:
    """Run a transformation, and write what it made."""
    op = transformation.operator(uid)
    program = Program(JobSpec(JobGraph("savepoint", (op,), (), 1, key_groups), "", "", {}))
    host = program.host(op)
    store = DictStore()
    placement = KeyPlacement(1, key_groups)
    with _blaming(op, host):
        for _, open_it in program.open(0, 0, 0):
            open_it()
    records = iter(transformation.records)
    more = True
    while more:
        host.begin(store, range(key_groups), MIN_WATERMARK)
        for _ in range(_FLUSH):
            block = list(islice(records, _BLOCK))
            more = len(block) == _BLOCK
            if block:
                with _blaming(op, host):
                    host.process(0, block, placement.known(list(map(transformation.key, block))), None)
            if not more:
                break
        host.flush()
    with _blaming(op, host):
        program.close(0)
    entries = ((0, key, store.entries[key]) for key in sorted(store.entries))
    saved = (entry for entry in entries if is_saved(entry[1], 0))
    return write_entries(folder, owners({uid: op.state_forms}), uids, saved)


@contextmanager
def _blaming(op: Operator, host: Host) -> Iterator[None]:
    """Errors of a function name it."""
    try:
        yield
    except WorkerFailure as failed:
        raise FunctionError(failed.failure) from failed.__cause__
    except Exception as error:
        failure = user_failure(error, op, host.what, host.record, error.__traceback__)
        raise (FunctionError(failure.failure) if isinstance(failure, WorkerFailure) else failure) from error
