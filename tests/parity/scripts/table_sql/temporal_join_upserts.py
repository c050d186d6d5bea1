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
table("o", [("+I", "abcd"[n % 4], n, n / 3) for n in range(90)])
changes = [
    ("+I", "a", 1, 1), ("+U", "b", 2, 2), ("+U", "a", 3, 6), ("-D", "b", 2, 10), ("+I", "c", 5, 12), ("+U", "a", 4, 14),
    ("+I", "b", 6, 15), ("-D", "a", 4, 19.9), ("+U", "a", 7, 20), ("-D", "b", 6, 25), ("-D", "d", 0, 26), ("+U", "a", 8, 28),
]  # fmt: skip
table("r", changes, UPSERT)
table("s", [("+I", "a", 11, 3), ("+I", "b", 12, 5), ("-D", "a", 11, 8), ("+I", "a", 13, 19)], UPSERT, 2)
for kind in ("", "LEFT"):
    for right in ("r", "s"):
        show(JOIN.format("o", kind, right, "o.k = r.k"))
    show(JOIN.format("o", kind, "r", "o.k = r.k AND MOD(r.v, 2) = 1"))
show(
    "SELECT o.v, a.v, b.v FROM o LEFT JOIN r FOR SYSTEM_TIME AS OF o.rt AS a ON o.k = a.k LEFT JOIN s FOR SYSTEM_TIME AS OF o.rt AS b ON o.k = b.k"
)
for name, condition in (("f", "v > 3"), ("g", "k < 'c'"), ("h", "rt IS NOT NULL")):
    tables.execute_sql(f"CREATE VIEW {name} AS SELECT * FROM r WHERE {condition}")
    show(JOIN.format("o", "LEFT", name, "o.k = r.k"))
tables.execute_sql("CREATE VIEW w AS SELECT CAST(v AS STRING) AS v, rt, k FROM r")
show(JOIN.format("o", "LEFT", "w", "r.k = o.k"))
