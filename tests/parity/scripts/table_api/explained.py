from pyflink.table import EnvironmentSettings, ExplainDetail, TableEnvironment
from pyflink.table.expressions import col

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.execute_sql("CREATE TABLE t (n BIGINT) WITH ('connector' = 'blackhole')")
table = env.from_elements([(1, "a")], ["n", "w"]).where(col("n") > 0)


def headings(text):
    return [line for line in text.splitlines() if line.startswith("== ")]


print(headings(table.explain()))
print(headings(table.explain(ExplainDetail.CHANGELOG_MODE, ExplainDetail.ESTIMATED_COST)))
print(headings(table.explain(ExplainDetail.JSON_EXECUTION_PLAN)))
print(headings(env.explain_sql("SELECT 1")))
print(headings(env.explain_sql("INSERT INTO t SELECT CAST(1 AS BIGINT)")))
statements = env.create_statement_set().add_insert("t", table.select(col("n")))
print(headings(statements.explain()))
print(headings(table.select(col("n")).insert_into("t").explain()))
with env.execute_sql("EXPLAIN SELECT 1").collect() as rows:
    print([headings(row[0]) for row in rows])
result = env.execute_sql("EXPLAIN SELECT 1")
print(result.get_result_kind(), result.get_resolved_schema())


def refused(make):
    try:
        make()
        print("done")
    except Exception:
        print("refused")


refused(lambda: env.explain_sql("SELECT nothing FROM t"))
refused(lambda: env.explain_sql("SHOW TABLES"))
refused(lambda: table.explain("nothing"))
