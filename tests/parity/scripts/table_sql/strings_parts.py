from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT SUBSTRING(a FROM 2), SUBSTRING(a, 2, 2), SUBSTRING(a, 0), SUBSTRING(a, -2), SUBSTRING(a, 10), SUBSTRING(a, 2, 0)
    FROM (VALUES ('hello'), (''), (CAST(NULL AS STRING))) AS t(a)
""")
show("SELECT SUBSTR('hello', 2), SUBSTR('hello', -3, 2), SUBSTRING('hello', -10, 3), SUBSTRING('hello', 0, 2)")
show("SELECT SUBSTRING('hello', 2, -1)")
show("""
    SELECT LEFT(a, 2), LEFT(a, 0), LEFT(a, -1), RIGHT(a, 2), RIGHT(a, 9), RIGHT(a, -1)
    FROM (VALUES ('hello'), (''), (CAST(NULL AS STRING))) AS t(a)
""")
show("""
    SELECT SPLIT_INDEX(a, ',', 0), SPLIT_INDEX(a, ',', 1), SPLIT_INDEX(a, ',', -1), SPLIT_INDEX(a, ',', 9)
    FROM (VALUES ('a,b,,d'), (''), (','), (CAST(NULL AS STRING))) AS t(a)
""")
show("""
    SELECT SPLIT('a,b,,c', ','), SPLIT('', ','), SPLIT('abc', ''), SPLIT(CAST(NULL AS STRING), ','), SPLIT('a', CAST(NULL AS STRING))
""")
show("SELECT ELT(2, 'a', 'b'), ELT(0, 'a', 'b'), ELT(3, 'a', 'b'), ELT(1, CAST(NULL AS STRING), 'b')")
