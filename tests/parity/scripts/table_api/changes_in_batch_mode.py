from pyflink.common import Row, RowKind, Types
from pyflink.datastream import RuntimeExecutionMode, StreamExecutionEnvironment
from pyflink.table import ChangelogMode, Schema, StreamTableEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_runtime_mode(RuntimeExecutionMode.BATCH)
env.set_parallelism(1)
tables = StreamTableEnvironment.create(env)
KIND = Types.ROW_NAMED(["k", "n"], [Types.STRING(), Types.INT()])
taken_back = Row("a", 1)
taken_back.set_row_kind(RowKind.UPDATE_BEFORE)
added = env.from_collection([Row("a", 1)], KIND)
changed = env.from_collection([Row("a", 1), taken_back], KIND)
key = Schema.new_builder().column("k", "STRING NOT NULL").column("n", "INT").primary_key("k").build()


def show(name, make):
    print(name, flush=True)
    try:
        with make().execute().collect() as rows:
            print([tuple(row) for row in rows], flush=True)
    except Exception:
        print("fails", flush=True)


show("changes", lambda: tables.from_changelog_stream(changed))
show("insertions that may be changes", lambda: tables.from_changelog_stream(added))
show("upserts", lambda: tables.from_changelog_stream(added, key, ChangelogMode.upsert()))
nothing = Schema.new_builder().build()
show("insertions", lambda: tables.from_changelog_stream(added, nothing, ChangelogMode.insert_only()))
show("changes as insertions", lambda: tables.from_changelog_stream(changed, nothing, ChangelogMode.insert_only()))
counts = tables.sql_query("SELECT s, COUNT(*) AS c FROM (VALUES ('a'), ('b'), ('a')) AS t (s) GROUP BY s")
tables.to_data_stream(counts).print("rows")
tables.to_changelog_stream(counts).print("changes")
env.execute()
