"""Jobs of the gateway."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .artifact import ArtifactName
from .wire import at, made, mapping, reader

#: States in which a job stays for good.
ENDS = frozenset({"FINISHED", "CANCELED", "FAILED"})


def _end(ms: Any) -> int | None:
    return None if ms < 0 else int(ms)


@dataclass(frozen=True)
class Job:
    """A job of the gateway. What is not known is None.

    Attributes:
        id: Its id, 32 hex digits.
        name: Its name.
        state: CREATED, INITIALIZING, RUNNING, RESTARTING, CANCELLING, RECONCILING; or, at its end, FINISHED, CANCELED
            or FAILED.
        start_ms: When it was submitted, in ms since 1970.
        end_ms: When it ended; None while it has not.
        duration_ms: How long it has run.
        last_modification_ms: When its state changed last.
        artifact: What it runs.
        launcher: Where its driver runs; ``sql``: in a session of the SQL gateway.
        parallelism: Default number of subtasks.
        restarts: How often the present driver has restarted it.
        attempt: Number of its driver, from 1 on.
        epoch: The last committed epoch.
        records_in: Records read.
        records_out: Records written.
        records_per_second: Records read per second, at present.
        error: Why it failed, in short.
        exit_code: The driver's.
        checkpoint: Its checkpoint directory.
        savepoint: Where its last savepoint lies.
        request: What it was submitted with; of a job of SQL its ``statement`` and ``session``.
    """

    id: str = field(metadata={"key": "jid"})
    name: str = ""
    state: str = ""
    start_ms: int | None = at("start-time")
    end_ms: int | None = at("end-time", None, _end)
    duration_ms: int | None = at("duration")
    last_modification_ms: int | None = at("last-modification")
    artifact: ArtifactName | None = made(reader(ArtifactName))
    launcher: str | None = None
    parallelism: int | None = None
    restarts: int | None = None
    attempt: int | None = None
    epoch: int | None = None
    records_in: int | None = at("records-in")
    records_out: int | None = at("records-out")
    records_per_second: float | None = at("records-per-second")
    error: str | None = None
    exit_code: int | None = at("exit-code")
    checkpoint: str | None = None
    savepoint: str | None = None
    request: Mapping[str, Any] = mapping()

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self.state in ENDS


@dataclass(frozen=True)
class JobDetails(Job):
    """A job with its plan and its driver's statistics.

    Attributes:
        plan: Its operators and edges, as JSON; None until they are known.
        snapshot: What its driver last reported, as JSON.
        trace: The traceback of what it failed by.
    """

    plan: Mapping[str, Any] | None = None
    snapshot: Mapping[str, Any] | None = None
    trace: str | None = None
