from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessFunction, StreamExecutionEnvironment
from pyflink.table import ChangelogMode, DataTypes, Schema, StreamTableEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
tables = StreamTableEnvironment.create(env)
tables.get_config().set_local_timezone("Asia/Tokyo")
NUMBERS = Types.ROW_NAMED(["n", "k"], [Types.INT(), Types.STRING()])
schema = Schema.new_builder


class Seconds(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[0] * 1000


class Stamped(ProcessFunction):
    def process_element(self, value, ctx):
        yield f"{value.get_row_kind()} {value} {ctx.timestamp()}"


def show(name, table, target=None, mode=None, convert=tables.to_changelog_stream):
    print(name, flush=True)
    try:
        given = (
            [table] if target is None else [table, target.build()] if mode is None else [table, target.build(), mode]
        )
        convert(*given).process(Stamped(), Types.STRING()).print()
    except Exception:
        print("fails", flush=True)
        return
    env.execute()


tables.create_temporary_view("untimed", env.from_collection([(1, "a"), (3, "b"), (2, "a")], NUMBERS))
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Seconds())
numbers = env.from_collection([(1, "a"), (3, "b"), (2, "a")], NUMBERS).assign_timestamps_and_watermarks(strategy)
timed = schema().column("n", "INT").column("k", "STRING").column_by_metadata("rt", "TIMESTAMP_LTZ(3)", "rowtime")
tables.create_temporary_view("timed", numbers, timed.watermark("rt", "SOURCE_WATERMARK()").build())
plain = tables.sql_query("SELECT n, k FROM untimed")
swapped = tables.sql_query("SELECT n AS a, n + 10 AS b FROM untimed")
totals = tables.sql_query("SELECT k, SUM(n) AS s FROM timed GROUP BY k")

show("other names", totals, schema().column("x", "STRING").column("y", "BIGINT"))
show("other order", totals, schema().column("s", "INT").column("k", "STRING"))
show("other order, one type", swapped, schema().column("b", "INT").column("a", "INT"))
show("fewer", totals, schema().column("k", "STRING"))
show("more", totals, schema().column("k", "STRING").column("s", "INT").column("z", "INT"))
show("as text", totals, schema().column("k", "STRING").column("s", "STRING"))
show("narrower", totals, schema().column("k", "STRING").column("s", "SMALLINT"))
key = schema().column("k", DataTypes.STRING().not_null()).column("s", "INT").primary_key("k")
show("key", totals, key, ChangelogMode.upsert())
show("key that may be null", totals, schema().column("k", "STRING").column("s", "INT").primary_key("k"))
show("key of no column", totals, schema().column("k", "STRING").column("s", "INT").primary_key("q"))
show("computed", plain, schema().column("n", "INT").column("k", "STRING").column_by_expression("z", "n + 1"))
show("other metadata", plain, schema().column("n", "INT").column_by_metadata("k", "STRING"))
timed = tables.from_path("timed")
show("rowtime instead of the last column", timed, schema().column_by_metadata("rowtime", "TIMESTAMP_LTZ(3)"))
columns = schema().column("n", "INT").column("k", "STRING")
show("rowtime", timed, columns.column_by_metadata("rt", "TIMESTAMP_LTZ(3)", "rowtime"))
later = tables.sql_query("SELECT n, k, TO_TIMESTAMP_LTZ(n * 7000, 3) AS rt FROM timed")
show("rowtime of a value", later, schema().column_by_metadata("rowtime", "TIMESTAMP_LTZ(3)"))
counts = tables.sql_query(
    "SELECT window_time, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE timed, DESCRIPTOR(rt), INTERVAL '2' SECONDS)) "
    "GROUP BY window_start, window_end, window_time"
)
show("time of a window", counts, convert=tables.to_data_stream)
moved = tables.from_data_stream(numbers, schema().column_by_metadata("rowtime", "TIMESTAMP(3)").build())
tables.to_data_stream(moved).print("the session's clock")
env.execute()
print("a number", flush=True)
try:
    wrong = tables.from_data_stream(numbers, schema().column_by_metadata("rowtime", "BIGINT").build())
    tables.to_data_stream(wrong)
except Exception:
    print("fails", flush=True)
