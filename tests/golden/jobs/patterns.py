"""Tables as of a time, and patterns of rows."""

from __future__ import annotations

from datastream import Types
from datastream.table import Schema, StreamTableEnvironment

from .halted import numbers
from .tables import Event, Named, Seventh

QUERIES = {
    "pattern": (
        "SELECT k, first_v, n, last_v FROM events MATCH_RECOGNIZE (PARTITION BY k ORDER BY at "
        "MEASURES A.v AS first_v, COUNT(B.v) AS n, C.v AS last_v AFTER MATCH SKIP PAST LAST ROW "
        "PATTERN (A B* C) WITHIN INTERVAL '9' SECOND "
        "DEFINE A AS MOD(A.v, 3) = 0, B AS MOD(B.v, 5) <> 1, C AS MOD(C.v, 5) = 1)"
    ),
    "as of": (
        "SELECT e.k, e.v, s.v AS found FROM events AS e LEFT JOIN versions FOR SYSTEM_TIME AS OF e.at AS s ON e.k = s.k"
    ),
}

EVENT = Types.ROW_NAMED(["k", "v"], [Types.STRING(), Types.LONG()])


def build(env, limit=None):
    """The stream of all results; see `tables.build`."""
    env.set_parallelism(2)
    env.set_max_parallelism(4)
    tables = StreamTableEnvironment.create(env)
    source = numbers(env, limit)
    timed = Schema.new_builder().column("k", "STRING").column("v", "BIGINT")
    timed = timed.column_by_metadata("at", "TIMESTAMP_LTZ(3)", "rowtime").watermark("at", "SOURCE_WATERMARK()").build()
    tables.create_temporary_view("events", source.map(Event(), EVENT), timed)
    tables.create_temporary_view("seventh", source.filter(Seventh()).map(Event(), EVENT), timed)
    tables.execute_sql(
        "CREATE TEMPORARY VIEW versions AS SELECT k, v, at FROM "
        "(SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY at DESC) AS r FROM seventh) WHERE r = 1"
    )
    results = [
        tables.to_changelog_stream(tables.sql_query(query)).map(Named(name)).uid(name)
        for name, query in QUERIES.items()
    ]
    return results[0].union(*results[1:])
