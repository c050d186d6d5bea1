"""The order that a running job is to stop."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field


@dataclass
class StopOrder:
    """The job is to stop, and to leave a savepoint; it continues if that fails.

    Attributes:
        kind: ``stop`` and ``end``, after the epoch in progress; ``drain``, once its sources have ended where they are.
        target: Where the savepoint goes; None: none is wanted, so the kind is ``end``.
        taken: Where the savepoint is, once it is there.
        savepoint: The same as the target, once the job has ended.
    """

    kind: str
    target: str | None
    taken: str | None = None
    savepoint: Future[str] = field(default_factory=Future)
