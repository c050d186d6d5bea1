from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT a, CASE WHEN a > 0 THEN 'pos' WHEN a < 0 THEN 'negative' ELSE 'zero' END, CASE a WHEN 1 THEN 'one' WHEN 2 THEN 'two' END,
    CASE WHEN a > 0 THEN a END, CASE WHEN a IS NULL THEN 1 ELSE 2.5 END
    FROM (VALUES (1), (-5), (0), (CAST(NULL AS INT))) AS t(a)
""")
show("""
    SELECT IF(a > 0, 'yes', 'no'), IF(a > 0, 1, CAST(NULL AS INT)), IFNULL(a, 9), NULLIF(a, 1), COALESCE(a, 7), COALESCE(NULL, a, 8)
    FROM (VALUES (1), (-5), (CAST(NULL AS INT))) AS t(a)
""")
show("""
    SELECT GREATEST(1, 2, 3), LEAST(1, 2, 3), GREATEST(1, CAST(NULL AS INT)), LEAST('b', 'a'), GREATEST(1.5, 2), LEAST(DATE '2024-01-01', DATE '2023-01-01')
""")
show("""
    SELECT TYPEOF(CASE WHEN TRUE THEN 'a' ELSE 'bcd' END), TYPEOF(COALESCE('a', 'bcd')), TYPEOF(IF(TRUE, 1, 2.5)),
    TYPEOF(IFNULL(CAST(NULL AS INT), 1)), TYPEOF(GREATEST(1, 2.5))
""")
show("""
    SELECT CASE WHEN 1 = 1 THEN NULL ELSE 'x' END, CASE WHEN NULL THEN 1 ELSE 2 END, '[' || CASE WHEN TRUE THEN 'a' ELSE 'bcd' END || ']'
""")
show("SELECT CASE WHEN TRUE THEN 1 ELSE 'a' END")
