"""Jobs as the database keeps them."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Row, Select, case, delete, func, insert, select, update

from datastream.services.runner.wall_clock import now_ms

from .answers import Refused
from .database import Database, artifacts, exceptions, jobs, samples, savepoints
from .job_states import ACTIVE, CREATED, ENDED, INITIALIZING
from .launchers.launcher import Launch

RUN, CANCEL, STOP = "run", "cancel", "stop"
#: All of a job but what is large.
_LIGHT = [column for column in jobs.c if column.name not in ("plan", "snapshot")]
_BRIEF = ("parallelism", "restarts", "epoch", "records_in", "records_out", "checkpoint")
#: Points that a job's charts have at most; older ones lie further apart.
_SAMPLES = 900
#: Exceptions that are kept of an attempt, and characters of each of their texts.
_EXCEPTIONS, _CHARS = 500, 16_000


@dataclass(frozen=True)
class NewJob:
    """What is known of a job before it runs.

    Attributes:
        id: Its own.
        artifact: Its artifact's.
        launcher: Name of the launcher.
        name: That it was given; None: its own.
        request: As it came, without secrets.
        settings: Of the runner.
    """

    id: str
    artifact: str
    launcher: str
    name: str | None
    request: Mapping[str, Any]
    settings: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class AdoptedJob:
    """A job that runs already.

    Attributes:
        launcher: Name of the launcher that knows its driver.
        kind: ``external`` or ``sql``.
        name: Of the job.
        place: Where its driver is; shown in place of the artifact.
        control_token: Of its driver.
        given_name: A name that is its own while it is active.
        request: What is shown of how it was started, without secrets.
        settings: By which its launcher finds it.
        id: Its own.
        created_ms: When it was started, in ms since 1970.
    """

    launcher: str
    kind: str
    name: str
    place: str
    control_token: str = field(repr=False)
    given_name: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    created_ms: int = field(default_factory=now_ms)


class Jobs:
    """The jobs of a gateway.

    Args:
        database: Where they are.
        folder: In it each job has a folder.
        artifact_folder: Where the artifacts' files are.
        most: Jobs that may be active at once.
    """

    def __init__(self, database: Database, folder: Path, artifact_folder: Path, most: int) -> None:
        self._database, self._folder, self._artifact_folder, self._most = database, folder, artifact_folder, most
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def folder(self, job: str) -> Path:
        """The folder of a job."""
        return self._folder / job

    def add(self, new: NewJob) -> Row[Any]:
        """Note a job that is to be started.

        Raises:
            Refused: Its artifact has gone, an active job has its name, or there are too many active jobs.
        """
        try:
            return self._added(new)
        except BaseException:
            shutil.rmtree(self.folder(new.id), ignore_errors=True)
            raise

    def _added(self, new: NewJob) -> Row[Any]:
        with self._database.write() as connection:
            artifact = connection.execute(select(artifacts).where(artifacts.c.id == new.artifact)).first()
            if artifact is None:
                raise Refused(404, f"there is no artifact {new.artifact[:200]!r}")
            # Sessions of SQL have a limit of their own.
            count = select(func.count()).select_from(jobs).where(jobs.c.state.in_(ACTIVE), jobs.c.kind != "sql")
            active = connection.execute(count).scalar_one()
            if active >= self._most:
                raise Refused(
                    429, f"{active} jobs are active, which is the limit; end one first", {"Retry-After": "30"}
                )
            if new.name is not None:
                same = select(jobs.c.id).where(jobs.c.state.in_(ACTIVE), (jobs.c.given_name == new.name))
                holder = connection.execute(same.limit(1)).scalar()
                if holder is not None:
                    raise Refused(409, f"the job {holder} has the name {new.name!r}; cancel it, or give another name")
            self.folder(new.id).mkdir(parents=True, exist_ok=True, mode=0o700)
            now = now_ms()
            row = {
                "id": new.id,
                "name": new.name,
                "given_name": new.name,
                "state": CREATED,
                "wanted": RUN,
                "artifact_id": artifact.id,
                "artifact_name": artifact.name,
                "kind": artifact.kind,
                "request": dict(new.request),
                "settings": dict(new.settings),
                "launcher": new.launcher,
                "control_token": secrets.token_urlsafe(32),
                "attempt": 1,
                "brief": {},
                "created_ms": now,
                "modified_ms": now,
            }
            connection.execute(insert(jobs).values(row))
            return connection.execute(select(jobs).where(jobs.c.id == new.id)).one()

    def adopt(self, job: AdoptedJob) -> Row[Any]:
        """Note a job that runs already, without an artifact of ours."""
        self.folder(job.id).mkdir(parents=True, exist_ok=True, mode=0o700)
        row = {
            "id": job.id,
            "name": job.name,
            "given_name": job.given_name,
            "state": INITIALIZING,
            "wanted": RUN,
            "artifact_id": "",
            "artifact_name": job.place[:200],
            "kind": job.kind,
            "request": dict(job.request),
            "settings": dict(job.settings),
            "launcher": job.launcher,
            "control_token": job.control_token,
            "attempt": 1,
            "brief": {},
            "created_ms": job.created_ms,
            "modified_ms": now_ms(),
        }
        with self._database.write() as connection:
            connection.execute(insert(jobs).values(row))
            return connection.execute(select(jobs).where(jobs.c.id == job.id)).one()

    def get(self, id: str) -> Row[Any]:
        """A job with its plan and snapshot.

        Raises:
            Refused: There is none of that id.
        """
        with self._database.read() as connection:
            row = connection.execute(select(jobs).where(jobs.c.id == id)).first()
        if row is None:
            raise Refused(404, f"there is no job {id[:200]!r}")
        return row

    def find(self, id: str) -> Row[Any] | None:
        """A job without its plan and snapshot, if there is one."""
        with self._database.read() as connection:
            return connection.execute(select(*_LIGHT).where(jobs.c.id == id)).first()

    def ids(self) -> list[Row[Any]]:
        """Ids and states of all jobs, the newest first."""
        return self._list(select(jobs.c.id, jobs.c.state).order_by(jobs.c.created_ms.desc(), jobs.c.id))

    def latest(self, most: int) -> list[Row[Any]]:
        """The jobs without their plans and snapshots, those that are active first, then the newest."""
        active_first = case((jobs.c.state.in_(ACTIVE), 0), else_=1)
        return self._list(select(*_LIGHT).order_by(active_first, jobs.c.created_ms.desc(), jobs.c.id).limit(most))

    def active(self) -> list[Row[Any]]:
        """Those that have not ended, without their plans and snapshots."""
        return self._list(select(*_LIGHT).where(jobs.c.state.in_(ACTIVE)))

    def ended_before(self, launcher: str, latest: int) -> list[Row[Any]]:
        """The ended jobs of a launcher but the latest ones."""
        ended = select(*_LIGHT).where(jobs.c.launcher == launcher, jobs.c.state.in_(ENDED))
        return self._list(ended.order_by(jobs.c.created_ms.desc(), jobs.c.id).offset(latest))

    def counts(self) -> dict[str, int]:
        """State -> jobs."""
        with self._database.read() as connection:
            rows = connection.execute(select(jobs.c.state, func.count()).group_by(jobs.c.state))
            return {row[0]: row[1] for row in rows}

    def change(self, id: str, **values: Any) -> None:
        """Change what is noted of a job."""
        if "snapshot" in values:
            values["brief"] = {name: values["snapshot"][name] for name in _BRIEF}
        with self._database.write() as connection:
            connection.execute(update(jobs).where(jobs.c.id == id).values(modified_ms=now_ms(), **values))

    def note_state(self, row: Row[Any], state: str) -> None:
        """Change the state of a job that has not ended, if it is another one."""
        if row.state != state:
            with self._database.write() as connection:
                still = update(jobs).where(jobs.c.id == row.id, jobs.c.state.in_(ACTIVE))
                connection.execute(still.values(modified_ms=now_ms(), state=state))

    def want(self, id: str, wanted: str, state: str) -> None:
        """Note what is wanted of a job.

        Raises:
            Refused: There is none of that id, or it has ended.
        """
        with self._database.write() as connection:
            row = connection.execute(select(jobs.c.state).where(jobs.c.id == id)).first()
            if row is None:
                raise Refused(404, f"there is no job {id[:200]!r}")
            if row.state in ENDED:
                raise Refused(409, f"the job has ended already: {row.state}")
            connection.execute(update(jobs).where(jobs.c.id == id).values(wanted=wanted, state=state))

    def launch(self, row: Row[Any], attempt: int | None = None) -> Launch:
        """An attempt of a job; None: the one that it is at."""
        return Launch(
            job=row.id,
            attempt=attempt or row.attempt,
            artifact=self._artifact_folder / row.artifact_id / row.artifact_name,
            kind=row.kind,
            folder=self.folder(row.id),
            settings=row.settings,
            control_token=row.control_token,
        )

    def forget(self, id: str) -> None:
        """Delete all rows of a job."""
        with self._database.write() as connection:
            for table, column in (
                (samples, samples.c.job),
                (exceptions, exceptions.c.job),
                (savepoints, savepoints.c.job),
                (jobs, jobs.c.id),
            ):
                connection.execute(delete(table).where(column == id))

    # -- Points of charts --------------------------------------------------------------------------------------------
    def add_sample(self, id: str, content: Mapping[str, Any]) -> None:
        """Note a point; if there are too many, every second one of the older half goes."""
        with self._database.write() as connection:
            connection.execute(insert(samples).values(job=id, seq=content["seq"], content=dict(content)))
            if content["seq"] % 50 == 0:
                of_job = select(samples.c.seq).where(samples.c.job == id).order_by(samples.c.seq)
                there = list(connection.execute(of_job).scalars())
                if len(there) > _SAMPLES:
                    gone = there[1 : len(there) // 2 : 2]
                    connection.execute(delete(samples).where(samples.c.job == id, samples.c.seq.in_(gone)))

    def last_seq(self, id: str) -> int:
        """The number of the latest point; 0: there is none."""
        with self._database.read() as connection:
            found = connection.execute(select(func.max(samples.c.seq)).where(samples.c.job == id)).scalar()
        return found or 0

    def last_rates(self, ids: Iterable[str]) -> dict[str, float]:
        """Job -> records read a second, by its latest point."""
        latest = (
            select(samples.c.job, func.max(samples.c.seq).label("seq"))
            .where(samples.c.job.in_(list(ids)))
            .group_by(samples.c.job)
            .subquery()
        )
        points = select(samples).join(latest, (samples.c.job == latest.c.job) & (samples.c.seq == latest.c.seq))
        with self._database.read() as connection:
            return {row.job: row.content["records_in_s"] for row in connection.execute(points)}

    def samples(self, id: str, since: int) -> list[dict[str, Any]]:
        """The points after a number, oldest first."""
        later = select(samples.c.content).where(samples.c.job == id, samples.c.seq > since).order_by(samples.c.seq)
        with self._database.read() as connection:
            return list(connection.execute(later).scalars())

    # -- What went wrong ---------------------------------------------------------------------------------------------
    def add_exceptions(self, id: str, attempt: int, found: Iterable[Mapping[str, Any]]) -> None:
        """Note exceptions that are not known yet."""
        with self._database.write() as connection:
            here = (exceptions.c.job == id) & (exceptions.c.attempt == attempt)
            known = set(connection.execute(select(exceptions.c.number).where(here)).scalars())
            for one in found:
                if one["number"] not in known and len(known) < _EXCEPTIONS:
                    known.add(one["number"])
                    row = {"job": id, "attempt": attempt, "number": one["number"], "content": _cut(one)}
                    connection.execute(insert(exceptions).values(row))

    def exceptions(self, id: str) -> list[dict[str, Any]]:
        """The exceptions of a job, newest first."""
        of_job = select(exceptions).where(exceptions.c.job == id)
        newest = of_job.order_by(exceptions.c.attempt.desc(), exceptions.c.number.desc()).limit(200)
        with self._database.read() as connection:
            return [{**row.content, "attempt": row.attempt} for row in connection.execute(newest)]

    # -- Savepoints --------------------------------------------------------------------------------------------------
    def begin_savepoint(self, id: str, kind: str, directory: str) -> str:
        """Note a savepoint that is being taken; the id of the request."""
        request = secrets.token_hex(16)
        with self._database.write() as connection:
            row = {"id": request, "job": id, "kind": kind, "status": "IN_PROGRESS", "directory": directory}
            connection.execute(insert(savepoints).values(**row, created_ms=now_ms()))
        return request

    def end_savepoint(self, request: str, location: str | None, error: str | None) -> None:
        """Note how a savepoint ended."""
        status = "COMPLETED" if error is None else "FAILED"
        with self._database.write() as connection:
            values = {"status": status, "location": location, "error": error, "ended_ms": now_ms()}
            connection.execute(update(savepoints).where(savepoints.c.id == request).values(values))

    def savepoints(self, id: str) -> list[Row[Any]]:
        """The savepoints of a job, newest first."""
        return self._list(select(savepoints).where(savepoints.c.job == id).order_by(savepoints.c.created_ms.desc()))

    def last_savepoints(self, ids: Iterable[str]) -> dict[str, str]:
        """Job -> where its latest savepoint is."""
        there = savepoints.c.job.in_(list(ids)) & savepoints.c.location.is_not(None)
        rows = self._list(select(savepoints).where(there).order_by(savepoints.c.created_ms))
        return {row.job: row.location for row in rows}

    def savepoints_in_progress(self) -> list[Row[Any]]:
        """Those that an earlier gateway was waiting for."""
        return self._list(select(savepoints).where(savepoints.c.status == "IN_PROGRESS"))

    def _list(self, query: Select[Any]) -> list[Row[Any]]:
        with self._database.read() as connection:
            return list(connection.execute(query))


def _cut(exception: Mapping[str, Any]) -> dict[str, Any]:
    """An exception with texts of a sensible length."""
    return {
        name: value[:_CHARS] + " [...]" if isinstance(value, str) and len(value) > _CHARS else value
        for name, value in exception.items()
    }
