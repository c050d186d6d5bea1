"""What a running job warns of, and when."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class JobWarning:
    """One warning about a running job; each cause is reported once a run.

    Attributes:
        kind: ``watermark-stalled``, ``timestamp-unit``, ``hot-key``, ``late-records``, ``window-never-fires`` or
            ``state-grows``.
        operator: The operator's uid.
        message: What was seen, the likely cause and what to do, for people.
    """

    kind: str
    operator: str
    message: str


@dataclass(frozen=True)
class WarningSettings:
    """When a running job is warned about. All three must hold; what is seen at the end of the input needs none.

    Attributes:
        after_ms: For how long, in ms of wall time.
        epochs: In how many epochs that had records.
        records: For how many records of the operator.
    """

    after_ms: int = 30_000
    epochs: int = 3
    records: int = 1_000
