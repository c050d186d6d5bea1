"""The life of a job's query: start, epochs, end of input, failure, cancel."""

from __future__ import annotations

import json
import logging
import os
import queue
import re
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError

from datastream.errors import (
    DataStreamError,
    FunctionError,
    JobError,
    WorkerError,
    WorkerFailure,
    find_failure,
    without_failures,
)
from datastream.graph import JobGraph, Plan
from datastream.job import JobID
from datastream.job.handle import JobHandle, JobOptions
from datastream.runtime.enumerators import Enumerators
from datastream.runtime.program import JobSpec, Program, pack
from datastream.runtime.sinking import EpochReport

from .checkpoint import Checkpoint, acquire
from .process import session
from .stages.reporting import Exhausted

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

    from .stages.reporting import Reports

_LOGGER = logging.getLogger("datastream")

_POLL_S = 0.1
_LAST_REPORT_S = 60
_NOT_LOST = (
    "nothing is lost: with a --checkpoint-dir the job goes on from the last committed epoch when it is started again"
)


def start(graph: JobGraph, options: JobOptions) -> SparkJob:
    """Start a job on Spark and return at once.

    Raises:
        NotSerializableError: a function cannot travel to the workers.
        CheckpointError: the checkpoint folder is in use or belongs to another job.
        JavaError: no usable Java.
    """
    plan = Plan.of(graph)
    for source in plan.sources:
        source.source.validate()
    for sink in plan.sinks:
        sink.sink.validate()
    pack(JobSpec(graph, "", "", {}))  # fails early, before anything is started or touched
    if not options.checkpoint_dir:
        for op in plan.sinks:
            if op.sink.consumed.needs_checkpoint:
                _LOGGER.warning(
                    "'%s' is to write exactly once, but there is no checkpoint folder: started again, the job begins "
                    "anew and writes everything again; give --checkpoint-dir, or set execution.checkpointing.dir",
                    op.name,
                )
    checkpoint = acquire(options.checkpoint_dir, plan) if options.checkpoint_dir else None
    for listener in options.listeners:
        listener.on_start(graph)
    try:
        return SparkJob(plan, options, checkpoint)
    except BaseException as error:
        if checkpoint is not None:
            checkpoint.release()
        for listener in options.listeners:
            listener.on_end("FAILED", error)
        raise


class SparkJob(JobHandle):
    """One Structured Streaming query."""

    def __init__(self, plan: Plan, options: JobOptions, checkpoint: Checkpoint | None) -> None:
        spark = session.for_job(options.master, options.properties, options.log_file)
        run = JobID()
        graph = plan.graph
        super().__init__(JobID(checkpoint.job_id) if checkpoint else run, graph, options)
        self._plan = plan
        self._checkpoint = checkpoint
        local = session.is_local(spark.sparkContext.master)
        from .process.gateway import new_authkey
        from .process.shipping import ship_user_code
        from .stages.level import add_level
        from .stages.reporting import Reports
        from .stages.sink import job_sink
        from .stages.source import job_source

        folder = session.run_folder()
        self._temporary = None if checkpoint else tempfile.mkdtemp(prefix="checkpoint-", dir=folder)
        path = checkpoint.path if checkpoint else self._temporary
        assert path is not None
        authkey = new_authkey()
        self._reports: Reports = Reports(folder, str(run), authkey)
        spec = self._spec = JobSpec(
            graph=graph,
            job_id=str(self.job_id),
            run_id=str(run),
            parameters=options.parameters,
            epoch_records=options.epoch_records,
            epoch_ms=options.epoch_ms,
            report=(self._reports.address, authkey),
            types_check=options.types_check,
            serializers=options.serializers,
            warnings=options.warnings,
            spool_dir=None if "://" in path else os.path.join(path, "spool"),
        )
        if not local:
            ship_user_code(spark, options.python_files, folder)
        payload = pack(spec, tuple(p or os.getcwd() for p in sys.path) if local else ())
        if checkpoint is not None:
            checkpoint.note_java(session.java_pid())
        name = f"job_{run}"
        spark.dataSource.register(job_source(payload, f"{name}_source"))
        spark.dataSource.register(job_sink(payload, f"{name}_sink"))
        spark.conf.set("spark.sql.shuffle.partitions", str(plan.width))
        df = spark.readStream.format(f"{name}_source").load()
        for level in plan.levels[1:]:
            df = add_level(df, payload, level, plan.width)
        writer = df.writeStream.format(f"{name}_sink").outputMode("append").queryName(graph.name)
        writer = writer.option("checkpointLocation", path).trigger(processingTime=f"{options.trigger_ms} milliseconds")
        try:
            self.query: StreamingQuery = writer.start()
        except Exception as error:
            self._reports.close()
            raise _as_error(error, options.verbose) from error
        self._thread.start()

    def _run(self) -> None:
        try:
            self._follow()
        except DataStreamError:
            raise
        except BaseException as error:
            raise _java_ended() or error from error
        finally:
            self._stop()
            session.show_printed()

    def _release(self) -> None:
        self._reports.close()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
        if self._checkpoint is not None:
            self._checkpoint.release()

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
            if isinstance(message, EpochReport):
                session.show_printed()
                self._take(message.summary, message.collected)
                if message.summary.final:
                    self._await_commit(message.summary.epoch)
                    self._note_finished()
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
        self._stop()
        failure = self.query.exception()
        if failure is not None and not self._cancelled.is_set():
            raise _as_error(failure, self._options.verbose)
        self._commit_sources()

    def _note_finished(self) -> None:
        if self._checkpoint is not None:
            self._checkpoint.note_finished()

    def _stop(self) -> None:
        """No epoch runs any more behind this call, whatever made the job end."""
        with suppress(Py4JError, OSError):  # Java has gone, and the query with it
            if self.query.isActive:
                self.query.stop()

    def _commit_sources(self) -> None:
        """Report the last committed epoch to the sources: the planner does so when the next begins, but none does."""
        end = None
        with suppress(Py4JError, OSError):
            progress = self.query._jsq.lastProgress()
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
            progress = self.query._jsq.lastProgress()
            if progress is not None and progress.batchId() >= epoch:
                return
            time.sleep(0.01)


