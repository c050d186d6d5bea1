"""The life of a job's query: start, epochs, end of input, failure, cancel."""

from __future__ import annotations

import json
import logging
import os
import queue
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError

from datastream.config.settings import EpochSummary
from datastream.errors import (
    CheckpointError,
    CheckpointLost,
    DataStreamError,
    FunctionError,
    JobError,
    ValidationError,
    WorkerError,
    WorkerFailure,
)
from datastream.graph import Plan
from datastream.job import JobID
from datastream.job.control import ControlServer
from datastream.job.handle import JobHandle
from datastream.job.options import JobOptions
from datastream.job.savepoint_path import savepoint_path
from datastream.runtime.enumerators import Enumerators
from datastream.runtime.hosts.host import system_clock
from datastream.runtime.program import JobSpec, Program, pack
from datastream.runtime.restore import Restore
from datastream.runtime.savepoints.manifest import Manifest
from datastream.runtime.savepoints.matching import copy_notes
from datastream.runtime.sinking import EpochReport
from datastream.spark.java_objects import java_query

from .checkpoints import Checkpoint, check_epochs, committed_epochs, is_remote
from .failure_seal import Seal
from .failures import as_error, java_ended
from .frames import Frames
from .process.job_python import JobPython
from .process.run_folder import TEMPORARY_CHECKPOINT
from .process.session import session
from .process.session_start import is_local
from .progress import ProgressReader
from .savepoint import take_savepoint
from .stages.reporting import Backlog, EpochBegun, Exhausted, Held, Idle, hold_file
from .stop_order import StopOrder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from .stages.reporting import Reports

_LOGGER = logging.getLogger("datastream")

_POLL_S = 0.1
_LAST_REPORT_S = 60
_LATE_REPORTS_S = 5
_RETAINED = "spark.sql.streaming.minBatchesToRetain"


