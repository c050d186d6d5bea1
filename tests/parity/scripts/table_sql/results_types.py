from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT CAST(1 AS TINYINT) AS a, CAST(-2 AS SMALLINT) AS b, CAST(3 AS BIGINT) AS c, CAST(1.5 AS FLOAT) AS d, CAST(1e300 AS DOUBLE) AS e, CAST(1.5 AS DECIMAL(10, 3)) AS f, TRUE AS g
""")
show("""
    SELECT CAST('ab' AS CHAR(4)) AS a, CAST('abc' AS VARCHAR(2)) AS b, X'0aff' AS c, CAST('x' AS BYTES) AS d, DATE '2024-01-01' AS e, TIME '01:02:03' AS f, TIMESTAMP '2024-01-01 01:02:03.12' AS g
""")
show("""
    SELECT 'a text that is much longer than thirty characters' AS a, 'ab' AS a_column_name_that_is_longer_than_thirty_letters, '' AS c, CAST(NULL AS STRING) AS d
""")
show("SELECT CAST('日本語' AS STRING) AS a, 'tab	x' AS b, 'é' AS c")
show("""
    SELECT ARRAY[ARRAY['x']] AS a, MAP['k', MAP[1, 2]] AS b, ROW(1, ROW('x', TRUE)) AS c, CAST(NULL AS ARRAY<INT>) AS d, ARRAY[1.50] AS e, ARRAY[X'0a'] AS f, ARRAY[DATE '2024-01-01'] AS g
""")