def _java_ended() -> WorkerError | None:
    """What to say where calls of Java fail because its process has gone."""
    code = session.java_exit_code()
    if code is None:
        return None
    how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
    why = "by somebody, or by the system because memory ran out"
    if session.discard_archive():
        why = "it crashed; its class-data archive, which may be damaged, is deleted"
    return WorkerError(
        f"the job failed: the Java process {how}: {why}\n  {_NOT_LOST}; -D spark.driver.memory=... sets Java's memory"
    )


def _as_error(error: BaseException, verbose: bool) -> JobError:
    """One exception that says what a person needs; Java's stack only on request."""
    text = _whole_text(error)
    failure = find_failure(text)
    if failure is not None:
        found = FunctionError(failure).chained()
        if verbose:
            found.add_note(failure.trace)
            found.add_note(without_failures(text))
        return found
    where = "\n  --verbose shows the whole stack, --log-file FILE keeps Spark's log"
    if "Python worker exited unexpectedly" in text or "EOFException" in text:
        what = (
            "a Python worker process died without a word: killed by the system because memory ran out, by a signal, "
            f"or by a crash in native code\n  {_NOT_LOST}; for memory use a lower parallelism or smaller epochs "
            "(-D datastream.epoch.max-records=100000)"
        )
    elif "No space left on device" in text:
        what = f"the disk is full\n  {_NOT_LOST}"
    else:
        what = _first_line(text)
    found_error = WorkerError(f"the job failed: {what}{where}")
    if verbose:
        found_error.add_note(text)
    if isinstance(error, DataStreamError):
        raise error
    return found_error


def _whole_text(error: BaseException) -> str:
    """What an exception and its causes say: where cleaning up fails too, only a cause tells what came first."""
    texts, known = [], set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in known:
        known.add(id(cause))
        texts.append(str(cause))
        cause = getattr(cause, "_cause", None) or cause.__cause__
    return "\n".join(texts)


def _first_line(text: str) -> str:
    """The most telling line of a Spark exception: the innermost Python error, else the first line."""
    lines = [line.strip().removeprefix(": ") for line in text.splitlines() if line.strip()]
    if lines and lines[0].startswith("An error occurred while calling"):
        del lines[0]
    errors = [line for line in lines if re.match(r"^[\w.]*(Error|Exception|Failure)\b.*:", line)]
    return (errors or lines or ["unknown"])[-1 if errors else 0]
