from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE VIEW v AS SELECT 1 AS a, 'x' AS b")
show("CREATE VIEW w (p, q) COMMENT 'with names' AS SELECT a, b FROM v WHERE a > 0")
show("SHOW VIEWS")
show("DESCRIBE w")
show("CREATE VIEW v AS SELECT 2 AS a")
show("CREATE VIEW IF NOT EXISTS v AS SELECT 2 AS a")
show("ALTER VIEW v RENAME TO u")
show("SHOW TABLES")
show("ALTER VIEW u AS SELECT 3 AS c")
show("DROP VIEW u")
show("SELECT * FROM w")
show("DROP VIEW nothing")
show("DROP VIEW IF EXISTS nothing")
show("DROP TABLE w")
show("CREATE TEMPORARY VIEW x AS VALUES (1, 2)")
show("SHOW VIEWS LIKE 'x%'")
