from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT a, UPPER(a) AS u, LOWER(a) AS l, INITCAP(a) AS i, REVERSE(a) AS r
    FROM (VALUES ('Hello wORLD'), (''), (CAST(NULL AS STRING)), ('straße éÀ'), ('a-b_c 1x')) AS t(a)
""")
show("""
    SELECT CHAR_LENGTH(a) AS c, CHARACTER_LENGTH(a) AS d, ASCII(a) AS s
    FROM (VALUES ('abc'), (''), ('é'), (CAST(NULL AS STRING)), ('日本')) AS t(a)
""")
show("SELECT CHR(65), CHR(0), CHR(-1), CHR(300), CHR(97 + 256), CHR(CAST(NULL AS INT))")
