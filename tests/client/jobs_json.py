"""Answers of the gateway about jobs."""

from __future__ import annotations

from typing import Any

JID = "3f" * 16
OTHER = "3a" * 16


def job_json(jid: str = JID, name: str = "word count", state: str = "RUNNING", **more: Any) -> dict[str, Any]:
    """A job as the gateway gives it, with a field that only a later version has."""
    ended = state in ("FINISHED", "CANCELED", "FAILED")
    given = {key.replace("_", "-"): value for key, value in more.items()}
    return {
        "jid": jid,
        "name": name,
        "state": state,
        "start-time": 1_700_000_000_000,
        "end-time": 1_700_000_001_234 if ended else -1,
        "duration": 1234,
        "last-modification": 1_700_000_000_000,
        "artifact": {"id": "a1b2c3", "name": "job.py", "owner": "somebody"},
        "launcher": "process",
        "parallelism": 2,
        "restarts": 0,
        "attempt": 1,
        "epoch": 3,
        "records-in": 123_456,
        "records-out": 7,
        "records-per-second": 2.5,
        "error": None,
        "exit-code": None,
        "checkpoint": "/data/checkpoint",
        "savepoint": None,
        "request": {"parallelism": 2},
        "of-a-later-version": {"x": 1},
        **given,
    }


ARTIFACT = {
    "id": "a1b2c3",
    "name": "job.py",
    "uploaded": 1_700_000_000_000,
    "size": 12,
    "sha256": "00",
    "type": "script",
    "entry": [{"name": "main", "description": None}],
    "of-a-later-version": 1,
}
