import random

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
for seed in range(6):
    draw = random.Random(seed)
    table(f"o{seed}", [("+I", draw.choice("abc"), n, n / 2) for n in range(60)])
    changes, there = [], set()
    for second in range(30):
        key = draw.choice("abc")
        kind = "-D" if key in there and draw.random() < 0.3 else "+U"
        (there.discard if kind == "-D" else there.add)(key)
        changes.append((kind, key, second, second))
    table(f"r{seed}", changes, UPSERT)
    for kind in ("", "LEFT"):
        show(
            JOIN.format(f"o{seed}", kind, f"r{seed}", draw.choice(["o.k = r.k", "o.k = r.k AND MOD(o.v + r.v, 3) > 0"]))
        )
