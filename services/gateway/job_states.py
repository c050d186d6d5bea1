"""States of a job, by Flink's names."""

from __future__ import annotations

from datastream.job.job_status import JobStatus

CREATED = JobStatus.CREATED.name
INITIALIZING = JobStatus.INITIALIZING.name
RUNNING = JobStatus.RUNNING.name
RESTARTING = JobStatus.RESTARTING.name
CANCELLING = JobStatus.CANCELLING.name
RECONCILING = JobStatus.RECONCILING.name
FINISHED = JobStatus.FINISHED.name
CANCELED = JobStatus.CANCELED.name
FAILED = JobStatus.FAILED.name

#: A driver runs, or is to be started.
ACTIVE = (CREATED, INITIALIZING, RUNNING, RESTARTING, CANCELLING, RECONCILING)
ENDED = (FINISHED, CANCELED, FAILED)
