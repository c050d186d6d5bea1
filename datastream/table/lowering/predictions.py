"""ML_PREDICT: the function of a model is called with the rows of a table."""

from __future__ import annotations

from datastream.graph.operators import Async, BlockCalc, FlatMap
from datastream.table.catalogs.errors import TableException
from datastream.table.codegen.inside_types import inside_row
from datastream.table.functions.predict_functions import BatchPredictFunction, PandasPredictFunction
from datastream.table.plan.relations import Predict

from .context import Lowered
from .lowering import Lowering, in_place, lowers, types
from .predict_calls import AwaitedPredictions, BlockPredictions, FramePredictions, RowPredictions, predict_descriptor


@lowers(Predict)
def lower_predict(lowering: Lowering, relation: Predict, upserted: frozenset[int] | None) -> Lowered:
    """The rows of a table with what a model makes of them.

    Raises:
        TableException: The table updates its rows.
    """
    below, model = lowering.lower(relation.input), lowering.context.model(relation.model)
    if below.updates:
        raise TableException(
            f"ML_PREDICT doesn't support consuming update changes: the rows of the table that the model "
            f"{'.'.join(relation.model)} takes are updated or deleted"
        )
    row, name = inside_row(types(relation.columns), False), f"MLPredict({'.'.join(relation.model)})"
    sources = tuple(below.columns[place].type for place in relation.args)
    args = (model, relation.args, sources, lowering.options.zone)
    if relation.runs_async:
        descriptor = predict_descriptor(AwaitedPredictions(*args), dict(relation.config), lowering.context.config)
        node = in_place(below.node, Async, name, descriptor=descriptor, output_type=row)
    elif issubclass(model.make, BatchPredictFunction | PandasPredictFunction):
        kind = FramePredictions if issubclass(model.make, PandasPredictFunction) else BlockPredictions
        node = in_place(below.node, BlockCalc, name, function=kind(*args), output_type=row)
    else:
        calls = RowPredictions(*args)
        node = in_place(below.node, FlatMap, name, function=calls.rows_of, instance=calls, output_type=row)
    return Lowered(node, relation.columns, False)