class SparkJob(JobHandle):
    """One Structured Streaming query, started again by the job's restart strategy when it has failed."""

    def __init__(self, plan: Plan, options: JobOptions, checkpoint: Checkpoint | None, restore: Restore | None) -> None:
        super().__init__(JobID(checkpoint.job_id) if checkpoint else JobID(), plan.graph, options)
        self._plan = plan
        self._checkpoint = checkpoint
        self._restore = restore
        self._stop_order: StopOrder | None = None
        self._ending = threading.Lock()
        self._released = False
        self._folder = session.job_folder()
        self._path = checkpoint.path if checkpoint else os.path.join(self._folder.path, TEMPORARY_CHECKPOINT)
        self._python = self._new_python()
        self._frames = Frames(plan)
        self.last_epoch = self._last_committed()
        try:
            self._start_query(again=False)
            self._control = ControlServer(self, self._folder.path, checkpoint.path if checkpoint else None)
        except BaseException:
            self._frames.stop()
            self._frames.release()
            self._python.close()
            self._folder.remove()
            raise
        self._thread.start()

    def _new_python(self) -> JobPython:
        places = () if self._checkpoint is None or is_remote(self._path) else (self._path,)
        local = is_local(self._options.master)
        return JobPython(self._options.needs, self._folder.path, local, places)

    def _renew_folder(self) -> None:
        """Make the job's own folder anew: it has been tidied away. Other processes find the job again, too."""
        tidied, self._folder = self._folder, session.job_folder()
        tidied.remove()
        self._python.close()
        self._python = self._new_python()
        self._control.move(self._folder.path)

    def _start_query(self, again: bool) -> None:
        """Start the query, from the last committed epoch if there is one.

        Args:
            again: There was a query before.
        """
        options, checkpoint, plan = self._options, self._checkpoint, self._plan
        spark = self._session = session.for_job(options.master, options.properties, options.log_file)
        if again:
            self._check_past()
            if not self._folder.is_whole:
                self._renew_folder()
        run = JobID()
        local = is_local(spark.sparkContext.master)
        from .process.gateway import new_authkey
        from .process.shipping import ship_user_code
        from .stages.reporting import Reports

        folder = session.run_folder()
        restore = self._restore if self._last_committed() < self._first_epoch else None
        spool = None if "://" in self._path else os.path.join(self._path, "spool")
        if restore is not None and spool is not None:
            copy_notes(restore.notes, spool)
        authkey, self._seal = new_authkey(), Seal()
        self._reports: Reports = Reports(folder, str(run), authkey, partial(self._frames.call, spark))
        self._epochs_begun = self._epochs_reported = 0
        self._progress = ProgressReader()
        spec = self._spec = JobSpec(
            graph=plan.graph,
            job_id=str(self.job_id),
            run_id=str(run),
            parameters=options.parameters,
            epoch_records=options.epoch_records,
            epoch_records_in_time=options.epoch_records_in_time,
            epoch_ms=options.epoch_ms,
            record_bytes=options.record_bytes,
            report=(self._reports.address, authkey),
            types_check=options.types_check,
            serializers=options.serializers,
            warnings=options.warnings,
            log=options.log,
            spool_dir=spool,
            first_epoch=self._first_epoch,
            restore=restore,
            interval_ms=options.trigger_ms,
            min_pause_ms=options.min_pause_ms,
            attempt=self.tries,
            measured=options.measured,
            lasting=checkpoint is not None,
            clock=options.clock or system_clock,
        )
        try:
            if not local:
                ship_user_code(spark, folder)
            python = self._python.for_query(spark, session.gateway(), session.python(), folder)
            payload = pack(spec, self._python_path() if local else ())
            if checkpoint is not None:
                checkpoint.note_java(session.java_pid())
            with session.python_of(spark, python):
                self._frames.start(spark, spool)
            with session.python_of(spark, python):  # again: a function that made a DataFrame has had its own session
                self.query: StreamingQuery = self._put_together(spark, payload, f"job_{run}")
            self._give_order()  # of before a restart
        except Exception as error:
            self._reports.close()
            raise self._as_error(error) from error

    def _python_path(self) -> tuple[str, ...]:
        """Where workers on this machine look for modules first, as the driver does."""
        return self._python.path or tuple(entry or os.getcwd() for entry in sys.path)

    def _put_together(self, spark: SparkSession, payload: bytes, name: str) -> StreamingQuery:
        """Make the query of a pickled job, and start it."""
        from .stages.level import add_level
        from .stages.sink import job_sink
        from .stages.source import job_source

        plan, options = self._plan, self._options
        spark.dataSource.register(job_source(payload, f"{name}_source", self._seal))
        spark.dataSource.register(job_sink(payload, f"{name}_sink", self._seal))
        spark.conf.set("spark.sql.shuffle.partitions", str(plan.width))
        if _RETAINED in options.properties:  # also in a session that an earlier job has made
            spark.conf.set(_RETAINED, options.properties[_RETAINED])
        df = spark.readStream.format(f"{name}_source").load()
        for level in plan.levels[1:]:
            df = add_level(df, payload, level, plan.width, self._seal)
        writer = df.writeStream.format(f"{name}_sink").outputMode("append").queryName(plan.graph.name)
        path = self._path if is_remote(self._path) else os.path.abspath(self._path)
        writer = writer.option("checkpointLocation", path)
        # The planner keeps the interval: Spark would wait by a clock that may be set.
        return writer.trigger(processingTime="0 seconds").start()

    @property
    def _first_epoch(self) -> int:
        """Number of the first epoch of the folder; Spark counts from 0."""
        if self._checkpoint is not None:
            return self._checkpoint.first_epoch
        return 0 if self._restore is None else self._restore.epoch

    def savepoint(self, target: str) -> Manifest:
        """Write the state as of the last committed epoch to a new folder; the job may be running, or have ended.

        Raises:
            ValidationError: The job has no checkpoint directory.
            CheckpointError: No epoch has been committed, or the folder cannot be written.
        """
        if self._checkpoint is None:
            raise ValidationError(
                "a savepoint is taken of a checkpoint directory, and this job has none; give --checkpoint-dir, or set "
                "execution.checkpointing.dir"
            )
        return take_savepoint(self._checkpoint.path, target, spark=self._session)

    def _attempt(self) -> None:
        again = self.tries > 0
        while self._run_query(again):
            again = True

    def _run_query(self, start: bool) -> bool:
        """Follow the query to its end; whether the job goes on with another one."""
        try:
            if start:
                self._start_query(again=True)
            self._restarting = False
            self._follow()
            return self._fulfil_order()
        except DataStreamError:
            raise
        except BaseException as error:
            raise java_ended() or error from error
        finally:
            self._stop()
            self._frames.stop()
            session.show_printed()
            self._take_late_reports()
            self._reports.close()

    def end_after_epoch(self) -> None:
        super().end_after_epoch()
        with self._ending:
            if self._released or self._stop_order is not None:
                return
            self._stop_order = StopOrder("end", None)
            with suppress(FileNotFoundError):  # Java is being started again; it will hear of the order then
                self._give_order()

    def trigger_savepoint(self, directory: str | None) -> str:
        target = self._savepoint_path(directory)
        if self.future.done():
            raise ValidationError("the job has ended: take the savepoint of its checkpoint directory")
        try:
            self.savepoint(target)
        except (Py4JError, ConnectionError) as error:
            raise _without_java(error) from error
        return target

    def stop_with_savepoint(self, drain: bool, directory: str | None) -> str:
        target = self._savepoint_path(directory)
        with self._ending:
            if self._released:
                raise ValidationError("the job has ended")
            if self._stop_order is not None:
                how = ", with --drain: a loop whose records never leave it keeps it running until it is cancelled"
                raise ValidationError(
                    f"the job is being stopped already{how if self._stop_order.kind == 'drain' else ''}"
                )
            order = self._stop_order = StopOrder("drain" if drain else "stop", target)
            try:
                self._give_order()
            except FileNotFoundError:  # Java is being started again; it will hear of the order then
                _LOGGER.debug("the job is starting again, and will be stopped then")
            except BaseException:
                self._stop_order = None
                raise
        return order.savepoint.result()

    def _savepoint_path(self, directory: str | None) -> str:
        if self._checkpoint is None or is_remote(self._path):
            where = "a temporary one" if self._checkpoint is None else self._path
            raise ValidationError(
                "a savepoint is taken of a checkpoint directory that this machine reaches by a path, and this job's is "
                f"{where}; "
                "give --checkpoint-dir, or set execution.checkpointing.dir"
            )
        return savepoint_path(directory, self._options.properties, str(self.job_id))

    def _give_order(self) -> None:
        """Let the planner know that the job is to stop."""
        file = hold_file(self._spec)
        if file is not None and self._stop_order is not None:
            temporary = f"{file}.new"
            with open(temporary, "w") as out:
                out.write(self._stop_order.kind)
            os.replace(temporary, file)

    def _fulfil_order(self) -> bool:
        """The job has stopped as it was ordered to: take the savepoint. Whether the job goes on, because that failed.

        Raises:
            CheckpointError: The savepoint could not be written, and the sources have ended.
        """
        order = self._stop_order
        if order is None or order.target is None or self._cancelled.is_set():
            return False
        try:
            self.savepoint(order.target)
        except BaseException as error:
            with self._ending:  # a restart after this failure does not stop again, as it is no longer waited for
                self._stop_order = None
            lost = isinstance(error, (Py4JError, ConnectionError))
            continues = order.kind == "stop" and isinstance(error, DataStreamError)
            if continues:
                _LOGGER.warning("the job was not stopped, because its savepoint failed, and continues: %s", error)
            order.savepoint.set_exception(_without_java(error) if lost else error)
            if continues:
                return True
            raise
        order.taken = order.target
        return False

    def _release(self, status: str, error: BaseException | None) -> None:
        if self._checkpoint is not None:
            if self._cancelled.is_set() and self._options.delete_on_cancel and not self._ended_early:
                self._checkpoint.delete()
            self._checkpoint.release()
        self._frames.release()
        with self._ending:
            self._released = True
            order = self._stop_order
        if order is not None and not order.savepoint.done():
            if order.taken is not None:
                order.savepoint.set_result(order.taken)
            else:
                order.savepoint.set_exception(error or JobError(f"the job ended ({status}) before it was stopped"))
        self._control.close(status, error, self._runtime_ms)
        self._python.close()
        self._folder.remove()

    def _follow(self) -> None:
        checked = time.monotonic()
        deadline: float | None = None
        while True:
            try:
                message = self._reports.queue.get(timeout=_POLL_S)
            except queue.Empty:
                message = False
            if isinstance(message, Exception):
                raise message
            if isinstance(message, EpochBegun):
                self._epochs_begun, self._begun, self.planned = self._epochs_begun + 1, time.monotonic(), True
            elif isinstance(message, EpochReport):
                self._epochs_reported += 1
                session.show_printed()
                self._take(self._with_run_time(message.summary), message.collected)
                self._read_progress()
                if message.summary.final:
                    self._await_commit(message.summary.epoch)
                    self._read_progress()
                    self._note_finished()
                    break
            elif isinstance(message, Backlog):
                self._take_backlog(message.records)
            elif isinstance(message, Idle):
                self._note_idle()
            elif isinstance(message, Held):
                break
            elif isinstance(message, Exhausted):
                if not message.ran:  # restarted with nothing left to do
                    self._note_finished()
                    break
                deadline = time.monotonic() + _LAST_REPORT_S
            if deadline is not None and time.monotonic() > deadline:
                raise WorkerError("the job ended, but the report of its last epoch did not arrive at the driver")
            if self._cancelled.is_set():
                break
            if message is False or time.monotonic() - checked > 1:
                checked = time.monotonic()
                if not self.query.isActive:
                    break
                self._frames.check()
                self._check_timeout()
                self._check_folder()
                if self._checkpoint is not None:
                    self._checkpoint.check()
        self._stop()
        # Not PySpark's own exception: it takes what looks like a traceback in a message for one, and opens its files.
        failure = java_query(self.query).exception()
        if not self._cancelled.is_set():
            with suppress(OSError):  # it cannot be looked at now, and nothing says that it has gone
                self._check_past()
            if failure.isDefined():
                self._check_folder()  # a file of it that Spark misses says less
                raise self._as_error(failure.get())
        self._commit_sources()

    def _as_error(self, error: object) -> Exception:
        """What to raise for what Spark has raised, or Java has thrown."""
        return as_error(error, self._seal, self._options.verbose, self._local_checkpoint())

    def _with_run_time(self, summary: EpochSummary) -> EpochSummary:
        """An epoch's summary, with the time since its planning; not known of one that was planned before a restart."""
        if self._epochs_reported != self._epochs_begun:
            return summary
        return replace(summary, run_ms=(time.monotonic() - self._begun) * 1000)

    def _read_progress(self) -> None:
        """Pass on what Spark reports of the epoch before, as the one in hand has not ended there."""
        if self._options.measured:
            progress = self._progress.latest(java_query(self.query))
            if progress is not None:
                self._take_progress(replace(progress, epoch=self._first_epoch + (progress.epoch or 0)))

    def _local_checkpoint(self) -> Path | None:
        """The checkpoint directory, if the job has one, on a file system of this machine."""
        return None if self._checkpoint is None or is_remote(self._path) else Path(self._path)

    def _last_committed(self) -> int:
        """The last epoch that is committed; less than the folder's first one if there is none."""
        if self._checkpoint is not None:
            return self._first_epoch + self._checkpoint.last_committed()
        with suppress(OSError):
            return self._first_epoch + max(committed_epochs(self._path), default=-1)
        return self._first_epoch - 1

    def _check_past(self) -> None:
        """Make sure that the checkpoint is the one that this job has worked on.

        Raises:
            CheckpointLost: It is not.
            OSError: It cannot be looked at now.
        """
        known = self.last_epoch - 1  # an epoch is reported before Spark logs its commit, but after the one before it
        if self._checkpoint is not None:
            self._checkpoint.check_past(known)
            return
        try:
            check_epochs(self._path, committed_epochs(self._path), known - self._first_epoch)
        except CheckpointLost:
            raise CheckpointError(
                f"the job's temporary checkpoint {self._path} has been deleted, so the job can only start from the "
                "beginning: start it again, with a --checkpoint-dir"
            ) from None

    def _check_timeout(self) -> None:
        """Fail the job's epoch if it has run for too long."""
        timeout = self._options.epoch_timeout_ms
        if timeout is None or self._epochs_begun <= self._epochs_reported:
            return
        if (time.monotonic() - self._begun) * 1000 > timeout:
            raise WorkerError(
                f"an epoch has run for longer than execution.checkpointing.timeout, which is {timeout:,} ms, and was "
                "stopped\n  give it more time, or make epochs smaller (-D datastream.epoch.max-records=10000)",
                transient=True,
            )

    def _check_folder(self) -> None:
        """Restart a job whose run's folder was tidied: orders do not reach its planner, and no worker could start."""
        restarts = self._options.restarts
        if restarts.checkpointing and restarts.strategy is None and not session.is_whole():
            raise WorkerError(
                f"the temporary folder {session.run_folder()} was deleted, or files in it were, while the job ran; it "
                "and all processes are made anew\n  let programs that tidy temporary folders leave those of datastream "
                "alone, or set TMPDIR to another folder",
                transient=True,
            )

    def _take_late_reports(self) -> None:
        """Hand on the reports of committed epochs that are still on their way from the process that committed them."""
        committed = self._last_committed()
        deadline = time.monotonic() + _LATE_REPORTS_S
        while self.last_epoch < committed and time.monotonic() < deadline:
            with suppress(queue.Empty):
                message = self._reports.queue.get(timeout=_POLL_S)
                if isinstance(message, EpochReport):
                    self._take(message.summary, message.collected)

    def _note_finished(self) -> None:
        if self._checkpoint is not None:
            self._checkpoint.note_finished()

    def _stop(self) -> None:
        """No epoch runs any more after this call, whatever made the job end."""
        with suppress(Py4JError, OSError):  # Java has gone, and the query with it
            if self.query.isActive:
                self.query.stop()

    def _commit_sources(self) -> None:
        """Report the last committed epoch to the sources: the planner does so when the next begins, but none does."""
        end = None
        with suppress(Py4JError, OSError):
            progress = java_query(self.query).lastProgress()
            end = progress and json.loads(progress.sources()[0].endOffset() or "null")
        if end:
            enumerators = Enumerators(Program(self._spec))
            try:
                try:
                    for op in self._plan.sources:
                        enumerators.commit(op, end["sources"][op.state_uid])
                finally:
                    enumerators.close()
            except WorkerFailure as failed:
                raise FunctionError(failed.failure) from failed.__cause__

    def _await_commit(self, epoch: int) -> None:
        """Wait until Spark has logged the commit of an epoch, so that a restart finds it done."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.query.isActive:
            progress = java_query(self.query).lastProgress()
            if progress is not None and self._spec.first_epoch + progress.batchId() >= epoch:
                return
            time.sleep(0.01)


def _without_java(error: BaseException) -> CheckpointError:
    """The error of a savepoint that could not be taken because Spark has gone."""
    return CheckpointError(
        f"the savepoint was not taken, and nothing is left of it: Spark's Java process has ended or ends "
        f"({type(error).__name__}); take it again once the job has restarted"
    )
