import datetime

from pyflink.common import Row, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessFunction, StreamExecutionEnvironment
from pyflink.table import DataTypes, Schema, StreamTableEnvironment
from pyflink.table.expressions import col


class Seconds(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[0] * 1000


class Stamped(ProcessFunction):
    def process_element(self, value, ctx):
        yield f"{value} {ctx.timestamp()}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
tables = StreamTableEnvironment.create(env)
rows = env.from_collection(
    [Row(1, "a", datetime.datetime(2020, 1, 1, 0, 0, 5))],
    type_info=Types.ROW_NAMED(["id", "k", "ts"], [Types.INT(), Types.STRING(), Types.SQL_TIMESTAMP()]),
).assign_timestamps_and_watermarks(WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Seconds()))


def builder():
    return Schema.new_builder().column("id", "INT").column("k", DataTypes.STRING()).column("ts", "TIMESTAMP(3)")


SCHEMAS = {
    "columns": builder().build(),
    "computed": builder().column_by_expression("d", "id * 2").build(),
    "metadata": builder().column_by_metadata("rowtime", "TIMESTAMP_LTZ(3)").build(),
    "source watermark": builder()
    .column_by_metadata("rt", "TIMESTAMP_LTZ(3)", "rowtime")
    .watermark("rt", "SOURCE_WATERMARK()")
    .build(),
    "watermark": builder().watermark("ts", "ts - INTERVAL '1' SECOND").build(),
    "processing time": builder().column_by_expression("d", "PROCTIME()").watermark("ts", "ts").build(),
    "other order": Schema.new_builder().column("k", "STRING").column("id", "BIGINT").build(),
    "computed alone": Schema.new_builder().column_by_expression("d", "id * 2").build(),
    "key": Schema.new_builder()
    .column("id", DataTypes.INT().not_null())
    .column("k", "STRING")
    .primary_key("id")
    .build(),
    "nothing": Schema.new_builder().build(),
    "all": builder()
    .column_by_metadata("rt", DataTypes.TIMESTAMP_LTZ(3), "rowtime", True)
    .column_by_expression("z", "rt")
    .watermark("rt", "rt - INTERVAL '2' SECOND")
    .build(),
}
for name, schema in SCHEMAS.items():
    print(name)
    table = tables.from_data_stream(rows, schema)
    table.print_schema()
    table.select(col("*")).print_schema()
    tables.create_temporary_view("streamed", rows, schema)
    tables.from_path("streamed").print_schema()
    tables.sql_query("SELECT * FROM streamed").print_schema()
    tables.execute_sql("DESCRIBE streamed").print()
    tables.drop_temporary_view("streamed")
    tables.create_temporary_view("again", table)
    tables.from_path("again").print_schema()
    tables.drop_temporary_view("again")
    tables.from_changelog_stream(rows, schema).print_schema()
pairs = env.from_collection(
    [Row(1, "a"), Row(3, "b")], type_info=Types.ROW_NAMED(["id", "k"], [Types.INT(), Types.STRING()])
).assign_timestamps_and_watermarks(WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Seconds()))
timed = Schema.new_builder().column("id", "INT").column_by_metadata("rt", "TIMESTAMP_LTZ(3)", "rowtime")
for name, schema in (
    ("metadata", timed.build()),
    ("source watermark", timed.watermark("rt", "SOURCE_WATERMARK()").build()),
):
    tables.to_data_stream(tables.from_data_stream(pairs, schema)).process(Stamped(), Types.STRING()).print(name)
    env.execute()
