"""Rewrites of plans: each gives a plan with the same rows that costs less, or of operators that there are."""

from __future__ import annotations

from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.relations import Relation
from datastream.table.planner.upsert_keys import PrimaryKey

from .common_parts import with_common_parts
from .constants import with_constants
from .counting import with_counted_rows
from .filters import filters_down
from .nothing import with_totals_of_nothing
from .one_row_groups import without_one_row_groups
from .predicates import with_limits, with_predicates
from .pruning import pruned
from .ranks import with_ranks
from .row_fields import with_row_fields
from .sharing import scans, with_shared_scans
from .temporal_joins import Tables, with_temporal_joins

__all__ = ["Tables", "optimized", "scans", "with_common_parts", "with_shared_scans"]


def optimized(
    relation: Relation,
    functions: FunctionLookup,
    primary_key: PrimaryKey = lambda scan: (),
    tables: Tables | None = None,
) -> Relation:
    """The plan after all rewrites, in their order.

    Args:
        relation: The plan.
        functions: Those that it may call.
        primary_key: That of a table. Default: there is none.
        tables: What else is known of tables. Default: nothing.
    """
    tables = tables or Tables(primary_key)
    relation = with_temporal_joins(relation, functions, tables)
    grouped = without_one_row_groups(with_counted_rows(relation), primary_key)
    down = filters_down(with_constants(grouped, functions), functions)
    known = with_totals_of_nothing(with_constants(down, functions))  # what conditions read may be constant below
    made = pruned(with_ranks(known))
    again = without_one_row_groups(made, primary_key)  # whose aggregates are not used
    last = made if again is made else pruned(again)
    return with_row_fields(with_limits(with_predicates(last, tables), tables), tables)
