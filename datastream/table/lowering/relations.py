"""All relations that are lowered: importing this module registers them."""

from __future__ import annotations

from . import (  # noqa: F401  each registers what it lowers
    aggregates,
    calc,
    changelog_functions,
    joins,
    match,
    over,
    predictions,
    process_tables,
    python_calc,
    rank,
    scans,
    session_tables,
    sets,
    sort,
    temporal_joins,
    watermarks,
    window_aggregates,
)
from .lowering import Lowering

__all__ = ["Lowering"]
