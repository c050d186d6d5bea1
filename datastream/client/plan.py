"""The plan of an artifact's job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .wire import mapping


@dataclass(frozen=True)
class ArtifactPlan:
    """What an artifact's job would run.

    Attributes:
        plan: The plan in Flink's form: ``name``, ``type`` (STREAMING or BATCH) and ``nodes``.
        graph: Operators, edges and a layout to draw them, as JSON.
    """

    plan: Mapping[str, Any] = mapping()
    graph: Mapping[str, Any] = mapping()
