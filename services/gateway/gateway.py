"""The gateway as a whole, without HTTP."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Row
from sqlalchemy.exc import SQLAlchemyError

from datastream.errors import ValidationError

from . import data_lock
from .adoption import Adoption
from .artifacts import Artifacts
from .data_lock import DataInUse
from .database import Database, sqlite_url
from .driver_client import DriverClient
from .jobs import Jobs
from .launchers.external_drivers import VARIABLE as EXTERNAL
from .launchers.external_drivers import read_external
from .launchers.launcher import Launcher
from .launchers.sql import SqlLauncher
from .launchers.sql_notes import SqlNotes
from .metrics import GatewayMetrics
from .packed import UnpackLimits
from .plans import Plans
from .settings import GatewaySettings
from .sql.adoption import SqlAdoption
from .sql.sessions import Sessions, notes_folder
from .supervisor import Supervisor
from .tokens import Tokens

#: A pod fetches its artifact within this time.
_FETCH_S = 3600.0
#: How often it is tested whether something can be written, and by how many bytes.
_LOOK_S, _TRIED_BYTES = 2.0, 64 << 10


class Gateway:
    """Artifacts, jobs and what follows them.

    Args:
        settings: What was set.

    Raises:
        DataInUse: Another gateway has the data folder.
        DatabaseError: The database cannot be used.
        ValidationError: A launcher cannot be made as it is set.
    """

    def __init__(self, settings: GatewaySettings) -> None:
        self.settings = settings
        self.data = data_folder(settings)
        self.lock = data_lock.lock(self.data)
        self.database = open_database(settings)
        _own(self.data, self.database)
        self.tokens = Tokens(self.database)
        work = self.data / "work"
        work.mkdir(exist_ok=True, mode=0o700)
        files = self.data / "artifacts"
        self.artifacts = Artifacts(self.database, files, UnpackLimits(settings.max_unpacked), settings.max_artifacts)
        self.jobs = Jobs(self.database, self.data / "jobs", files, settings.max_jobs)
        self.plans = Plans(work)
        self.sql = Sessions(work, settings.sql_sessions, settings.sql_idle_s)
        sql_notes = SqlNotes(notes_folder(work))
        self.launchers = {
            **_launchers(settings, self.data, work, self.tokens),
            SqlLauncher.name: SqlLauncher(sql_notes, self.data / "savepoints"),
        }
        self.client = DriverClient()
        self.supervisor = Supervisor(self.jobs, self.launchers, self.client)
        self.adoption = Adoption(self.jobs, self.launchers.get("external"), self.client)
        self.sql_jobs = SqlAdoption(self.jobs, sql_notes, self.forget)
        self.metrics = GatewayMetrics(self.jobs, self.launchers)
        self._not_ready: str | None = None
        self._looked, self._looking = -_LOOK_S, threading.Lock()
        #: It ends: whoever follows a log stops.
        self.closing = False

    @property
    def launcher(self) -> str:
        """Name of the launcher of jobs that name none."""
        return next(iter(self.launchers))

    def start(self) -> None:
        """Follow the jobs that there are."""
        self.supervisor.start()
        self.adoption.start()
        self.sql_jobs.start()

    def forget(self, job: Row[Any]) -> None:
        """Delete an ended job with its log, metrics and checkpoint."""
        launcher = self.launchers.get(job.launcher)
        folder = self.jobs.folder(job.id)
        if launcher is not None:
            launcher.forget(job.id, folder)
        self.jobs.forget(job.id)
        self.supervisor.forget(job.id)
        shutil.rmtree(folder, ignore_errors=True)

    def drop(self, job: Row[Any]) -> None:
        """Leave nothing of a job that could not be started."""
        try:
            self.forget(job)
        except SQLAlchemyError:  # it goes as soon as the database lets it
            self.supervisor.cancel(job.id)

    def why_not_ready(self) -> str | None:
        """Why the gateway cannot work: nothing can be written; None: it can. Looked at anew every other second."""
        if time.monotonic() - self._looked >= _LOOK_S and self._looking.acquire(blocking=False):
            try:
                self._not_ready = self._tried()
                self._looked = time.monotonic()
            finally:
                self._looking.release()
        return self._not_ready

    def _tried(self) -> str | None:
        try:
            self.database.try_to_write()
        except SQLAlchemyError as error:
            return f"database: {type(error).__name__}"
        file = self.data / ".ready"
        try:
            file.write_bytes(bytes(_TRIED_BYTES))
        except OSError as error:
            return f"data folder: {error.strerror or error}"
        finally:
            with suppress(OSError):
                file.unlink(missing_ok=True)
        return None

    def close(self) -> None:
        """End it; jobs go on."""
        self.closing = True
        self.sql.close_all()
        self.adoption.close()
        self.sql_jobs.close()
        self.supervisor.close()
        for launcher in self.launchers.values():
            launcher.close()
        self.client.close()
        self.database.close()
        self.lock.close()


def data_folder(settings: GatewaySettings) -> Path:
    """The folder of the gateway's data, which no other user may read. One that is there stays as it is.

    Raises:
        ValidationError: Others may look into it.
    """
    folder = settings.data.expanduser().absolute()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    about = folder.stat()
    mode = stat.S_IMODE(about.st_mode)
    if _is_open(mode, about.st_uid == os.geteuid()):
        raise ValidationError(
            f"the data folder {folder} has the mode {mode:04o}, so that others than its owner may look into it, and "
            f"secrets are in it: chmod 700 {folder} if it is the gateway's alone, or give another --data"
        )
    return folder


def _is_open(mode: int, own: bool) -> bool:
    """Whether a folder with this mode is not private."""
    if not own:  # a mount, such as a volume of Kubernetes, but not /tmp
        return bool(mode & stat.S_ISVTX)
    # The group of a volume is the pod's own; Kubernetes sets its bit.
    return bool(mode & (stat.S_IRWXO if mode & stat.S_ISGID else stat.S_IRWXO | stat.S_IRWXG))


def _own(data: Path, database: Database) -> None:
    """See that a database belongs to this data folder: with another's jobs it would start their drivers once more.

    Raises:
        DataInUse: It belongs to another one.
    """
    file = data / "gateway.id"
    if not file.exists():
        file.write_text(secrets.token_hex(16))
    if not database.claim(file.read_text().strip()):
        raise DataInUse(
            f"the database belongs to a gateway with another data folder than {data}: give that folder by --data, or "
            "another --database"
        )


def open_database(settings: GatewaySettings) -> Database:
    """The gateway's database."""
    return Database(settings.database or sqlite_url(data_folder(settings) / "gateway.db"))


def _launchers(settings: GatewaySettings, data: Path, work: Path, tokens: Tokens) -> Mapping[str, Launcher]:
    """The launchers that were asked for, the default one first."""
    found: dict[str, Launcher] = {}
    for name in settings.launcher:
        if name == "process":
            from .launchers.processes import ProcessLauncher

            found[name] = ProcessLauncher(work, data / "savepoints", settings.pool)
        elif name == "docker":
            from .launchers.docker import DockerLauncher

            found[name] = DockerLauncher()
        elif name == "kubernetes":
            from .launchers.kubernetes import KubernetesLauncher

            found[name] = KubernetesLauncher(
                None, lambda of, artifact: tokens.make_for_artifact(of, artifact, _FETCH_S)
            )
    if file := os.environ.get(EXTERNAL):
        from .launchers.external import ExternalLauncher

        external = ExternalLauncher(read_external(Path(file)))
        found[external.name] = external
    return found
