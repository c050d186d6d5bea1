from pyflink.common import Instant, Row, RowKind, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import Schema, StreamTableEnvironment
from pyflink.table.changelog_mode import ChangelogMode

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
tables = StreamTableEnvironment.create(env)
tables.get_config().set("table.local-time-zone", "UTC")
KINDS = {"+I": RowKind.INSERT, "-U": RowKind.UPDATE_BEFORE, "+U": RowKind.UPDATE_AFTER, "-D": RowKind.DELETE}
ROW = Types.ROW_NAMED(["k", "v", "rt"], [Types.STRING(), Types.INT(), Types.INSTANT()])


def table(name, rows, mode=None, delay=0):
    """A table of rows: kind, key, value, second. Without a mode they are new rows, and there is no key."""
    made = []
    for kind, key, value, second in rows:
        row = Row(key, value, Instant.of_epoch_milli(1704067200000 + int(second * 1000)))
        row.set_row_kind(KINDS[kind])
        made.append(row)
    schema = Schema.new_builder().column("k", "STRING" if mode is None else "STRING NOT NULL").column("v", "INT")
    schema = schema.column("rt", "TIMESTAMP_LTZ(3)").watermark("rt", f"rt - INTERVAL '{delay}' SECOND")
    if mode is not None:
        schema = schema.primary_key("k")
    stream = env.from_collection(made, ROW)
    changes = tables.from_changelog_stream(stream, schema.build(), mode or ChangelogMode.insert_only())
    tables.create_temporary_view(name, changes)


def show(text):
    print(text)
    try:
        with tables.execute_sql(text).collect() as rows:
            for row in sorted(f"{row.get_row_kind()}{row}" for row in rows):
                print(" ", row)
    except Exception as error:
        print("  Filter is not allowed" if "Filter is not allowed" in str(error) else "  fails")


JOIN = "SELECT o.k, o.v, r.v, CAST(r.rt AS STRING) FROM {} AS o {} JOIN {} FOR SYSTEM_TIME AS OF o.rt AS r ON {}"
ALL, UPSERT = ChangelogMode.all(), ChangelogMode.upsert()
rows = [("+I", k, n, n / 2) for n in range(0, 60) for k in ("abd"[n % 3],)]
table("o", rows)
changes = [
    ("+I", "a", 1, 1), ("+I", "b", 2, 2), ("-U", "a", 1, 1), ("+U", "a", 3, 6), ("-D", "b", 2, 10), ("+I", "c", 5, 12),
    ("-U", "a", 3, 14), ("+U", "a", 4, 14), ("+I", "b", 6, 15), ("-D", "a", 4, 19.9), ("+I", "a", 7, 20), ("-D", "b", 6, 25),
]  # fmt: skip
table("r", changes, ALL)
table(
    "more",
    [
        ("+I", "a", 1, 1),
        ("-U", "a", 1, 3),
        ("+U", "a", 2, 3),
        ("-D", "a", 2, 9),
        ("+I", "b", 8, 11),
        ("-D", "b", 8, 16),
    ],
    ALL,
)
for kind in ("", "LEFT"):
    show(JOIN.format("o", kind, "r", "o.k = r.k"))
    show(JOIN.format("o", kind, "r", "o.k = r.k AND o.v < r.v * 5"))
    show(JOIN.format("more", kind, "r", "o.k = r.k"))
    show(JOIN.format("r", kind, "more", "o.k = r.k"))
show(
    "SELECT k, COUNT(*), SUM(w) FROM (SELECT o.k, r.v AS w FROM o LEFT JOIN r FOR SYSTEM_TIME AS OF o.rt AS r ON o.k = r.k) GROUP BY k"
)
show(
    "SELECT o.v, r.w FROM o JOIN (SELECT k AS j, v * 10 AS w, rt FROM r) AS x ON o.k = x.j AND o.v < 3 JOIN more FOR SYSTEM_TIME AS OF o.rt AS r ON o.k = r.k".replace(
        "r.w", "r.v"
    )
)
tables.execute_sql("CREATE VIEW tenfold AS SELECT k, v * 10 AS v, rt FROM r")
show(JOIN.format("o", "LEFT", "tenfold", "o.k = r.k"))
tables.execute_sql("CREATE VIEW filtered AS SELECT * FROM r WHERE v > 2")
show(JOIN.format("o", "LEFT", "filtered", "o.k = r.k"))
