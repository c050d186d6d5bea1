"""Follows the drivers of all jobs: how they are, what they did, and what is to be done when one has ended."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Row
from sqlalchemy.exc import SQLAlchemyError

from datastream.errors import DataStreamError
from datastream.services.runner.wall_clock import now_ms

from .driver_answers import WrongAnswer, checked_plan, checked_snapshot
from .driver_client import DriverClient, DriverError, DriverIsWrong
from .figures import Window, sample
from .job_states import (
    CANCELED,
    CANCELLING,
    CREATED,
    ENDED,
    FAILED,
    FINISHED,
    INITIALIZING,
    RECONCILING,
    RESTARTING,
    RUNNING,
)
from .jobs import CANCEL, STOP, Jobs
from .launchers.launcher import Absent, Alive, Ended, EngineAway, Launcher
from .launchers.refusal import LaunchRefused
from .log_lines import last_complaint, last_word

_LOGGER = logging.getLogger("datastream")

_LOOK_S = 0.5
#: While a job is being started, people wait.
_LOOK_EARLY_S = 0.1
_SAMPLE_S = 2.0
_HEALTH_S = 10.0
#: A driver that does not answer for so long hangs: it is killed.
_SILENT_S = 300.0
#: A driver that is to end, and does not, is killed after this time.
_CANCEL_S = 20.0
#: The number of invalid answers in a row.
_WRONG = 10
#: Drivers that end without an epoch, one after the other: the job has failed.
_IN_VAIN = 4
_LONGEST_PAUSE_S = 60.0
#: A driver that was killed, that found its port taken or its checkpoint held: another one may do better.
_AGAIN = (None, 3, 75, 143)
_TAIL = 2000


@dataclass
class Attempt:
    """What the supervisor knows of a job's present driver besides the database."""

    url: str | None = None
    planned: bool = False
    exceptions: int = 0
    epochs: int = 0
    sampled: float = 0.0
    looked: float = 0.0
    unhealthy: int = 0
    silent: float = 0.0
    wrong: int = 0


