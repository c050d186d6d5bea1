"""How far a worker's task is, as Spark reports it."""

from __future__ import annotations

from typing import NamedTuple

from pyspark import TaskContext


class TaskInfo(NamedTuple):
    """The partition (our subtask), the epoch, and the attempt at the task.

    `attempt` counts from 0 for each task; `unique` differs between any two attempts of the query.
    """

    partition: int
    epoch: int
    attempt: int
    unique: int


def task_info(first_epoch: int) -> TaskInfo:
    """About the task that this worker runs now.

    Args:
        first_epoch: The job's; Spark counts micro-batches from 0.
    """
    context = TaskContext.get()
    assert context is not None, "not in a Spark task"
    epoch = context.getLocalProperty("streaming.sql.batchId")
    assert epoch is not None, "not in a streaming query"
    return TaskInfo(context.partitionId(), first_epoch + int(epoch), context.attemptNumber(), context.taskAttemptId())
