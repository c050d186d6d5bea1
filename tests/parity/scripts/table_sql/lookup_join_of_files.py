import os

from pyflink.table import EnvironmentSettings, TableEnvironment

SAID = (
    "requires primary key in versioned table",
    "Processing-time temporal join is not supported yet",
    "join key in Temporal Table Join can not be empty",
    "only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field",
    "no row time attribute can be found",
)
open("o.csv", "w").close()
WITH = f"WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath('o.csv')}', 'format' = 'csv')"
COLUMNS = "id INT, k INT, p AS PROCTIME(), at TIMESTAMP(3)".replace("at ", "ts ")


def attempt(step, text):
    try:
        step(text)
        return "is fine"
    except Exception as error:
        return next((part for part in SAID if part in str(error)), "fails")


for mode in (EnvironmentSettings.in_streaming_mode(), EnvironmentSettings.in_batch_mode()):
    env = TableEnvironment.create(mode)
    env.execute_sql(f"CREATE TABLE o ({COLUMNS}, WATERMARK FOR ts AS ts) {WITH}")
    env.execute_sql(f"CREATE TABLE d (k INT, name STRING) {WITH}")
    env.execute_sql(f"CREATE TABLE keyed (k INT, name STRING, PRIMARY KEY (k) NOT ENFORCED) {WITH}")
    env.execute_sql("CREATE VIEW counts AS SELECT k, COUNT(*) AS name FROM d GROUP BY k")
    for right in ("d", "keyed", "counts"):
        for condition in ("o.k = d.k", "o.k < d.k", "d.k = 1", "TRUE"):
            for kind in ("", "LEFT "):
                for time in ("o.p", "o.ts", "PROCTIME()", "CURRENT_TIMESTAMP"):
                    text = f"SELECT o.id, d.name FROM o {kind}JOIN {right} FOR SYSTEM_TIME AS OF {time} AS d ON {condition}"
                    found = attempt(env.explain_sql, text)
                    batch = mode.is_streaming_mode() is False
                    print(text, "" if batch or time not in ("o.p", "o.ts") else found, found == "is fine")
