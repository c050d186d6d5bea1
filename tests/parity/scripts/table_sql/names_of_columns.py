from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("SELECT 1, 'x' AS b, 1 + 1, UPPER('c')")
show("SELECT a, a AS a, b FROM (VALUES (1, 2)) AS t(a, b)")
show("SELECT t.a, t.b.c FROM (SELECT 1 AS a, CAST(ROW(2) AS ROW<c INT>) AS b) AS t")
show("SELECT * FROM (SELECT 1 AS a) AS x, (SELECT 2 AS a) AS y")
show("SELECT COUNT(*), SUM(a) AS s, MAX(a) + 1 FROM (VALUES (1), (2)) AS t(a)")
show("SELECT A FROM (VALUES (1)) AS t(a)")
show('SELECT `a b`, "x" FROM (VALUES (1)) AS t(`a b`)')
show("select upper('lower keywords') as `Select`")
show("""
    SELECT 1 AS a -- a comment
    , /* another */ 2 AS b
""")
show("""
    SELECT 'it''s' AS a, U&'\\00e9' AS b, '' AS c, 'a
    b' AS d
""")
