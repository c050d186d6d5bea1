from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT a, a LIKE 'a%', a LIKE '_b', a LIKE '%', a LIKE '', a NOT LIKE 'a%'
    FROM (VALUES ('ab'), (''), ('AB'), ('a%'), (CAST(NULL AS STRING))) AS t(a)
""")
show("""
    SELECT 'a%' LIKE 'a!%' ESCAPE '!', 'ab' LIKE 'a!%' ESCAPE '!', 'a_b' LIKE 'a\\_b', 'axb' LIKE 'a\\_b', 'a.b' LIKE 'a.b'
""")
show("""
    SELECT 'abc' SIMILAR TO '(a|b)+c', 'abc' SIMILAR TO 'abc|x', 'abc' SIMILAR TO 'b', 'abc' NOT SIMILAR TO '%b%', 'a1' SIMILAR TO '[a-z][0-9]'
""")
show("SELECT 'abc' LIKE CAST(NULL AS STRING), CAST(NULL AS STRING) SIMILAR TO 'a'")
show("""
    SELECT 'a
    b' LIKE 'a%b', 'abc' LIKE '%b%', 'abcbd' LIKE '%b', 'aXbXc' LIKE 'a_b_c'
""")
show("""
    SELECT IS_ALPHA('abc'), IS_ALPHA('a1'), IS_ALPHA(''), IS_DIGIT('12'), IS_DIGIT('1.2'), IS_DECIMAL('1.2'), IS_DECIMAL('-1e3'), IS_DECIMAL('x')
""")
