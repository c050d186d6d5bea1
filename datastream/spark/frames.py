"""DataFrames in a job: the driver's part of `SparkSource` and `SparkSink`."""

from __future__ import annotations

import logging
import re
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.sql.types import StructType

from datastream.connectors.spark.batches import Batches
from datastream.connectors.spark.committer import EpochFiles
from datastream.connectors.spark.sink import SparkSink
from datastream.connectors.spark.source import SparkSource
from datastream.errors import CheckpointInUse, DataStreamError, UnsupportedOperation, ValidationError, cut
from datastream.graph import Plan
from datastream.graph.operators import Source
from datastream.io import Spool
from datastream.runtime.user_errors import user_failure
from datastream.types import RowTypeInfo

from .checkpoints.damage import numbers_in
from .checkpoints.lock import lock_folder, note_java
from .failures import frame_failed, frame_stopped
from .java_objects import java_context, java_query
from .process.session import session
from .types import from_spark_type, to_spark_type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_LOGGER = logging.getLogger("datastream")

#: Timestamps of files are points in time of microseconds, which INT96 is not.
_TIMESTAMPS = "spark.sql.parquet.outputTimestampType"
_TIMES = "spark.sql.timeType.enabled"
_STOP_TIMEOUT = "spark.sql.streaming.stopTimeout"
#: What stands for other characters in a path that is read, unless it is escaped.
_PATTERN = re.compile(r"[{}\[\]*?\\]")


def describe_frame(frame: Any, name: str, master: str, properties: dict[str, str]) -> tuple[RowTypeInfo, bool]:
    """The type of a DataFrame's rows, and whether it is a stream.

    Args:
        frame: The DataFrame, or a function of a session that makes it.
        name: Of the source, for errors.
        master: Spark's master.
        properties: Settings, of the session too.

    Raises:
        ValidationError: It is none, or a column has a type that has no counterpart.
    """
    made = made_frame(frame, name, _with_times(session.for_job(master, properties)) if callable(frame) else None)
    try:
        row_type = from_spark_type(made.schema)
    except ValidationError as error:
        raise ValidationError(f"the DataFrame of '{name}': {error}") from None
    assert isinstance(row_type, RowTypeInfo)
    return row_type, bool(made.isStreaming)


def made_frame(frame: Any, name: str, spark: SparkSession | None) -> DataFrame:
    """A DataFrame, perhaps made by a function.

    Raises:
        ValidationError: The function has returned something else.
        UnsupportedOperation: It is of a Spark that is gone, or of another server.
    """
    from pyspark.sql.classic.dataframe import DataFrame

    made = frame(spark) if callable(frame) else frame
    if not isinstance(made, DataFrame):
        if hasattr(made, "isStreaming"):
            raise UnsupportedOperation(
                f"the DataFrame of '{name}' is one of Spark Connect; use a session of this process"
            )
        what = f"the function of '{name}' must return" if callable(frame) else f"'{name}' needs"
        raise ValidationError(f"{what} a DataFrame of Spark, got {cut(made)}")
    if java_context(made.sparkSession) is None:
        raise UnsupportedOperation(
            f"the DataFrame of '{name}' is of a Spark session that has ended; give a function that makes it: "
            "lambda spark: spark.readStream..."
        )
    return made


class Frames:
    """The queries that feed a job's sources, and the functions of its sinks, in its driver.

    Args:
        plan: The job's.
    """

    def __init__(self, plan: Plan) -> None:
        self._sources = [op for op in plan.sources if isinstance(op.source, SparkSource)]
        self._sinks = {op.state_uid: op for op in plan.sinks if isinstance(op.sink, SparkSink)}
        self._locks: list[IO[str]] = []
        self._feeds: list[_Feed] = []

    def start(self, spark: SparkSession, spool: str | None) -> None:
        """Start the queries.

        Args:
            spark: The job's session.
            spool: The folder of the notes of all sources and sinks.
        """
        first = not self._locks
        if self._sources:
            _quieten()
        try:
            for op in self._sources:
                source = op.source
                assert isinstance(source, SparkSource)
                batches = source.batches(Spool(spool, op.state_uid))
                try:
                    if first and source.location is not None:
                        self._lock(op, Path(source.location))
                    batches.open()
                except OSError as error:
                    raise frame_failed(op, error) from error
                feed = _Feed(op, source, batches)
                self._feeds.append(feed)
                feed.start(spark)
            for lock in self._locks:
                if (java := session.java_pid()) is not None:
                    note_java(lock, java)
        except BaseException:
            self.stop()
            raise

    def call(self, spark: SparkSession, files: EpochFiles) -> None:
        """Call the function of a sink with the rows of an epoch. In a thread that waits for it.

        Args:
            spark: The job's session.
            files: The rows.

        Raises:
            WorkerFailure: The function has failed.
        """
        op = self._sinks[files.uid]
        sink = op.sink
        assert isinstance(sink, SparkSink)
        try:
            own = _with_times(spark.newSession())
            schema = to_spark_type(sink.row_type)
            assert isinstance(schema, StructType)
            paths = [_PATTERN.sub(r"\\\g<0>", _path_for_spark(path)) for path in files.paths]
            frame = own.read.schema(schema).parquet(*paths)
            sink.function(frame, files.epoch)
        except BaseException as error:
            name = getattr(sink.function, "__qualname__", type(sink.function).__qualname__)
            raise user_failure(error, op, name, trace=error.__traceback__) from error

    def check(self) -> None:
        """See that no query has failed.

        Raises:
            DataStreamError: One has.
        """
        for feed in self._feeds:
            feed.check()

    def stop(self) -> None:
        """Stop the queries."""
        feeds, self._feeds = self._feeds, []
        for feed in feeds:
            feed.stop()

    def release(self) -> None:
        """The job is over: another one may have its locations."""
        while self._locks:
            self._locks.pop().close()

    def _lock(self, op: Source, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            self._locks.append(lock_folder(folder))
        except CheckpointInUse as error:
            raise CheckpointInUse(f"the location of '{op.name}' is that of another running job: {error}") from None


def _quieten() -> None:
    """Keep PySpark from logging Java's stacks where an error is raised: the job's own error says what has failed."""
    from pyspark.logger import PySparkLogger

    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)


