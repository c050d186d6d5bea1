"""What becomes of an action that Elasticsearch refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import orjson
from xxhash import xxh3_128_hexdigest

from datastream.errors import ValidationError, cut

from .actions import Action, Index


class FailureKind(Enum):
    """Why an action was refused. What the server has no room for (429, 503) is tried again, and never comes here.

    Attributes:
        REFUSED: The document does not fit the index, say (400).
        MISSING: There is no such index, or no document to update (404).
        CONFLICT: Another version of the document is there (409).
    """

    REFUSED = "refused"
    MISSING = "missing"
    CONFLICT = "conflict"


class Resolution(Enum):
    """What to do with a failed action.

    Attributes:
        FAIL: The job fails with the server's reason.
        RETRY: It is tried again, as the sink's backoff says.
        IGNORE: It is dropped.
    """

    FAIL = "fail"
    RETRY = "retry"
    IGNORE = "ignore"


@dataclass(frozen=True)
class FailedAction:
    """An action that Elasticsearch refused.

    Attributes:
        operation: ``index``, ``create``, ``update`` or ``delete``.
        index: The index it was for.
        id: Of the document; None: the server was to give one.
        document: The second line of the action: the document, or an update's ``{"doc": ...}``; None for a deletion.
        versioned: Whether it had a version.
        status: Of HTTP, such as 400.
        error_type: Such as ``document_parsing_exception``.
        reason: The server's words.
    """

    operation: str
    index: str
    id: str | None
    document: dict[str, Any] | None
    versioned: bool
    status: int
    error_type: str
    reason: str

    @property
    def kind(self) -> FailureKind:
        """Why it was refused."""
        kinds = {404: FailureKind.MISSING, 409: FailureKind.CONFLICT}
        return kinds.get(self.status, FailureKind.REFUSED)

    @property
    def is_done(self) -> bool:
        """Whether it came too late: a `Create` of what is there, a version older than the one that is there."""
        return self.kind is FailureKind.CONFLICT and (self.operation == "create" or self.versioned)


FailureHandler = Callable[[FailedAction], "Resolution | Action"]
"""Decides what becomes of a failed action; an action is written in its place. May be called twice for one."""


def failed_action(lines: bytes, result: dict[str, Any]) -> FailedAction:
    """A failed action, of its lines and of the server's answer."""
    first, _, rest = lines.partition(b"\n")
    ((operation, meta),) = orjson.loads(first).items()
    error = result["error"] if isinstance(result["error"], dict) else {"reason": str(result["error"])}
    reason = str(error.get("reason"))
    cause = error.get("caused_by")
    if isinstance(cause, dict) and cause.get("reason"):
        reason += f" ({cause['reason']})"
    return FailedAction(
        operation,
        meta["_index"],
        meta.get("_id"),
        orjson.loads(rest) if rest.strip() else None,
        "version" in meta,
        result["status"],
        str(error.get("type")),
        reason,
    )


def document_of(lines: bytes) -> tuple[str, str, str | None] | None:
    """The index, the id and the routing of the document that an action is for; None: the server assigns an id."""
    ((_, meta),) = orjson.loads(lines.partition(b"\n")[0]).items()
    return None if "_id" not in meta else (meta["_index"], meta["_id"], meta.get("routing"))


def fail(failed: FailedAction) -> Resolution:
    """The default: the job fails. But for what is done already, and for updates that met another one."""
    if failed.is_done:
        return Resolution.IGNORE
    if failed.kind is FailureKind.CONFLICT and failed.operation == "update":
        return Resolution.RETRY
    return Resolution.FAIL


def ignore(failed: FailedAction) -> Resolution:
    """Failed actions are dropped, and counted (``numRecordsSendErrors``)."""
    return Resolution.RETRY if fail(failed) is Resolution.RETRY else Resolution.IGNORE


def dead_letter(index: str) -> FailureHandler:
    """Failed actions go to an index of their own, with the reason.

    Its documents have the fields ``operation``, ``index``, ``id``, ``document`` (JSON as text), ``status``,
    ``error_type`` and ``reason``. An epoch that runs again writes the same ones again.

    Raises:
        ValidationError: The name is no text, or empty.
    """
    if not isinstance(index, str) or not index:
        raise ValidationError(f"dead_letter needs the name of an index, got {cut(index)}")
    return _DeadLetters(index)


@dataclass(frozen=True)
class _DeadLetters:
    index: str

    def __call__(self, failed: FailedAction) -> Resolution | Action:
        resolution = fail(failed)
        if resolution is not Resolution.FAIL:
            return resolution
        document = None if failed.document is None else orjson.dumps(failed.document).decode()
        letter = {
            "operation": failed.operation,
            "index": failed.index,
            "id": failed.id,
            "document": document,
            "status": failed.status,
            "error_type": failed.error_type,
            "reason": failed.reason,
        }
        return Index(self.index, letter, xxh3_128_hexdigest(orjson.dumps([failed.index, failed.id, document])))
