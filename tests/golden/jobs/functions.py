"""Functions of whole tables: rows of sessions, and a process table function with state and timers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from datastream import Row, Types
from datastream.table import (
    ArgumentHint,
    ArgumentTrait,
    ProcessTableFunction,
    Schema,
    StateHint,
    StreamTableEnvironment,
)

from .halted import numbers
from .tables import Named

EVENT = Types.ROW_NAMED(["k", "v"], [Types.STRING(), Types.LONG()])
QUERIES = {
    "sessions": (
        "SELECT k, v, window_start, window_end "
        "FROM SESSION(TABLE events PARTITION BY k, DESCRIPTOR(at), INTERVAL '2' SECOND)"
    ),
    "pauses": (
        "SELECT k, n, total, rowtime FROM pauses(input => TABLE events PARTITION BY k, on_time => DESCRIPTOR(at))"
    ),
}


class Bursts:
    """A key's numbers come for five seconds, then not for as long."""

    def __call__(self, number):
        return number % 1000 < 500


class Event:
    """(key, number)."""

    def __call__(self, number):
        return Row(f"key {number % 11}", number)


@dataclass
class Burst:
    n: int = 0
    total: int = 0


class Pauses(ProcessTableFunction):
    """The numbers of a burst, two seconds after the last of them."""

    def get_result_type(self):
        return "ROW<n BIGINT, total BIGINT>"

    def eval(
        self,
        ctx: ProcessTableFunction.Context,
        burst: Annotated[Burst, StateHint()],
        input: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.REQUIRE_ON_TIME)],
    ):
        burst.n += 1
        burst.total += input.v
        time = ctx.time_context(int)
        time.register_on_time("pause", time.time() + 2000)

    def on_timer(self, ctx: ProcessTableFunction.OnTimerContext, burst: Burst):
        yield Row(burst.n, burst.total)
        ctx.clear_all()


def build(env, limit=None):
    """The stream of all results; see `tables.build`."""
    env.set_parallelism(2)
    env.set_max_parallelism(4)
    tables = StreamTableEnvironment.create(env)
    timed = Schema.new_builder().column("k", "STRING").column("v", "BIGINT")
    timed = timed.column_by_metadata("at", "TIMESTAMP_LTZ(3)", "rowtime").watermark("at", "SOURCE_WATERMARK()").build()
    tables.create_temporary_view("events", numbers(env, limit).filter(Bursts()).map(Event(), EVENT), timed)
    tables.create_temporary_function("pauses", Pauses())
    results = [
        tables.to_changelog_stream(tables.sql_query(query)).map(Named(name)).uid(name)
        for name, query in QUERIES.items()
    ]
    return results[0].union(*results[1:])
