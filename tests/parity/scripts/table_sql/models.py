from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
ONE = "MODEL {} INPUT (a INT COMMENT 'the a', b STRING NOT NULL) OUTPUT (c DOUBLE) COMMENT 'it''s' WITH ('provider' = 'openai', 'task' = 'x')"


def sql(statement):
    try:
        result = env.execute_sql(statement)
        rows = [tuple(row) for row in result.collect()]
        print(statement[:60], result.get_resolved_schema().get_column_names(), rows)
    except Exception:
        print(statement[:60], "refused")


sql("SHOW MODELS")
sql("CREATE " + ONE.format("m1"))
sql("CREATE " + ONE.format("m1"))
sql("CREATE " + ONE.format("IF NOT EXISTS m1"))
sql("CREATE TEMPORARY " + ONE.format("m2"))
sql("CREATE TEMPORARY " + ONE.format("m2"))
sql("CREATE TEMPORARY " + ONE.format("IF NOT EXISTS m2"))
sql("CREATE MODEL m3 WITH ('provider' = 'x')")
sql("CREATE MODEL m4 INPUT (a INT) OUTPUT (b INT)")
sql("CREATE MODEL m5 INPUT (a INT) WITH ('provider' = 'x')")
sql("CREATE MODEL m6 INPUT (a INT) OUTPUT (b INT) WITH ('task' = 'x')")
sql("CREATE MODEL m7 INPUT (a INT, a INT) OUTPUT (b INT) WITH ('provider' = 'x')")
sql("CREATE MODEL m8 OUTPUT (b INT) WITH ('provider' = 'x')")
sql("CREATE MODEL nowhere.m9 WITH ('provider' = 'x')")
for rest in ("", " LIKE 'm1%'", " NOT LIKE 'm1'", " FROM default_database", " IN nowhere"):
    sql("SHOW MODELS" + rest)
for name in ("m1", "m2", "m3", "nothing", "default_catalog.default_database.m1"):
    sql("DESCRIBE MODEL " + name)
    sql("SHOW CREATE MODEL " + name)
sql("ALTER MODEL m1 SET ('task' = 'y', 'n' = '1')")
sql("SHOW CREATE MODEL m1")
sql("ALTER MODEL m1 RESET ('n', 'provider')")
sql("SHOW CREATE MODEL m1")
for rest in (
    "m1 RESET ()",
    "m1 SET ()",
    "nothing SET ('a' = 'b')",
    "IF EXISTS nothing SET ('a' = 'b')",
    "m2 SET ('a' = 'b')",
):
    sql("ALTER MODEL " + rest)
for rest in (
    "m1 RENAME TO n1",
    "nothing RENAME TO n2",
    "IF EXISTS nothing RENAME TO n2",
    "n1 RENAME TO m3",
    "m2 RENAME TO m9",
):
    sql("ALTER MODEL " + rest)
sql("SHOW MODELS")
for rest in ("MODEL nothing", "MODEL IF EXISTS nothing", "MODEL m2", "TEMPORARY MODEL m2", "TEMPORARY MODEL m2"):
    sql("DROP " + rest)
sql("DROP TEMPORARY MODEL IF EXISTS m2")
sql("DROP MODEL n1")
sql("SHOW MODELS")
sql("CREATE TABLE numbers (a INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
sql("SELECT * FROM ML_PREDICT(TABLE numbers, MODEL m6, DESCRIPTOR(a))")
