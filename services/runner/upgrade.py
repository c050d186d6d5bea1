"""A job that does not fit its checkpoint goes on from a savepoint of it, in a checkpoint of its own."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import structlog

from datastream.config.settings import EpochSummary, Restart, settings
from datastream.errors import CheckpointError, CheckpointInUse, CheckpointMismatch
from datastream.graph import JobGraph, Plan
from datastream.graph.shape import describe
from datastream.job.handle import JobHandle
from datastream.job.options import JobOptions
from datastream.runtime.savepoints.manifest import folder_of, is_savepoint, read_manifest, verify

from .generations import Generations
from .watch import Watch

_POLL_S = 0.05
#: After this number of epochs of a generation, what came before it goes.
_PROVEN_EPOCHS = 3
_KEY_GROUPS = 128
_RESTORED = "restored"


class Upgrade:
    """Finds the checkpoint of a job among its generations, and begins a new one where the job does not fit the newest.

    Holds the directory until the process ends.

    The script's other jobs have directories of their own, and are looked after in the same way.

    Args:
        generations: Their directory.
        watch: Knows the jobs of the process.
        on_hold: Called once the directory is held; then the script runs one job.
    """

    def __init__(self, generations: Generations, watch: Watch, on_hold: Callable[[], None] | None = None) -> None:
        self._generations, self._watch, self._on_hold = generations, watch, on_hold
        self._held: IO[str] | None = None
        self._others: dict[Path, Upgrade] = {}
        self._log = structlog.get_logger("datastream")

    def prepare(self, graph: JobGraph, options: JobOptions) -> JobOptions:
        """The options of a job that is about to start, with its checkpoint directory.

        Raises:
            CheckpointInUse: Another process holds the directory, and the job does not wait for that.
            CheckpointMismatch: The job can neither go on from the newest generation nor from a savepoint of it.
            CheckpointError: A generation is damaged, or a savepoint could not be written.
        """
        generations = Generations(options.checkpoint_dir or str(self._generations.folder))
        if generations.folder != self._generations.folder:  # another job of the script
            if self._on_hold is not None:
                raise CheckpointMismatch(
                    "a script whose job is scaled runs one job: give each job a runner, or leave out scaling-min"
                )
            other = self._others.setdefault(generations.folder, Upgrade(generations, self._watch))
            return other.prepare(graph, options)
        if self._held is None:
            self._held = self._hold(options)
            if self._on_hold is not None:
                self._on_hold()
        shape = describe(Plan.of(graph))
        while True:
            found = self._attempt(graph, shape, options)
            if found is not None:
                return found

    def _hold(self, options: JobOptions) -> IO[str]:
        while True:
            try:
                return self._generations.hold()
            except CheckpointInUse as held:
                _wait(held, options)

    @contextmanager
    def _alone(self, number: int, options: JobOptions) -> Iterator[None]:
        """Within the block no process works on a generation, also no job that was given its directory."""
        from datastream.spark.checkpoints.lock import lock_folder

        while True:
            try:
                lock = lock_folder(self._generations.path(number))
                break
            except CheckpointInUse as held:
                _wait(held, options)
        try:
            yield
        finally:
            lock.close()

    def _attempt(self, graph: JobGraph, shape: dict[str, Any], options: JobOptions) -> JobOptions | None:
        """Look at the newest generation; None: it has changed, look again."""
        from datastream.spark.checkpoints.job_file import compare, read_job

        generations = self._generations
        newest = generations.newest()
        if newest is None:
            return self._begin(1, options, options.from_savepoint)
        path = generations.path(newest)
        with self._alone(newest, options):
            if not (path / "job.json").exists():  # the engine says what is wrong
                return self._as_it_is(newest, options)
            known = read_job(path)
            self._check_savepoint(known, options)
            try:
                compare(known["job"], shape, path)
            except CheckpointMismatch as mismatch:
                differences = [line.strip() for line in str(mismatch).splitlines() if line.startswith("  ")][:-1]
            else:
                return self._continued(newest, known, options)
            committed, begun = generations.committed(newest), generations.begun(newest)
            if committed is None and (begun is None or _RESTORED in known):  # such an epoch writes nothing
                return self._replaced(newest, known, differences, options)
            if begun is None or begun == committed:
                self._take_savepoint(newest, known, differences, options)
                return self._begin(newest + 1, options, str(generations.savepoint(newest + 1)))
        before = _as_before(graph, known["job"])
        if before is None:
            raise CheckpointMismatch(_unfinished(generations, newest, differences))
        self._finish(newest, before, options)
        return None

    def _as_it_is(self, number: int, options: JobOptions) -> JobOptions:
        return replace(options, checkpoint_dir=str(self._generations.path(number)), from_savepoint=None)

    def _continued(self, number: int, known: dict[str, Any], options: JobOptions) -> JobOptions:
        """Go on in a generation that the job fits."""
        restored, own = known.get(_RESTORED), self._generations.savepoint(number)
        found = self._as_it_is(number, options)
        if restored and is_savepoint(own) and read_manifest(own).id == restored["id"]:  # wherever it has been moved to
            found = replace(found, from_savepoint=str(own))
        return self._cleaned(number, found)

    def _begin(self, number: int, options: JobOptions, savepoint: str | None) -> JobOptions:
        """Start a generation."""
        generations = self._generations
        if savepoint and number == 1:
            generations.write_note(restored=read_manifest(folder_of(savepoint)).id)
        self._log.info("upgrade", step="begin", generation=number, savepoint=savepoint)
        path = str(generations.path(number))
        return self._cleaned(number, replace(options, checkpoint_dir=path, from_savepoint=savepoint))

    def _replaced(
        self, number: int, known: dict[str, Any], differences: list[str], options: JobOptions
    ) -> JobOptions | None:
        """Drop a generation that the job does not fit, and that has committed nothing."""
        self._log.info("upgrade", step="replace", generation=number, differences=differences)
        generations, own = self._generations, self._generations.savepoint(number)
        generations.remove(number)
        if generations.newest() is not None:
            return None
        restored = known.get(_RESTORED) or {}
        savepoint = str(own) if is_savepoint(own) else options.from_savepoint or restored.get("path")
        return self._begin(max(number, 1), options, savepoint)

    def _take_savepoint(self, number: int, known: dict[str, Any], differences: list[str], options: JobOptions) -> None:
        """Take the savepoint that the generation after one is to begin from, unless it is there."""
        from datastream.spark.checkpoints.lock import note_java
        from datastream.spark.process.session import session
        from datastream.spark.savepoint import take_savepoint

        generations = self._generations
        committed, target = generations.committed(number), generations.savepoint(number + 1)
        assert committed is not None
        epoch = int(known.get(_RESTORED, {}).get("epoch", 0)) + committed
        if _is_of(target, str(known["id"]), epoch):
            return
        self._log.info("upgrade", step="savepoint", generation=number, epoch=epoch, differences=differences)
        shutil.rmtree(target, ignore_errors=True)
        began = time.monotonic()
        spark = session.for_job(options.master, options.properties, options.log_file)
        java = session.java_pid()
        if self._held is not None and java is not None:
            note_java(self._held, java)  # after a kill, the next one waits until it has stopped writing
        manifest = take_savepoint(generations.path(number), target, spark=spark)
        took_ms = round((time.monotonic() - began) * 1000)
        self._log.info(
            "upgrade",
            step="saved",
            savepoint=str(target),
            keys=manifest.keys,
            bytes=manifest.bytes,
            duration_ms=took_ms,
        )

    def _finish(self, number: int, graph: JobGraph, options: JobOptions) -> None:
        """Run the epoch that a generation had begun, as it was: sinks may hold parts of it.

        Raises:
            KeyboardInterrupt: The runner was asked to end meanwhile.
        """
        from datastream.spark.start import start

        self._log.info("upgrade", step="finish", generation=number, parallelism=graph.parallelism)
        listeners = tuple(settings().listeners)
        job: JobHandle = start(graph, replace(self._as_it_is(number, options), listeners=listeners, measured=False))
        before = job.last_epoch
        self._watch.started(job)
        while not job.future.done() and job.last_epoch <= before:
            time.sleep(_POLL_S)
        job.end_after_epoch()
        job.future.result()
        if self._watch.ending:
            raise KeyboardInterrupt

    def _check_savepoint(self, known: dict[str, Any], options: JobOptions) -> None:
        """Refuse another savepoint than the one that the first generation began from.

        Raises:
            CheckpointMismatch: It is another one.
        """
        if not options.from_savepoint:
            return
        wanted = read_manifest(folder_of(options.from_savepoint)).id
        if wanted not in (self._generations.read_note().get(_RESTORED), known.get(_RESTORED, {}).get("id")):
            raise CheckpointMismatch(
                f"{self._generations.folder} belongs to a job that did not start from {options.from_savepoint}, so "
                "nothing can be restored there; nothing was read or written\n"
                "  choose a new --checkpoint-dir, or leave out --from-savepoint to continue from the directory"
            )

    def _cleaned(self, number: int, options: JobOptions) -> JobOptions:
        return replace(options, listeners=(*options.listeners, _Cleaning(self._generations, number)))


class _Cleaning:
    """A listener: once a generation has committed some epochs, it removes the older ones.

    Args:
        generations: Their directory.
        number: Of the generation that runs.
    """

    def __init__(self, generations: Generations, number: int) -> None:
        self._generations, self._number, self._epochs = generations, number, 0

    def on_start(self, graph: Any) -> None:
        pass

    def on_epoch(self, summary: EpochSummary) -> None:
        self._epochs += 1
        if self._epochs == _PROVEN_EPOCHS:
            threading.Thread(target=self._clean, name="datastream-generations", daemon=True).start()

    def on_restart(self, restart: Restart) -> None:
        pass

    def on_end(self, status: str, error: BaseException | None) -> None:
        if status == "CANCELED" and not (self._generations.path(self._number) / "job.json").exists():
            self._generations.remove_before(self._number)  # its checkpoint went, as the job's retention has it

    def _clean(self) -> None:
        removed = self._generations.remove_before(self._number)
        if removed:
            structlog.get_logger("datastream").info("upgrade", step="clean", generation=self._number, removed=removed)


def _wait(held: CheckpointInUse, options: JobOptions) -> None:
    """Wait a moment, as a standby; what holds the directory is raised where the job is none."""
    if options.on_held is None:
        raise held
    options.on_held(held)


def _is_of(savepoint: Path, job_id: str, epoch: int) -> bool:
    """Whether a savepoint is whole, and of an epoch of a job."""
    if not is_savepoint(savepoint):
        return False
    try:
        manifest = read_manifest(savepoint)
        if (manifest.job_id, manifest.epoch) != (job_id, epoch):
            return False
        verify(savepoint, manifest)
    except CheckpointError:
        return False
    return True


def _as_before(graph: JobGraph, known: dict[str, Any]) -> JobGraph | None:
    """The job with the parallelism that its checkpoint has; None: more than its parallelism has changed."""
    from datastream.spark.checkpoints.job_file import compare

    numbers = {int(known["tasks"]), *(int(about["parallelism"]) for about in known["state"].values())}
    numbers |= {int(found) for path in known.get("paths", {}).values() for found in re.findall(r" x (\d+)", path)}
    usual = graph.max_parallelism == max(_KEY_GROUPS, graph.parallelism)
    for number in sorted(numbers, reverse=True):
        most = max(_KEY_GROUPS, number) if usual else graph.max_parallelism
        before = replace(graph, parallelism=number, max_parallelism=most)
        with suppress(CheckpointMismatch):
            compare(known, describe(Plan.of(before)), "")
            return before
    return None


def _unfinished(generations: Generations, number: int, differences: list[str]) -> str:
    path = generations.path(number)
    lines = "".join(f"\n  {line}" for line in differences)
    return (
        f"the job has changed, and the last epoch of {path} was interrupted: its sinks may hold parts of it, which "
        f"only the job as it was can complete; nothing was read or written{lines}\n"
        "  roll back to the earlier version, end it with SIGTERM or `datastream stop`, and upgrade again; or take a "
        f"savepoint (datastream savepoint {path} DIR) and start from it in a new --checkpoint-dir, which writes that "
        "epoch again"
    )
