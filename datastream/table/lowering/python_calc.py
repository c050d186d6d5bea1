"""Functions that do not run row by row: those of pandas, and async ones."""

from __future__ import annotations

from datastream.graph.operators import Async, BlockCalc
from datastream.table.codegen.inside_types import inside_row

from .async_calls import AwaitedCalls, awaited
from .block_calls import BlockCalls, block_function
from .context import Lowered
from .lowering import Lowering, in_place, lowers, types
from .pandas_calls import PandasCalls


@lowers(BlockCalls)
def lower_block_calls(lowering: Lowering, relation: BlockCalls, upserted: frozenset[int] | None) -> Lowered:
    """The calls, in the subtasks of what is before them."""
    below = lowering.lower(relation.input)
    calls, functions, zone = relation.calls, lowering.context.functions, lowering.options.zone
    first = block_function(calls[0], functions)
    assert first is not None
    names, row = ", ".join(call.function for call in calls), inside_row(types(relation.columns), below.updates)
    if first.kind == "async":
        descriptor = awaited(AwaitedCalls(calls, below.updates, functions, zone), lowering.context.config)
        node = in_place(below.node, Async, f"AsyncCalc({names})", descriptor=descriptor, output_type=row)
    else:
        function = PandasCalls(calls, below.updates, functions, zone)
        node = in_place(below.node, BlockCalc, f"PythonCalc({names})", function=function, output_type=row)
    return Lowered(node, relation.columns, below.updates)
