import re

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("table.optimizer.non-deterministic-update.strategy", "TRY_RESOLVE")
COLUMNS = "id INT, v INT, p STRING METADATA FROM 'file.path', size BIGINT METADATA FROM 'file.size'"
KEY = ", PRIMARY KEY (id) NOT ENFORCED"
for name, key, form in (("c", "", "debezium-json"), ("k", KEY, "debezium-json"), ("i", "", "json")):
    env.execute_sql(
        f"CREATE TABLE {name} ({COLUMNS}{key}) WITH ('connector' = 'filesystem', 'path' = '/tmp/none', 'format' = '{form}')"
    )
for name, key in (("plain", ""), ("keyed", KEY)):
    env.execute_sql(f"CREATE TABLE {name} (id INT, v INT, p STRING{key}) WITH ('connector' = 'blackhole')")
for statement in (
    "INSERT INTO plain SELECT id, v, p FROM c",
    "INSERT INTO plain SELECT id, CAST(size AS INT), p FROM c",
    "INSERT INTO plain SELECT id, v, p FROM k",
    "INSERT INTO keyed SELECT id, v, p FROM k",
    "INSERT INTO plain SELECT id, v, 'x' FROM c",
    "INSERT INTO plain SELECT id, v, p FROM i",
    "INSERT INTO plain SELECT v, CAST(COUNT(*) AS INT), 'x' FROM c GROUP BY v",
    "INSERT INTO plain SELECT 1, CAST(COUNT(*) AS INT), p FROM c GROUP BY p",
    "INSERT INTO plain SELECT id, v, 'x' FROM c WHERE p <> 'y'",
    "INSERT INTO plain SELECT a.id, b.v, 'x' FROM c AS a JOIN k AS b ON a.id = b.id",
    "INSERT INTO plain SELECT a.id, b.v, b.p FROM c AS a JOIN k AS b ON a.id = b.id",
):
    try:
        env.explain_sql(statement)
        print(statement, "taken")
    except Exception as error:
        found = re.search(r"The metadata column\(s\): '[^']*' in cdc source may cause wrong result", str(error))
        print(statement, found.group() if found else error)
