from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT REGEXP('abc', 'b'), REGEXP('abc', '^b'), REGEXP('abc', ''), REGEXP('abc', CAST(NULL AS STRING)), REGEXP('', 'a*')
""")
show("""
    SELECT REGEXP_REPLACE('a1b22', '[0-9]+', '#'), REGEXP_REPLACE('abc', '(a)(b)', '$2$1'), REGEXP_REPLACE('abc', '', '-'),
    REGEXP_REPLACE('abc', 'x', 'y'), REGEXP_REPLACE(CAST(NULL AS STRING), 'x', 'y')
""")
show("""
    SELECT REGEXP_EXTRACT('foo12bar', '([a-z]+)([0-9]+)', 2), REGEXP_EXTRACT('foo12bar', '([a-z]+)([0-9]+)'), REGEXP_EXTRACT('abc', 'x'),
    REGEXP_EXTRACT('abc', 'b', 0), REGEXP_EXTRACT('abc', '(x)?b', 1), REGEXP_EXTRACT('abc', 'b', 3)
""")
show("""
    SELECT REGEXP_EXTRACT_ALL('a1b22', '([a-z])([0-9]+)', 2), REGEXP_EXTRACT_ALL('a1b22', '([a-z])'), REGEXP_EXTRACT_ALL('abc', 'x', 0)
""")
show("SELECT REGEXP_COUNT('banana', 'an'), REGEXP_COUNT('', 'a'), REGEXP_COUNT('aaa', 'a*')")
show("""
    SELECT REGEXP_INSTR('banana', 'n'), REGEXP_INSTR('banana', 'x'), REGEXP_SUBSTR('banana', 'n.'), REGEXP_SUBSTR('banana', 'x')
""")
