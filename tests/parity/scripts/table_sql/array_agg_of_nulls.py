from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
for text in (
    "ARRAY_AGG(x IGNORE NULLS)",
    "CARDINALITY(ARRAY_AGG(x RESPECT NULLS))",
):
    with env.execute_sql(
        f"SELECT CAST({text} AS STRING) FROM (VALUES 3, CAST(NULL AS INT), 3) AS t(x)"
    ).collect() as rows:
        print(text, list(rows), sep=" | ")
