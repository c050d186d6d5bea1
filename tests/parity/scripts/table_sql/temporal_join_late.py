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
table(
    "o",
    [
        ("+I", "a", 1, 10),
        ("+I", "a", 2, 3),
        ("+I", "a", 3, 20),
        ("+I", "a", 4, 11),
        ("+I", "a", 5, 30),
        ("+I", "a", 6, 1),
    ],
)
table(
    "r",
    [
        ("+I", "a", 100, 2),
        ("+I", "a", 101, 8),
        ("+I", "a", 102, 12),
        ("+I", "a", 103, 5),
        ("-D", "a", 103, 25),
        ("+I", "a", 104, 28),
    ],
    ALL,
)
show(JOIN.format("o", "LEFT", "r", "o.k = r.k"))
show(JOIN.format("o", "", "r", "o.k = r.k"))
table(
    "delayed",
    [
        ("+I", "a", 1, 10),
        ("+I", "a", 2, 3),
        ("+I", "a", 3, 20),
        ("+I", "a", 4, 11),
        ("+I", "a", 5, 30),
        ("+I", "a", 6, 25),
    ],
    None,
    10,
)
table(
    "versions",
    [
        ("+U", "a", 100, 2),
        ("+U", "a", 102, 12),
        ("+U", "a", 101, 8),
        ("-D", "a", 101, 25),
        ("+U", "a", 104, 28),
        ("+U", "a", 103, 22),
    ],
    UPSERT,
    10,
)
for kind in ("", "LEFT"):
    show(JOIN.format("delayed", kind, "versions", "o.k = r.k"))
table("same", [("+I", "a", n, 5) for n in range(4)], None, 2)
table("at_once", [("+U", "a", 1, 5), ("+U", "a", 2, 5), ("-D", "a", 2, 5), ("+U", "a", 3, 5)], UPSERT, 2)
table("gone", [("+U", "a", 1, 5), ("-D", "a", 2, 5)], UPSERT, 2)
table("later", [("+U", "a", 1, 5.001)], UPSERT, 2)
for right in ("at_once", "gone", "later"):
    show(JOIN.format("same", "LEFT", right, "o.k = r.k"))
