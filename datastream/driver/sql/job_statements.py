"""SHOW JOBS, DESCRIBE JOB and STOP JOB: the jobs of the session."""

from __future__ import annotations

import re
from collections.abc import Iterable

from datastream.errors import ValidationError
from datastream.table import DataTypes, TableResult
from datastream.table.results.table_result import given_rows

from .jobs import Jobs, StartedJob
from .splitting import Statement

_STOP = re.compile(
    r"STOP\s+JOB\s+'(?P<id>[^']*)'(?P<savepoint>\s+WITH\s+SAVEPOINT)?(?P<drain>\s+WITH\s+DRAIN)?", re.IGNORECASE
)
_DESCRIBE = re.compile(r"DESC(?:RIBE)?\s+JOB\s+'(?P<id>[^']*)'", re.IGNORECASE)


def shown_jobs(jobs: Jobs) -> TableResult:
    """What SHOW JOBS returns: the columns are Flink's."""
    return _table(jobs.all)


def described_job(jobs: Jobs, statement: Statement) -> TableResult:
    """What DESCRIBE JOB returns: the columns are Flink's.

    Raises:
        ValidationError: there is no such job, or the statement is not written so.
    """
    said = _DESCRIBE.fullmatch(statement.text)
    if said is None:
        raise ValidationError("expected DESCRIBE JOB '<id>'; SHOW JOBS lists the jobs")
    return _table([jobs.find(said["id"])])


def stopped_job(jobs: Jobs, statement: Statement) -> TableResult | None:
    """Carry out STOP JOB; returns where the savepoint is, if there is to be one.

    Raises:
        ValidationError: there is no such job, or the statement is not written so.
    """
    said = _STOP.fullmatch(statement.text)
    if said is None:
        raise ValidationError("expected STOP JOB '<id>' [WITH SAVEPOINT] [WITH DRAIN]; SHOW JOBS lists the jobs")
    if said["drain"] and not said["savepoint"]:
        raise ValidationError("WITH DRAIN could only be used after WITH SAVEPOINT.")
    job = jobs.find(said["id"]).handle
    if not said["savepoint"]:
        job.cancel()
        return None
    folder = job.stop_with_savepoint(bool(said["drain"]), None)
    return given_rows([("savepoint path", DataTypes.STRING())], [(folder,)])


def _table(jobs: Iterable[StartedJob]) -> TableResult:
    rows = [
        (
            str(job.handle.job_id),
            job.handle.name,
            job.handle.status.name,
            job.since.strftime("%Y-%m-%dT%H:%M:%S.") + f"{job.since.microsecond // 1000:03}{job.since:%z}",
        )
        for job in jobs
    ]
    text = DataTypes.STRING()
    return given_rows([(name, text) for name in ("job id", "job name", "status", "start time")], rows)
