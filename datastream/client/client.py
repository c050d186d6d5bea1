"""The gateway's client."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx

from .artifact import Artifact
from .checkpoints import Checkpoints
from .errors import GatewayAway, GatewayError, GatewayTimeout, SavepointFailed
from .job import Job, JobDetails
from .job_exception import JobException
from .log_lines import lines_followed, lines_once
from .metrics import JobMetrics
from .overview import Overview
from .plan import ArtifactPlan
from .references import pick_artifact, pick_job
from .settings import checked_token, checked_url, find_settings
from .transport import Transport
from .upload import Progress, chunks, content_type
from .waiting import LONGEST_WAIT_S, looks
from .wire import read

T = TypeVar("T")

#: A followed log is silent for this long at most: the gateway sends keep-alives.
_SILENCE_S = 60.0
#: The launcher of jobs whose drivers others start, and may start again; so long the end of such a job is waited for.
_EXTERNAL, _AGAIN_S = "external", 20.0


class GatewayClient:
    """A connection to a gateway; a context manager. Threads may share it.

    Reads are repeated when the connection breaks or the gateway is busy. Writes are repeated only if the gateway did
    not get them.

    Args:
        url: The gateway's URL, such as ``http://127.0.0.1:8081``.
        token: The token, or None for a gateway without authentication.
        timeout_s: How long the gateway may take to answer.
        retries: How often a request is repeated.
        away_s: How long the gateway may be away while a job is waited for or its log followed.

    Raises:
        SettingsError: The URL or the token is malformed.
    """

    def __init__(
        self, url: str, token: str | None = None, timeout_s: float = 30.0, retries: int = 3, away_s: float = 60.0
    ) -> None:
        checked = None if token is None else checked_token(token, "token")
        self._transport = Transport(checked_url(url, "url"), checked, timeout_s, retries)
        self._timeout_s = timeout_s
        self._away_s = away_s

    @classmethod
    def configured(
        cls,
        url: str | None = None,
        token_file: str | os.PathLike[str] | None = None,
        timeout_s: float = 30.0,
        environ: Mapping[str, str] | None = None,
    ) -> Self:
        """A client with the URL and token of the environment or the settings file, as the command has.

        Args:
            url: The gateway's URL; wins over the environment.
            token_file: A file that holds the token; wins over the environment.
            timeout_s: How long the gateway may take to answer.
            environ: The environment. Default: that of the process.

        Raises:
            SettingsError: One of them is malformed.
        """
        found = find_settings(url, token_file, environ)
        return cls(found.url, found.token, timeout_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"GatewayClient({self.url!r})"

    @property
    def url(self) -> str:
        """The gateway's URL."""
        return self._transport.url

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def overview(self) -> Overview:
        """The gateway as a whole, and what the token may do."""
        return self._read(Overview, "/overview")

    # Artifacts

    def artifacts(self) -> list[Artifact]:
        """All artifacts, newest first."""
        return _list(Artifact, self._transport.get("/artifacts"), "files")

    def artifact(self, text: str) -> Artifact:
        """An artifact by its id, its name (the newest of that name) or the beginning of its id.

        Raises:
            NotFound: No artifact fits.
            AmbiguousName: Several do.
        """
        return pick_artifact(self.artifacts(), text)

    def upload(
        self, path: str | os.PathLike[str], progress: Progress | None = None, name: str | None = None
    ) -> Artifact:
        """Upload a script or an archive. The same content under the same name is the same artifact.

        Args:
            path: The file: .py, .zip, .pyz, .whl or .tar.gz.
            progress: Called with the bytes that were sent, and all.
            name: The artifact's name; None means the file's.

        Raises:
            OSError: The file cannot be read.
            GatewayError: It is too large, or not what a job can be.
        """
        name = name or Path(path).name
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            answer = self._transport.call(
                "POST",
                "/artifacts/upload",
                params={"name": name},
                headers={"Content-Type": content_type(name), "Content-Length": str(size)},
                content=chunks(file, size, progress),
                read_timeout_s=max(self._timeout_s, 120.0),  # a large archive is checked before the answer comes
            )
        if isinstance(answer, dict):
            answer.setdefault("name", answer.get("filename"))
        return _made(Artifact, answer)

    def delete_artifact(self, artifact_id: str) -> None:
        """Delete an artifact.

        Raises:
            GatewayError: With status 409 while an active job uses it.
        """
        self._transport.call("DELETE", f"/artifacts/{_quoted(artifact_id)}")

    def download(self, artifact_id: str, target: str | os.PathLike[str]) -> Path:
        """Write an artifact's content to a file.

        Args:
            artifact_id: The artifact.
            target: The file. It is replaced once all has come.

        Returns:
            The file.
        """
        place = Path(target)
        handle, temporary = tempfile.mkstemp(prefix=f".{place.name}-", dir=place.parent)
        try:
            with (
                os.fdopen(handle, "wb") as file,
                self._transport.stream(f"/artifacts/{_quoted(artifact_id)}/content") as response,
            ):
                for chunk in response.iter_bytes():
                    file.write(chunk)
            os.chmod(temporary, 0o644)
            os.replace(temporary, place)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
        return place

    def plan(
        self, artifact_id: str, args: Sequence[str] = (), module: str | None = None, parallelism: int | None = None
    ) -> ArtifactPlan:
        """What an artifact's job would run. The gateway runs its code up to ``execute()``.

        Args:
            artifact_id: The artifact.
            args: The job's arguments.
            module: The archive's module to run.
            parallelism: Default number of subtasks.

        Raises:
            GatewayError: The code has no job, or failed; with its own message.
        """
        body = _given(pythonEntryModule=module, parallelism=parallelism, programArgsList=list(args) or None)
        answer = self._transport.call(
            "POST", f"/artifacts/{_quoted(artifact_id)}/plan", json=body, read_timeout_s=max(self._timeout_s, 120.0)
        )
        return _made(ArtifactPlan, answer)

    def run(
        self,
        artifact_id: str,
        args: Sequence[str] = (),
        module: str | None = None,
        parallelism: int | None = None,
        name: str | None = None,
        from_savepoint: str | None = None,
        allow_non_restored_state: bool = False,
        properties: Mapping[str, str] | None = None,
        launcher: str | None = None,
        checkpoint_dir: str | None = None,
    ) -> str:
        """Run an artifact as a new job.

        Args:
            artifact_id: The artifact.
            args: The job's arguments.
            module: The archive's module to run.
            parallelism: Default number of subtasks.
            name: The job's name; wins over the script's. No active job has the same.
            from_savepoint: A savepoint to take state and offsets from.
            allow_non_restored_state: Skip savepoint state of operators that the job does not have.
            properties: Settings of datastream, Flink or Spark.
            launcher: Where the driver runs.
            checkpoint_dir: The checkpoint directory; None means a new one.

        Returns:
            The job's id.

        Raises:
            GatewayError: With status 409 if an active job has that name, 429 if there are too many jobs, 503 if the
                launcher cannot start any.
        """
        body = _given(
            pythonEntryModule=module,
            programArgsList=list(args) or None,
            parallelism=parallelism,
            savepointPath=from_savepoint,
            allowNonRestoredState=allow_non_restored_state or None,
            flinkConfiguration=dict(properties) if properties else None,
            name=name,
            launcher=launcher,
            checkpointDir=checkpoint_dir,
        )
        answer = self._transport.call("POST", f"/artifacts/{_quoted(artifact_id)}/run", json=body)
        return str(_key(answer, "jobid"))

    # Jobs

    def jobs(self) -> list[Job]:
        """All jobs, newest first."""
        return _list(Job, self._transport.get("/jobs/overview"), "jobs")

    def find_job(self, text: str) -> Job:
        """A job by its id, its name (the active job, or the last one) or the beginning of its id.

        Raises:
            NotFound: No job fits.
            AmbiguousName: Several do.
        """
        return pick_job(self.jobs(), text)

    def job(self, jid: str) -> JobDetails:
        """A job with its plan and its driver's statistics.

        Raises:
            NotFound: There is no such job.
        """
        return self._read(JobDetails, _job(jid))

    def metrics(self, jid: str, since: int | None = None) -> JobMetrics:
        """Statistics of a job.

        Args:
            jid: The job.
            since: Only samples after this one.
        """
        return self._read(JobMetrics, _job(jid, "metrics"), since=since)

    def exceptions(self, jid: str) -> list[JobException]:
        """What went wrong in a job, newest first."""
        return _list(JobException, self._transport.get(_job(jid, "exceptions")), "exceptions")

    def checkpoints(self, jid: str) -> Checkpoints:
        """Epochs and savepoints of a job."""
        return self._read(Checkpoints, _job(jid, "checkpoints"))

    def logs(
        self, jid: str, lines: int = 200, follow: bool = False, attempt: int | None = None
    ) -> Iterator[dict[str, Any]]:
        """A job's log, oldest line first.

        Args:
            jid: The job.
            lines: The number of last lines.
            follow: Go on until the job has ended; if the connection breaks, go on where it broke.
            attempt: The log of this driver; None means that of the last.

        Returns:
            Each line as a JSON object, with ``event``, ``level`` and ``logger`` at least.
        """

        def open_log(last: int, go_on: bool) -> AbstractContextManager[httpx.Response]:
            params = _given(lines=last, follow="true" if go_on else None, attempt=attempt)
            silence_s = max(_SILENCE_S, self._timeout_s) if go_on else None
            return self._transport.stream(_job(jid, "logs"), silence_s, **params)

        if not follow:
            return lines_once(open_log, lines)
        return lines_followed(open_log, lines, lambda: self.job(jid).ended, self._away_s)

    def cancel(self, jid: str, wait: bool = False, timeout_s: float | None = None) -> Job:
        """Cancel a job. The epoch in progress is dropped.

        Args:
            jid: The job.
            wait: Wait for its end; for 20 s at most if its driver is one that others start, and may start again.
            timeout_s: How long to wait; None means without a limit.

        Raises:
            GatewayError: With status 409 if it has ended.
        """
        self._transport.call("PATCH", _job(jid), params={"mode": "cancel"})
        return self._ended(jid, timeout_s) if wait else self.job(jid)

    def stop(self, jid: str, drain: bool = False, target: str | None = None, wait: bool = True) -> str | None:
        """Stop a job with a savepoint.

        Args:
            jid: The job.
            drain: End the sources first, so that all timers and windows fire.
            target: The directory of savepoints; None means the gateway's.
            wait: Wait for the savepoint and the job's end; for the latter 20 s at most if the job's driver is one that
                others start, and may start again.

        Returns:
            Where the savepoint lies; None if it was not waited for.

        Raises:
            SavepointFailed: The job could not write its state, and goes on.
        """
        answer = self._transport.call("POST", _job(jid, "stop"), json=_given(targetDirectory=target, drain=drain))
        if not wait:
            return None
        location = self._location(jid, str(_key(answer, "request-id")))
        self._ended(jid)
        return location

    def savepoint(self, jid: str, target: str | None = None) -> str:
        """Write a job's state while it runs, and wait for that.

        Args:
            jid: The job.
            target: The directory of savepoints; None means the gateway's.

        Returns:
            Where the savepoint lies.

        Raises:
            SavepointFailed: The job could not write its state.
        """
        body = {**_given(**{"target-directory": target}), "cancel-job": False}
        answer = self._transport.call("POST", _job(jid, "savepoints"), json=body)
        return self._location(jid, str(_key(answer, "request-id")))

    def forget(self, jid: str) -> None:
        """Delete what the gateway has of an ended job: its log, metrics and default checkpoint directory.

        Raises:
            GatewayError: With status 409 if it has not ended.
        """
        self._transport.call("DELETE", _job(jid))

    def wait(self, jid: str, timeout_s: float | None = None) -> Job:
        """Wait for a job's end.

        Args:
            jid: The job.
            timeout_s: How long; None means without a limit.

        Raises:
            GatewayTimeout: It did not end in time. It goes on.
            GatewayAway: The gateway was away for longer than `away_s`.
        """
        for job in self.watch(jid, timeout_s):
            if job.ended:
                return job
        raise AssertionError("watch ends with the job")

    def watch(self, jid: str, timeout_s: float | None = None) -> Iterator[JobDetails]:
        """Look at a job again and again, at least once a second, until it has ended.

        Raises:
            GatewayTimeout: It did not end in time. It goes on.
            GatewayAway: The gateway was away for longer than `away_s`.
        """
        state = ""
        for _ in looks(timeout_s):
            job = self._in_spite_of_breaks(lambda: self.job(jid))
            state = job.state
            yield job
            if job.ended:
                return
        raise GatewayTimeout(f"job {jid} has not ended after {timeout_s:g} s; its state is {state}")

    # Inside

    def _ended(self, jid: str, timeout_s: float | None = None) -> Job:
        """Wait for the end of a job that was asked to end. One whose driver is started again by others goes on."""
        job = self.job(jid)
        if job.launcher != _EXTERNAL or timeout_s is not None:
            return self.wait(jid, timeout_s)
        with suppress(GatewayTimeout):
            return self.wait(jid, _AGAIN_S)
        return self.job(jid)

    def _location(self, jid: str, request: str) -> str:
        """Wait for a savepoint."""
        for _ in looks():
            answer = self._in_spite_of_breaks(lambda: self._transport.get(_job(jid, "savepoints", request)))
            if _key(_key(answer, "status"), "id") == "COMPLETED":
                operation = answer.get("operation") or {}
                if operation.get("location"):
                    return str(operation["location"])
                cause = operation.get("failure-cause") or {}
                reason = cause.get("stack-trace") or cause.get("class") or "the gateway states no reason"
                raise SavepointFailed(f"no savepoint: {str(reason).strip()}")
        raise AssertionError("without a limit")

    def _in_spite_of_breaks(self, look: Callable[[], T]) -> T:
        """Look; a gateway that is away may come back for some time."""
        until = time.monotonic() + self._away_s
        while True:
            try:
                return look()
            except GatewayAway:
                if time.monotonic() >= until:
                    raise
            time.sleep(LONGEST_WAIT_S)

    def _read(self, cls: type[T], path: str, **params: Any) -> T:
        return _made(cls, self._transport.get(path, **params))


def _job(jid: str, *rest: str) -> str:
    return "/".join(["/jobs", *map(_quoted, (jid, *rest))])


def _quoted(text: str) -> str:
    if text in ("", ".", ".."):
        raise GatewayError(f"expected an id, got {text!r}")
    return quote(text, safe="")


def _given(**values: Any) -> dict[str, Any]:
    """What is not None."""
    return {key: value for key, value in values.items() if value is not None}


def _key(answer: Any, key: str) -> Any:
    if not isinstance(answer, Mapping) or answer.get(key) is None:
        raise GatewayError(f"expected an answer with '{key}': this is not the gateway, or a version of another form")
    return answer[key]


def _list(cls: type[T], answer: Any, key: str) -> list[T]:
    items = _key(answer, key)
    if not isinstance(items, list):
        raise GatewayError(f"expected an answer with a list of '{key}': this is not the gateway")
    return [_made(cls, item) for item in items]


def _made(cls: type[T], answer: Any) -> T:
    try:
        return read(cls, answer)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise GatewayError(
            f"an answer of another form than expected, of a gateway of another version? {error}"
        ) from None
