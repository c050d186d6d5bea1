"""Tables: aggregates, windows, joins, first rows, changes of one key, sinks with another key than their query."""

from __future__ import annotations

from datastream import Row, RowKind, Types
from datastream.table import ChangelogMode, Schema, StreamTableEnvironment

from .halted import COUNT, numbers

#: Rows whose changes are given; what they are at the end does not depend on where epochs were cut.
CHANGING = {
    "aggregate": "SELECT k, COUNT(*) AS n, SUM(v) AS s, MAX(v) AS m FROM events GROUP BY k",
    "distinct": "SELECT k, COUNT(DISTINCT v) AS n FROM events GROUP BY k",
    "outer": "SELECT e.v, s.v AS found FROM events AS e LEFT JOIN seventh AS s ON e.v = s.v * 2 WHERE e.v < 900",
    "counts": (
        "SELECT a.k, a.n, b.n AS half FROM (SELECT k, COUNT(*) AS n FROM events GROUP BY k) AS a "
        "JOIN (SELECT k, COUNT(*) AS n FROM seventh GROUP BY k) AS b ON a.k = b.k"
    ),
    "first": "SELECT v, k FROM events ORDER BY k DESC, v LIMIT 5",
    "most": "SELECT k, n FROM (SELECT k, COUNT(*) AS n FROM events GROUP BY k) ORDER BY n DESC, k LIMIT 3",
    "latest": "SELECT k, v FROM latest",
    "numbered": "SELECT k, n, SUM(n) OVER (ORDER BY k) AS s FROM (SELECT k, COUNT(*) AS n FROM events GROUP BY k)",
    "ranked": (
        "SELECT k, v, r FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY MOD(v, 101) DESC, v) AS r "
        "FROM events) WHERE r <= 3"
    ),
}

#: New rows only.
ADDED = {
    "inner": "SELECT e.k, e.v, s.v AS found FROM events AS e JOIN seventh AS s ON e.v = s.v",
    "tumbling": (
        "SELECT window_end, k, COUNT(*) AS n, SUM(v) AS s FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(at), "
        "INTERVAL '7' SECOND)) GROUP BY window_start, window_end, k"
    ),
    "sliding": (
        "SELECT window_end, k, COUNT(*) AS n FROM TABLE(HOP(TABLE events, DESCRIPTOR(at), INTERVAL '3' SECOND, "
        "INTERVAL '9' SECOND)) GROUP BY window_start, window_end, k"
    ),
    "growing": (
        "SELECT window_end, k, COUNT(*) AS n FROM TABLE(CUMULATE(TABLE events, DESCRIPTOR(at), INTERVAL '10' SECOND, "
        "INTERVAL '30' SECOND)) GROUP BY window_start, window_end, k"
    ),
    "session": (
        "SELECT window_end, k, COUNT(*) AS n FROM TABLE(SESSION(TABLE seventh PARTITION BY k, DESCRIPTOR(at), "
        "INTERVAL '2' MINUTE)) GROUP BY window_start, window_end, k"
    ),
    "near": (
        "SELECT e.v, s.v AS found FROM events AS e JOIN seventh AS s ON e.k = s.k "
        "AND e.at BETWEEN s.at - INTERVAL '0.3' SECOND AND s.at + INTERVAL '0.2' SECOND"
    ),
    "over": (
        "SELECT v, SUM(v) OVER w AS s, COUNT(*) OVER w AS n FROM events WINDOW w AS (PARTITION BY k ORDER BY at "
        "RANGE BETWEEN INTERVAL '3' SECOND PRECEDING AND CURRENT ROW)"
    ),
    "first row": (
        "SELECT k, v FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY at) AS r FROM seventh) WHERE r = 1"
    ),
    "of a window": (
        "SELECT window_end, k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end "
        "ORDER BY v DESC) AS r FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(at), INTERVAL '9' SECOND))) WHERE r <= 2"
    ),
    "windows": (
        "SELECT a.v, b.v AS found FROM TABLE(TUMBLE(TABLE seventh, DESCRIPTOR(at), INTERVAL '8' SECOND)) AS a "
        "JOIN TABLE(TUMBLE(TABLE seventh, DESCRIPTOR(at), INTERVAL '8' SECOND)) AS b "
        "ON a.k = b.k AND a.window_start = b.window_start AND a.window_end = b.window_end"
    ),
}

EVENT = Types.ROW_NAMED(["k", "v"], [Types.STRING(), Types.LONG()])


class Event:
    """(key, number)."""

    def __call__(self, number):
        return Row(f"key {number % 11}", number)


class Latest:
    """A row that replaces the one of its key, or takes it away."""

    def __call__(self, number):
        row = Row(f"key {number % 700}", number)
        row.set_row_kind(RowKind.DELETE if number % 13 == 5 else RowKind.UPDATE_AFTER)
        return row


class Named:
    """A change as (name, kind, columns)."""

    def __init__(self, name):
        self.name = name

    def __call__(self, row):
        kind = row.get_row_kind()
        return "change", self.name, kind in (RowKind.INSERT, RowKind.UPDATE_AFTER), *map(str, row)


def build(env, limit=None):
    """The stream of all results.

    Args:
        env: The environment.
        limit: The number at which the job fails.
    """
    env.set_parallelism(2)
    env.set_max_parallelism(4)
    tables = StreamTableEnvironment.create(env)
    source = numbers(env, limit)
    timed = Schema.new_builder().column("k", "STRING").column("v", "BIGINT")
    timed = timed.column_by_metadata("at", "TIMESTAMP_LTZ(3)", "rowtime").watermark("at", "SOURCE_WATERMARK()").build()
    tables.create_temporary_view("events", source.map(Event(), EVENT), timed)
    tables.create_temporary_view("seventh", source.filter(Seventh()).map(Event(), EVENT), timed)
    keyed = Schema.new_builder().column("k", "STRING NOT NULL").column("v", "BIGINT").primary_key("k").build()
    changes = tables.from_changelog_stream(source.map(Latest(), EVENT), keyed, ChangelogMode.upsert())
    tables.create_temporary_view("latest", changes)
    tables.execute_sql(
        "CREATE TABLE shown (n BIGINT PRIMARY KEY NOT ENFORCED, k STRING) WITH ('connector' = 'blackhole')"
    )
    statements = tables.create_statement_set()
    statements.add_insert_sql(
        f"INSERT INTO shown SELECT n, k FROM ({CHANGING['aggregate']}) ON CONFLICT DO DEDUPLICATE"
    )
    statements.attach_as_datastream()
    results = [
        tables.to_changelog_stream(tables.sql_query(query)).map(Named(name)).uid(name)
        for name, query in {**CHANGING, **ADDED}.items()
    ]
    return results[0].union(*results[1:])


class Seventh:
    """Every seventh number."""

    def __call__(self, number):
        return number % 7 == 0


assert COUNT > 5 * 700