def _with_times(spark: SparkSession) -> SparkSession:
    """A session, which from now on has the type TIME."""
    spark.conf.set(_TIMES, "true")
    return spark


def _path_for_spark(path: str) -> str:
    """A path on this machine, as Spark takes it: no character is escaped, as it would be in a URI."""
    return f"file://{path}"


def _has_finished(checkpoint: Path) -> bool:
    """Whether a query, which does not run, has finished the last batch that it began."""
    began, finished = (max(numbers_in(checkpoint / name), default=-1) for name in ("offsets", "commits"))
    return began == finished


class _Feed:
    """The query of a source's DataFrame, or the one batch of one that is no stream.

    Args:
        op: The source's operator.
        source: The source.
        batches: Where it writes.
    """

    def __init__(self, op: Source, source: SparkSource, batches: Batches) -> None:
        self._op, self._source, self._batches = op, source, batches
        self._query: Any = None
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._noting = threading.Lock()
        self._stopped = False

    def start(self, spark: SparkSession) -> None:
        source, batches = self._source, self._batches
        if not source.available_now and batches.end() is not None:
            return  # it was written by an earlier run
        try:
            frame = made_frame(source.frame, self._op.name, _with_times(spark.newSession()))
        except DataStreamError:
            raise
        except Exception as error:
            raise frame_failed(self._op, error) from error
        self._check(frame)
        if not frame.isStreaming:
            self._thread = threading.Thread(target=self._write_all, args=(frame,), daemon=True, name="datastream-frame")
            self._thread.start()
            return
        batches.set_end(None)
        frame.sparkSession.conf.set(_STOP_TIMEOUT, "20s")
        writer = frame.writeStream.foreachBatch(self._write).outputMode(source.output_mode)
        writer = writer.option("checkpointLocation", _path_for_spark(batches.query))
        try:
            if source.available_now:
                writer = writer.trigger(availableNow=True)
            elif source.trigger is not None:
                writer = writer.trigger(processingTime=source.trigger)
            self._query = writer.start()
        except Exception as error:
            raise frame_failed(self._op, error) from error

    def _check(self, frame: DataFrame) -> None:
        """See that a DataFrame is as it was when the job was defined."""
        if from_spark_type(frame.schema) != self._source.row_type:
            raise ValidationError(
                f"the DataFrame of '{self._op.name}' has the rows {from_spark_type(frame.schema)!r}, and the source is "
                f"declared with {self._source.row_type!r}"
            )
        if self._source.bounded != (not frame.isStreaming or self._source.available_now):
            raise ValidationError(
                f"the DataFrame of '{self._op.name}' is {'a' if frame.isStreaming else 'no'} stream, and the source is "
                f"declared with bounded={self._source.bounded}"
            )

    def _write(self, frame: DataFrame, number: int) -> None:
        """Write a batch, unless it was written before a crash."""
        if self._batches.files_of(number) is not None or number < self._batches.removed():
            return
        rows = self._batches.new_rows(number)
        frame.sparkSession.conf.set(_TIMESTAMPS, "TIMESTAMP_MICROS")  # of the query's own copy of the session
        frame.write.parquet(_path_for_spark(rows))
        with self._noting:
            if self._stopped:  # the batch must not count as written: the next query writes it
                raise InterruptedError(f"the query of '{self._op.name}' was stopped")
            self._batches.note(number, rows)

    def _write_all(self, frame: DataFrame) -> None:
        try:
            conf = frame.sparkSession.conf
            before = conf.get(_TIMESTAMPS)
            try:
                self._write(frame, 0)
            finally:
                conf.set(_TIMESTAMPS, str(before))
            self._batches.set_end(1)
        except BaseException as error:
            self._failure = error

    def check(self) -> None:
        """See that nothing has failed; and, if the query has read all that there is, say so."""
        if self._failure is not None:
            raise frame_failed(self._op, self._failure)
        if self._query is None or self._query.isActive:
            return
        failure = java_query(self._query).exception()
        if failure.isDefined():
            raise frame_failed(self._op, failure.get())
        if not self._source.available_now or not _has_finished(Path(self._batches.query)):
            raise frame_stopped(self._op)
        self._query = None
        self._batches.set_end(self._batches.following())

    def stop(self) -> None:
        """Stop the query. What it writes meanwhile does not count."""
        with self._noting:
            self._stopped = True
        query, self._query = self._query, None
        if query is not None:
            try:
                query.stop()
            except (Py4JError, OSError):
                pass  # Java has gone, and the query with it
            except Exception:
                _LOGGER.warning("the query of the DataFrame of '%s' did not stop in time", self._op.name)
