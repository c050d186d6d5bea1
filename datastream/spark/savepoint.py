"""Taking a savepoint of a checkpoint directory, whether or not its job runs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.errors import PySparkException

from datastream.errors import CheckpointError
from datastream.graph.state_forms import from_json
from datastream.runtime.savepoints.entry_files import Owner, owners
from datastream.runtime.savepoints.manifest import (
    SPOOL,
    Manifest,
    SavedFile,
    folder_of,
    new_folder,
    saved_file,
    unwritten,
    write_manifest,
)
from datastream.runtime.savepoints.taking import Written, check_feedback, copied, manifest_of, write_entries
from datastream.runtime.state_format.layout import sql_is_saved

from .checkpoints import read_job
from .checkpoints.damage import read_end
from .checkpoints.moved_directories import readable
from .failure_seal import CHECKPOINT_ERRORS, ProcessError, Seal
from .java_errors import thrown
from .process.session import session
from .state_store import pages, reason, stores

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_WRITTEN = "name string, operator string, entries long, keys long, states string"
_ATTEMPTS = 20


def take_savepoint(
    checkpoint: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    spark: SparkSession | None = None,
    progress: Callable[[str], None] | None = None,
) -> Manifest:
    """Write the state of a job, as of the last committed epoch of its checkpoint directory, to a new folder.

    The job may be running, in this process or another: what is read is one epoch, whatever is committed meanwhile.

    Args:
        checkpoint: The checkpoint directory.
        target: Where to write; a folder that is empty or not there.
        spark: The session to read with; default: one of this process's own.
        progress: Hears of what is done at the moment.

    Returns:
        What was written.

    Raises:
        CheckpointError: The checkpoint cannot be read, or the savepoint not be written; then nothing is left of it.
    """
    folder = folder_of(checkpoint)
    known = read_job(folder)
    say = progress or (lambda what: None)
    with new_folder(target) as made:
        say("reading the checkpoint")
        epoch, spool = _epoch_and_spool(folder, made)
        offset = _offset(folder, epoch)
        first = int(known.get("restored", {}).get("epoch", 0))
        check_feedback(made / SPOOL, folder / SPOOL, known["job"], offset, first)
        written = _write_state(folder, made, epoch, known["job"]["state"], spark, say)
        say("writing the manifest")
        manifest = manifest_of(
            made,
            known["job"],
            written,
            offset,
            job_id=str(known["id"]),
            job_name=str(known.get("name", "")),
            epoch=first + epoch,
            spool=spool,
            interrupted=(folder / "offsets" / str(epoch + 1)).exists(),
        )
        write_manifest(made, manifest)
    return manifest


# -- what is not state ------------------------------------------------------------------------------------


def last_commit(folder: Path) -> int | None:
    """The last batch that was committed to a checkpoint directory; None: there is none."""
    return max((int(path.name) for path in (folder / "commits").glob("*") if path.name.isdecimal()), default=None)


def _epoch_and_spool(folder: Path, made: Path) -> tuple[int, tuple[SavedFile, ...]]:
    """The last committed batch, and the notes as they were between it and the next one."""
    spool = folder / SPOOL
    for _ in range(_ATTEMPTS):
        batch = last_commit(folder)
        if batch is None:
            raise CheckpointError(f"{folder} holds no state yet: no epoch has been committed")
        shutil.rmtree(made / SPOOL, ignore_errors=True)
        if not spool.exists():
            return batch, ()
        notes = list(copied(spool, made / SPOOL))
        if last_commit(folder) == batch:
            return batch, tuple(saved_file(made, path) for path in notes)
    raise CheckpointError(
        f"the job of {folder} commits epochs faster than its notes in {spool} can be copied; stop it first"
    )


def _offset(folder: Path, batch: int) -> dict[str, Any]:
    """Where a batch ended."""
    file = folder / "offsets" / str(batch)
    found = read_end(file)
    if "final" not in found:
        raise CheckpointError(f"{file} holds no offsets of this job; choose another directory")
    return found


# -- state ------------------------------------------------------------------------------------------------


def _write_state(
    folder: Path,
    made: Path,
    batch: int,
    operators: dict[str, dict[str, Any]],
    spark: SparkSession | None,
    say: Callable[[str], None],
) -> list[Written]:
    """Write the entries of all operators."""
    spark = spark or session.for_job("local[*]", {})
    say("writing state")
    seal = Seal()
    write = _writer(
        str(made), owners({uid: from_json(about) for uid, about in operators.items()}), list(operators), seal
    )
    try:
        entries = _entries(spark, readable(folder, session.run_folder()), batch)
        rows = [] if entries is None else entries.mapInArrow(write, _WRITTEN).collect()
        return [Written(*row) for row in rows]
    except PySparkException as error:
        sealed = seal.find(*(one.message for one in thrown(error)))
        if isinstance(sealed, ProcessError) and sealed.checkpoint:
            raise CHECKPOINT_ERRORS[sealed.checkpoint](sealed.message) from error
        raise CheckpointError(f"the state in {folder} cannot be read: {reason(error)}") from error


def _entries(spark: SparkSession, folder: Path, batch: int) -> DataFrame | None:
    """All entries as of a batch that `is_saved` takes, in the order of their keys."""
    frames = [pages(spark, folder, store, batch) for store in stores(folder)]
    if not frames:
        return None
    saved = sql_is_saved("page", "part")
    return reduce(lambda a, b: a.unionAll(b), frames).where(saved).sortWithinPartitions("page")


def _writer(folder: str, whose: dict[bytes, Owner], uids: list[str], seal: Seal) -> Any:
    """What writes the entries of a partition. Goes to workers by value."""

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (row for batch in batches for row in zip(*(batch.column(i).to_pylist() for i in range(3)), strict=True))
        with seal.errors():
            try:
                written = write_entries(Path(folder), whose, uids, rows)
            except OSError as error:
                raise unwritten(folder, error) from error
        types = [pa.string(), pa.string(), pa.int64(), pa.int64(), pa.string()]
        columns = [pa.array([row[i] for row in written], kind) for i, kind in enumerate(types)]
        yield pa.RecordBatch.from_arrays(columns, names=list(Written._fields))

    return write