@dataclass
class Followed:
    """What the supervisor knows of a job besides the database."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    window: Window = field(default_factory=Window)
    attempt: Attempt = field(default_factory=Attempt)
    seq: int | None = None
    in_vain: int = 0
    #: A driver made no progress, and was killed or gave up; none has committed an epoch since.
    stuck: bool = False
    start_at: float = 0.0
    cancelled: float | None = None
    #: It was cancelled, and the database does not know of it.
    to_cancel: bool = False


class Supervisor:
    """Keeps the database true, and jobs running.

    Args:
        jobs: The jobs.
        launchers: By name.
        client: Asks drivers.
    """

    def __init__(self, jobs: Jobs, launchers: Mapping[str, Launcher], client: DriverClient) -> None:
        self._jobs, self._launchers, self._client = jobs, launchers, client
        self._followed: dict[str, Followed] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._closed = False
        self._stepping: set[str] = set()
        # A thread for each job, nearly: a driver that is slow to answer keeps no other job waiting.
        self._steps = ThreadPoolExecutor(128, thread_name_prefix="datastream-job")
        self._savepoints = ThreadPoolExecutor(16, thread_name_prefix="datastream-savepoint")
        self._thread = threading.Thread(target=self._main, daemon=True, name="datastream-supervisor")

    def start(self) -> None:
        """Begin, with what an earlier gateway has left."""
        for request in self._jobs.savepoints_in_progress():
            place = request.location or request.directory
            text = f"the gateway was started again while the savepoint was taken; look in {place} whether it is there"
            self._jobs.end_savepoint(request.id, None, text)
        self._thread.start()

    def close(self) -> None:
        """Follow no job any more; drivers go on."""
        self._closed = True
        self._wake.set()
        self._thread.join()
        self._steps.shutdown(cancel_futures=True)
        self._savepoints.shutdown(wait=False, cancel_futures=True)

    def launch(self, row: Row[Any]) -> None:
        """Start the first driver of a job now.

        Raises:
            EngineAway: Its launcher cannot.
            LaunchRefused: Its launcher will not.
        """
        followed = self.followed(row.id)
        with followed.lock:
            self._launchers[row.launcher].start(self._jobs.launch(row))
        self._wake.set()

    def followed(self, job: str) -> Followed:
        """What is known of a job besides the database."""
        with self._lock:
            return self._followed.setdefault(job, Followed())

    def cancel(self, job: str) -> None:
        """Let a job end; where the database cannot be written to that is noted later.

        Raises:
            Refused: There is none of that id, or it has ended.
        """
        try:
            self._jobs.want(job, CANCEL, CANCELLING)
        except SQLAlchemyError as error:
            row = self._jobs.find(job)
            if row is None or row.state in ENDED:
                raise
            _LOGGER.warning("the job %s is cancelled, which cannot be noted yet: %s", job, type(error).__name__)
            self.followed(job).to_cancel = True
        self._wake.set()

    def savepoint(self, row: Row[Any], directory: str | None, stop: bool, drain: bool = False) -> str:
        """Begin a savepoint; the id of the request.

        Raises:
            DriverError: No driver is there to take it.
        """
        url = self.followed(row.id).attempt.url
        if url is None:
            raise DriverError("the job has no driver yet that could take a savepoint; wait until it runs")
        launcher = self._launchers[row.launcher]
        place = directory or launcher.savepoint_dir(row.id, self._jobs.folder(row.id))
        request = self._jobs.begin_savepoint(row.id, "stop" if stop else "savepoint", place)
        token, job = row.control_token, row.id

        def take() -> None:
            try:
                if stop:
                    location = self._client.stop(url, token, place, drain)
                    self._jobs.change(job, wanted=STOP)  # it has done what it should, however its driver ends
                else:
                    location = self._client.savepoint(url, token, place)
                self._jobs.end_savepoint(request, location, None)
            except DataStreamError as error:
                self._jobs.end_savepoint(request, None, str(error))
            self._wake.set()

        self._savepoints.submit(take)
        return request

    def forget(self, job: str) -> None:
        """Drop what is known of an ended job besides the database."""
        with self._lock:
            self._followed.pop(job, None)

    # -- One look at all jobs ----------------------------------------------------------------------------------------
    def _main(self) -> None:
        while not self._closed:
            early = False
            try:
                for row in self._jobs.active():
                    early = early or row.state in (CREATED, INITIALIZING) or not self.followed(row.id).attempt.epochs
                    if row.id not in self._stepping:
                        self._stepping.add(row.id)
                        self._steps.submit(self._step_safely, row.id)
            except Exception:  # a database that is away for a while
                _LOGGER.exception("the jobs cannot be read")
            self._wake.wait(_LOOK_EARLY_S if early else _LOOK_S)
            self._wake.clear()

    def _step_safely(self, job: str) -> None:
        followed = self.followed(job)
        if not followed.lock.acquire(blocking=False):
            self._stepping.discard(job)
            return  # it is being launched
        try:
            row = self._jobs.find(job)
            if row is not None and row.state not in ENDED:
                self._step(row, followed, CANCEL if followed.to_cancel else row.wanted)
            else:  # it ended after this look was begun
                self.forget(job)
        except EngineAway as away:
            if row is not None:
                _LOGGER.debug("the engine of the job %s is away: %s", job, away)
                self._jobs.note_state(row, RECONCILING)
        except Exception:
            _LOGGER.exception("the job %s could not be followed", job)
        finally:
            self._stepping.discard(job)
            followed.lock.release()

    def _step(self, row: Row[Any], followed: Followed, wanted: str) -> None:
        launcher = self._launchers.get(row.launcher)
        if launcher is None:
            raise EngineAway(f"this gateway has no launcher {row.launcher!r}")
        launch = self._jobs.launch(row)
        state = launcher.state(launch)
        match state:
            case Alive(url):
                self._alive(row, followed, launcher, url, wanted)
            case Ended():
                self._ended(row, followed, launcher, state, wanted)
            case Absent():
                self._absent(row, followed, launcher, wanted)

    def _absent(self, row: Row[Any], followed: Followed, launcher: Launcher, wanted: str) -> None:
        if wanted == CANCEL:
            self._end(row, followed, CANCELED)
        elif time.monotonic() >= followed.start_at:
            try:
                launcher.start(self._jobs.launch(row))
            except LaunchRefused as error:
                self._end(row, followed, FAILED, error=str(error))
            else:
                self._jobs.note_state(row, INITIALIZING)

    def _alive(self, row: Row[Any], followed: Followed, launcher: Launcher, url: str | None, wanted: str) -> None:
        now = time.monotonic()
        followed.attempt.url = url
        if wanted == CANCEL and self._cancels(row, followed, launcher, url, now):
            self._jobs.note_state(row, CANCELLING)  # some launchers cannot kill: the job goes on for a while
            return
        if url is None:
            self._jobs.note_state(row, CANCELLING if wanted == CANCEL else INITIALIZING)
            return
        try:
            snapshot = self._client.snapshot(url, row.control_token)
        except DriverIsWrong as error:
            self._wrong(row, followed, launcher, error, wanted)
            return
        except DriverError:  # it starts, ends or is busy; `state` tells when it has gone
            followed.attempt.silent = followed.attempt.silent or now
            if now - followed.attempt.silent >= _SILENT_S:
                _LOGGER.warning("the driver of the job %s does not answer: it is killed, and started again", row.id)
                followed.attempt.silent = 0.0
                launcher.kill(self._jobs.launch(row))
            return
        followed.attempt.silent = 0.0
        try:
            self._note(row, followed, launcher, url, snapshot, wanted)
        except DriverIsWrong as error:
            self._wrong(row, followed, launcher, error, wanted)
            return
        followed.attempt.wrong = 0
        if now - followed.attempt.looked >= _HEALTH_S:
            followed.attempt.looked = now
            followed.attempt.unhealthy = 0 if self._client.healthy(url) else followed.attempt.unhealthy + 1
            if followed.attempt.unhealthy >= 3:
                _LOGGER.warning("the driver of the job %s makes no progress: it is killed, and started again", row.id)
                followed.attempt.unhealthy = 0
                followed.stuck = True
                launcher.kill(self._jobs.launch(row))

    def _wrong(self, row: Row[Any], followed: Followed, launcher: Launcher, error: DriverIsWrong, wanted: str) -> None:
        """A driver's answer cannot be read: after some of them its job has failed."""
        followed.attempt.wrong += 1
        if followed.attempt.wrong >= _WRONG and wanted != CANCEL:
            launcher.kill(self._jobs.launch(row))
            text = f"{error}; is its runner of another version than the gateway? After {_WRONG} of them it was ended"
            self._end(row, followed, FAILED, error=text)

    def _cancels(self, row: Row[Any], followed: Followed, launcher: Launcher, url: str | None, now: float) -> bool:
        """Ask a driver to end; whether it had to be killed."""
        if followed.cancelled is None:
            followed.cancelled = now
        if url is not None:
            with suppress(DriverError):
                self._client.cancel(url, row.control_token)
        if now - followed.cancelled < _CANCEL_S:
            return False
        launcher.kill(self._jobs.launch(row))
        return True

    def _note(
        self, row: Row[Any], followed: Followed, launcher: Launcher, url: str, snapshot: dict[str, Any], wanted: str
    ) -> None:
        """Keep what a driver reports."""
        followed.window.add(snapshot)
        if snapshot["epochs"]:
            followed.in_vain = 0
        if snapshot["epochs"] > followed.attempt.epochs:
            followed.stuck = False
        changed: dict[str, Any] = {}
        if snapshot["name"] and row.name != snapshot["name"][:200]:
            changed["name"] = snapshot["name"][:200]
        if not followed.attempt.planned and snapshot["job_id"] is not None:
            with _unless_silent():
                changed["plan"] = self._client.plan(url, row.control_token)
                followed.attempt.planned = True
        if len(snapshot["exceptions"]) != followed.attempt.exceptions:
            self._jobs.add_exceptions(row.id, row.attempt, snapshot["exceptions"])
            followed.attempt.exceptions = len(snapshot["exceptions"])
        now = time.monotonic()
        if now - followed.attempt.sampled >= _SAMPLE_S or (snapshot["epochs"] and not followed.attempt.epochs):
            followed.attempt.sampled = now
            self._sample(row, followed, launcher.memory(self._jobs.launch(row)))
            changed["snapshot"] = snapshot
        followed.attempt.epochs = snapshot["epochs"]
        if changed:
            self._jobs.change(row.id, **changed)
        self._jobs.note_state(row, CANCELLING if wanted == CANCEL else _state(snapshot))

    def _sample(self, row: Row[Any], followed: Followed, memory_bytes: int | None) -> None:
        if followed.seq is None:
            followed.seq = self._jobs.last_seq(row.id)
        point = sample(followed.window, followed.seq + 1, memory_bytes)
        if point is not None:
            self._jobs.add_sample(row.id, point)
            followed.seq += 1

    # -- The end of a driver -----------------------------------------------------------------------------------------
    def _ended(self, row: Row[Any], followed: Followed, launcher: Launcher, ended: Ended, wanted: str) -> None:
        launch = self._jobs.launch(row)
        lines = list(launcher.lines(launch, _TAIL, None))
        last = last_word(lines, row.control_token) or {}
        self._note_last(row, followed, last)
        launcher.remove(launch)
        followed.attempt.url = None
        if wanted == CANCEL:
            self._end(row, followed, CANCELED, code=ended.code)
        elif ended.code == 0 or (row.wanted == STOP and ended.code is None):
            self._end(row, followed, CANCELED if last.get("cancelled") is True else FINISHED, code=ended.code)
        elif ended.code in _AGAIN:
            self._again(row, followed, ended, last.get("error"))
        elif last.get("gave_up") is True or (followed.stuck and last.get("transient") is True):
            self._again(row, followed, ended, last.get("error"), waits=True)
        else:
            said = last.get("error") or ended.reason or last_complaint(lines)
            error = str(said or f"the driver ended with code {ended.code}")
            self._end(row, followed, FAILED, code=ended.code, error=error, trace=str(last.get("trace") or ""))

    def _note_last(self, row: Row[Any], followed: Followed, last: Mapping[str, Any]) -> None:
        """What a driver did until its end, as its last report says."""
        snapshot, plan = last.get("snapshot"), last.get("plan")
        if not isinstance(snapshot, dict):
            return
        try:
            checked_snapshot(snapshot)
            plan = checked_plan(plan) if isinstance(plan, dict) else None
            followed.window.add(snapshot)
            self._jobs.add_exceptions(row.id, row.attempt, snapshot["exceptions"])
            name = row.name if snapshot["name"] is None else str(snapshot["name"])[:200]
            self._jobs.change(row.id, name=name, snapshot=snapshot, **({} if plan is None else {"plan": plan}))
            self._sample(row, followed, None)
        except (WrongAnswer, LookupError, TypeError, ValueError):  # of a runner of another version
            _LOGGER.warning("the last metrics of the job %s cannot be read", row.id, exc_info=True)

    def _again(self, row: Row[Any], followed: Followed, ended: Ended, error: Any, waits: bool = False) -> None:
        """Start the next driver on the job's checkpoint, unless that has been in vain too often.

        Args:
            row: The job.
            followed: What is known of it.
            ended: How its driver ended.
            error: Its last word.
            waits: It waits for something else to be back, such as a broker: however long that takes.
        """
        why = ended.reason or ("its driver was killed" if ended.code is None else str(error or f"code {ended.code}"))
        followed.in_vain += not waits
        if followed.in_vain > _IN_VAIN:
            failure = f"{why}. {followed.in_vain} drivers ended without a committed epoch, so no other is started"
            self._end(row, followed, FAILED, code=ended.code, error=failure)
            return
        pause_s = min(_LONGEST_PAUSE_S, 2.0 ** (followed.in_vain - 2)) if followed.in_vain > 1 else 0.0
        if waits:
            pause_s, followed.stuck = _LONGEST_PAUSE_S if followed.stuck else 0.0, True
        _LOGGER.warning("the job %s: %s; attempt %d starts in %.0f s", row.id, why, row.attempt + 1, pause_s)
        exception = {
            "time_ms": now_ms(),
            "kind": "driver",
            "type": "DriverEnded",
            "message": f"{why}; attempt {row.attempt + 1} goes on from the last committed epoch",
            "trace": "",
            **dict.fromkeys(("operator", "function", "file", "line", "value")),
            "number": 1_000_000,
        }
        self._jobs.add_exceptions(row.id, row.attempt, [exception])
        followed.start_at = time.monotonic() + pause_s
        followed.attempt = Attempt()
        self._jobs.change(row.id, attempt=row.attempt + 1, state=RESTARTING)
        self._wake.set()

    def _end(
        self,
        row: Row[Any],
        followed: Followed,
        state: str,
        code: int | None = None,
        error: str | None = None,
        trace: str | None = None,
    ) -> None:
        values: dict[str, Any] = {"state": state, "exit_code": code, "error": error, "trace": trace}
        self._jobs.change(row.id, ended_ms=now_ms(), **values)
        self.forget(row.id)


@contextmanager
def _unless_silent() -> Iterator[None]:
    """Go on where a driver does not answer; one whose answers are wrong is another matter."""
    try:
        yield
    except DriverIsWrong:
        raise
    except DriverError:
        pass


def _state(snapshot: Mapping[str, Any]) -> str:
    """The state of a job whose driver runs."""
    status = str(snapshot["status"])
    if status in ENDED:  # the script goes on, and may start another job
        return RUNNING
    return status if status in (INITIALIZING, RUNNING, RESTARTING, CANCELLING) else CREATED
