"""Windows of a number of rows."""

from __future__ import annotations

from datastream import Types
from datastream.table import Schema, Slide, StreamTableEnvironment, Tumble, col
from datastream.table.expressions import row_interval

from .halted import numbers
from .tables import Event, Named

EVENT = Types.ROW_NAMED(["k", "v"], [Types.STRING(), Types.LONG()])
WINDOWS = {"tumble": Tumble.over(row_interval(40)), "slide": Slide.over(row_interval(30)).every(row_interval(13))}


def build(env, limit=None):
    """The stream of all results; see `tables.build`."""
    env.set_parallelism(1)
    env.set_max_parallelism(4)
    tables = StreamTableEnvironment.create(env)
    schema = Schema.new_builder().column("k", "STRING").column("v", "BIGINT")
    schema = schema.column_by_expression("p", "PROCTIME()").build()
    events = tables.from_data_stream(numbers(env, limit).map(Event(), EVENT), schema)
    results = []
    for name, window in WINDOWS.items():
        windows = events.window(window.on(col("p")).alias("w")).group_by(col("k"), col("w"))
        found = windows.select(col("k"), col("v").sum, col("v").count, col("v").last_value)
        results.append(tables.to_changelog_stream(found).map(Named(name)).uid(name))
    return results[0].union(*results[1:])
