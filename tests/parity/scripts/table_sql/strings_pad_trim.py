from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT LPAD(a, 4, 'xy'), LPAD(a, 2, 'x'), LPAD(a, 0, 'x'), LPAD(a, -1, 'x'), LPAD(a, 4, ''), RPAD(a, 4, 'xy')
    FROM (VALUES ('abc'), (''), (CAST(NULL AS STRING))) AS t(a)
""")
show("SELECT RPAD('abc', 2, 'x'), RPAD('abc', 7, 'xy'), LPAD('abc', 4, CAST(NULL AS STRING))")
show("""
    SELECT '[' || TRIM(a) || ']', '[' || LTRIM(a) || ']', '[' || RTRIM(a) || ']', '[' || BTRIM(a) || ']'
    FROM (VALUES ('  ab  '), (''), ('   '), ('ab')) AS t(a)
""")
show("""
    SELECT TRIM(BOTH 'x' FROM 'xxaxx'), TRIM(TRAILING 'x' FROM 'xxaxx'), TRIM(LEADING FROM '  a'), TRIM(BOTH 'ab' FROM 'abacba')
""")
show("SELECT LTRIM('aabc', 'a'), RTRIM('cbaa', 'a'), BTRIM('abcba', 'ab'), LTRIM('abc', ''), RTRIM('abc', 'cb')")
show("SELECT REPEAT('ab', 2), REPEAT('ab', 0), REPEAT('ab', -1), REPEAT(CAST(NULL AS STRING), 2), REPEAT('', 3)")
show("""
    SELECT OVERLAY('abcdef' PLACING 'XY' FROM 2), OVERLAY('abcdef' PLACING '' FROM 2 FOR 2), OVERLAY('abc' PLACING 'X' FROM 9),
    OVERLAY('abc' PLACING 'X' FROM 0), OVERLAY('abc' PLACING 'XYZW' FROM 3 FOR 1)
""")
