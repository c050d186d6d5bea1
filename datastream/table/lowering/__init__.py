"""From resolved relations to operators of the DataStream engine: a module for each relation, or family of relations."""

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
from .context import Lowered, LoweringContext
from .lowering import Lowering

__all__ = ["Lowered", "Lowering", "LoweringContext"]
