from pyflink.table import EnvironmentSettings, ResultKind, TableEnvironment
from pyflink.table.expressions import col

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
table = env.from_elements([(1, "a"), (2, "b"), (1, "c")], ["n", "w"])
result = table.execute()
print(result.get_result_kind() == ResultKind.SUCCESS_WITH_CONTENT, result.get_result_kind())
print(result.get_table_schema().get_field_names())
print(result.get_resolved_schema())
with result.collect() as rows:
    print(next(rows))
    print(rows.next())
    print([row[1] for row in rows])
    try:
        next(rows)
    except StopIteration:
        print("no more")
counts = table.group_by(col("n")).select(col("n"), col("w").count.alias("c"))
with counts.execute().collect() as rows:
    for row in rows:
        print(row.get_row_kind(), row, row[1], len(row))
rows = table.execute().collect()
print(next(rows))
rows.close()
result = env.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'blackhole')")
print(result.get_result_kind(), result.get_job_client(), result.get_resolved_schema())
result.print()
with result.collect() as rows:
    print(list(rows))
