"""Rewrites of plans: each gives a plan with the same rows that costs less, or of operators that there are."""

from __future__ import annotations

from datastream.table.plan.lookup import FunctionLookup
from datastream.table.plan.relations import Relation

from .constants import with_constants
from .counting import with_counted_rows
from .filters import filters_down
from .pruning import pruned
from .sharing import scans, with_shared_scans

__all__ = ["optimized", "scans", "with_shared_scans"]


def optimized(relation: Relation, functions: FunctionLookup) -> Relation:
    """The plan after all rewrites, in their order."""
    return pruned(filters_down(with_constants(with_counted_rows(relation), functions), functions))
