"""What the parts of a connector know about the place they run in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from logging import Logger
from typing import Any

from datastream.metrics import MetricGroup
from datastream.types import TypeInformation

from .spool import Spool


@dataclass(frozen=True)
class EnumeratorContext:
    """The place of a `SplitEnumerator`: beside the driver.

    Attributes:
        job_id: The job's id; it stays the same over restarts from one checkpoint directory.
        uid: The source's stable name in the job.
        parallelism: Number of subtasks of the source.
        logger: For what people should read.
        spool: Durable notes of this source.
    """

    job_id: str
    uid: str
    parallelism: int
    logger: Logger
    spool: Spool


@dataclass(frozen=True)
class ReaderContext:
    """The place of a `SourceReader`: a worker process.

    It names no subtask: a worker runs now this one and now that one, and a reader reads the splits of any of them.

    Attributes:
        job_id: The job's id; it stays the same over restarts from one checkpoint directory.
        uid: The source's stable name in the job.
        parallelism: Number of subtasks of the source.
        timestamps: Whether the job uses the timestamps of the records. If not, batches need none.
        metrics: Where metrics are registered; what they count in an epoch that fails does not count.
        logger: For what people should read.
        spool: Durable notes of this source.
    """

    job_id: str
    uid: str
    parallelism: int
    timestamps: bool
    metrics: MetricGroup
    logger: Logger
    spool: Spool


@dataclass(frozen=True)
class WriterContext:
    """The place of a `SinkWriter`: one subtask of the sink, in a worker process.

    Attributes:
        job_id: The job's id; it stays the same over restarts from one checkpoint directory.
        uid: The sink's stable name in the job.
        subtask: Index of the subtask, from 0.
        parallelism: Number of subtasks of the sink.
        metrics: Where metrics are registered; what they count in an epoch that fails does not count.
        logger: For what people should read.
        spool: Durable notes of this sink.
        record_type: The declared type of the records, which were tested; None: nothing is known.
    """

    job_id: str
    uid: str
    subtask: int
    parallelism: int
    metrics: MetricGroup
    logger: Logger
    spool: Spool
    record_type: TypeInformation | None = None


@dataclass(frozen=True)
class CommitterContext:
    """The place of a `Committer`: beside the driver.

    Attributes:
        job_id: The job's id; it stays the same over restarts from one checkpoint directory.
        uid: The sink's stable name in the job.
        parallelism: Number of subtasks of the sink.
        logger: For what people should read.
        spool: Durable notes of this sink.
        ask_driver: Has the sink's part in the driver do something with a value that pickle takes, waits for it, and
            raises what that has raised; None: there is no such part, as on the local executor.
    """

    job_id: str
    uid: str
    parallelism: int
    logger: Logger
    spool: Spool
    ask_driver: Callable[[Any], None] | None = None
