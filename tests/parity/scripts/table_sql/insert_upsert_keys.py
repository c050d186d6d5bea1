# parity: any order
from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql("""
    CREATE TEMPORARY VIEW words AS SELECT * FROM (VALUES ('a', 1), ('b', 2), ('a', 3), ('b', 4), ('c', 5)) AS v (w, i)
""")
env.execute_sql("CREATE TEMPORARY VIEW few AS SELECT * FROM (VALUES ('a'), ('b'), ('a')) AS v (w)")
env.execute_sql("CREATE TEMPORARY VIEW l AS SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS v (id, v)")
env.execute_sql("CREATE TEMPORARY VIEW r AS SELECT * FROM (VALUES (1, 'p'), (1, 'q'), (3, 'z')) AS v (id, v)")
for name, columns, key in (
    ("by_n", "n BIGINT, w STRING", "n"),
    ("by_w", "n BIGINT, w STRING", "w"),
    ("by_both", "n BIGINT, w STRING", "w, n"),
    ("by_length", "l INT, w STRING, n BIGINT", "l"),
    ("by_id", "id INT, a STRING, b STRING", "id"),
):
    env.execute_sql(
        f"CREATE TABLE {name} ({columns}, PRIMARY KEY ({key}) NOT ENFORCED) WITH ('connector' = 'print', 'print-identifier' = '{name}')"
    )
env.execute_sql("CREATE TABLE no_key (n BIGINT, w STRING) WITH ('connector' = 'print', 'print-identifier' = 'no_key')")


def insert(text):
    try:
        env.execute_sql(text).wait()
    except Exception as error:
        said = str(error)
        for known in (
            "The query has an upsert key that differs from the primary key",
            "Primary key constraint violation: multiple distinct records with the same primary key detected",
            "ON CONFLICT clause is only allowed for upsert sinks",
        ):
            if known in said:
                print("refused:", known, text)
                return
        print("fails:", text)


COUNTS = "SELECT COUNT(*) AS n, w FROM words GROUP BY w"
LENGTHS = "SELECT CHAR_LENGTH(w), w, COUNT(*) FROM words GROUP BY w"
JOINED = "SELECT l.id, l.v, r.v FROM l LEFT JOIN r ON l.id = r.id"
insert(f"INSERT INTO by_n {COUNTS}")
insert(f"INSERT INTO by_length {LENGTHS}")
insert(f"INSERT INTO by_id {JOINED}")
insert("INSERT INTO by_w SELECT COUNT(*), UPPER(w) FROM words GROUP BY w")
insert("INSERT INTO by_w SELECT COUNT(*), w FROM words GROUP BY w, i")
insert(
    "INSERT INTO by_both SELECT COUNT(*), w FROM words GROUP BY w UNION ALL SELECT COUNT(*), w FROM words GROUP BY w"
)
insert("INSERT INTO by_w SELECT i, w FROM words ON CONFLICT DO NOTHING")
