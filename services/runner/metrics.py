"""The page that Prometheus scrapes."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

TYPE = CONTENT_TYPE_LATEST


def exposition() -> bytes:
    """All metrics of the process in Prometheus' text format."""
    return generate_latest()
