"""What the options ``table.*`` say to lowering."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datastream.config.duration_text import parse_duration_ms

#: Names of UTC, and what leaves the choice to it.
_UTC = ("default", "Etc/UTC", "Etc/GMT", "GMT", "Z")
_GAP = "pipeline.auto-watermark-interval"


@dataclass(frozen=True)
class LoweringOptions:
    """The options that count.

    Attributes:
        zone: The session's time zone.
        mini_batch: One change for each key and epoch.
        idle_ms: After which time a source without records is idle, in ms; 0: never.
        ttl_ms: After which time of no change state is forgotten, in ms; 0: never.
        watermark_gap_ms: By more than this a row moves its table's watermark at once, in ms; None: as streams have it.
    """

    zone: str
    mini_batch: bool
    idle_ms: int
    ttl_ms: int
    watermark_gap_ms: int | None


def lowering_options(config: Mapping[str, Any]) -> LoweringOptions:
    """Read the options."""
    zone = str(config.get("table.local-time-zone") or "UTC")
    mini_batch = str(config.get("table.exec.mini-batch.enabled", "false")).lower() == "true"
    return LoweringOptions(
        "UTC" if zone in _UTC else zone,
        mini_batch,
        _ms(config, "table.exec.source.idle-timeout"),
        _ms(config, "table.exec.state.ttl"),
        _ms(config, _GAP) if _GAP in config else None,
    )


def _ms(config: Mapping[str, Any], key: str) -> int:
    value = config.get(key)
    return 0 if value is None or not str(value).strip() else parse_duration_ms(key, value)
