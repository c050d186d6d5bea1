"""What Spark reports of an epoch that it has ended."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from datastream.config.settings import EpochProgress

#: Spark's name of a part of an epoch -> ours.
_PHASES = {
    "latestOffset": "plan",
    "getBatch": "plan",
    "queryPlanning": "compile",
    "addBatch": "run",
    "walCommit": "log",
    "commitOffsets": "log",
}


class ProgressReader:
    """Reads the progress of a query; each epoch's once."""

    def __init__(self) -> None:
        self._seen = -1

    def latest(self, query: Any) -> EpochProgress | None:
        """The progress of the epoch that Spark has ended last; None if there is none, or it has been given before.

        Args:
            query: The query's Java object.
        """
        found = query.lastProgress()
        if found is None or found.batchId() <= self._seen:
            return None
        self._seen = found.batchId()
        return epoch_progress(json.loads(found.json()))


def epoch_progress(progress: dict[str, Any]) -> EpochProgress:
    """What is reported of an epoch, from Spark's own report."""
    phases: Counter[str] = Counter()
    for name, ms in progress.get("durationMs", {}).items():
        if name in _PHASES:
            phases[_PHASES[name]] += ms / 1000
    operators = progress.get("stateOperators", ())
    return EpochProgress(
        phases=dict(phases),
        state_entries=sum(one["numRowsTotal"] for one in operators),
        state_memory_bytes=sum(one["memoryUsedBytes"] for one in operators),
        state_disk_bytes=sum(one.get("customMetrics", {}).get("rocksdbSstFileSize", 0) for one in operators),
        epoch=progress.get("batchId"),
    )
