"""Epochs and savepoints of a job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .wire import all_of, at, made, mapping


@dataclass(frozen=True)
class Savepoint:
    """A savepoint that was asked for.

    Attributes:
        request_id: Id of the request.
        kind: ``savepoint``, or ``stop`` if the job ended with it.
        status: IN_PROGRESS, COMPLETED or FAILED.
        location: Where it lies, once it is complete.
        error: Why it failed.
        time_ms: When it was asked for, in ms since 1970.
        duration_ms: How long it took.
    """

    request_id: str = at("request-id", "")
    kind: str = "savepoint"
    status: str = ""
    location: str | None = None
    error: str | None = None
    time_ms: int | None = None
    duration_ms: float | None = None


@dataclass(frozen=True)
class Checkpoints:
    """Epochs and savepoints of a job.

    Attributes:
        counts: Numbers of epochs: ``completed``, ``restored``, ``failed``.
        latest: The last committed epoch, as JSON.
        history: The last epochs, newest first, as JSON.
        savepoints: The savepoints that were asked for.
        directory: The checkpoint directory.
    """

    counts: Mapping[str, int] = mapping()
    latest: Mapping[str, Any] | None = None
    history: tuple[Mapping[str, Any], ...] = made(tuple, ())
    savepoints: tuple[Savepoint, ...] = made(all_of(Savepoint), ())
    directory: str | None = None
