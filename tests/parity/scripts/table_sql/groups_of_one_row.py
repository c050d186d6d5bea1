from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment

t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.get_config().set("parallelism.default", "1")
kind = DataTypes.ROW([DataTypes.FIELD("k", DataTypes.STRING()), DataTypes.FIELD("v", DataTypes.INT())])
t.create_temporary_view("t", t.from_elements([("a", 1), (None, 5), ("b", 2), ("a", 3), ("A", 5)], kind))
t.create_temporary_view("g", t.sql_query("SELECT k, SUM(v) AS s, MAX(v) AS m FROM t GROUP BY k"))


def show(query):
    with t.execute_sql(query).collect() as r:
        print(query, [str(x.get_row_kind()).split(".")[-1] + str(list(x)) for x in r])


for calls in (
    "MAX(s)",
    "MIN(s), MAX(m)",
    "SUM(s)",
    "SUM(CAST(s AS DECIMAL(5, 2)))",
    "COUNT(s)",
    "COUNT(*)",
    "SUM(DISTINCT s)",
    "MAX(s) FILTER (WHERE s > 2)",
    "AVG(s)",
    "FIRST_VALUE(s)",
    "MAX(s + 1)",
    "MAX(DISTINCT s)",
    "SUM(s), COUNT(s)",
    "SUM(s / 2)",
    "LISTAGG(k)",
    "MAX(2)",
):
    show(f"SELECT k, {calls} FROM g GROUP BY k")
show("SELECT s, k, MAX(m) FROM g GROUP BY s, k")
show("SELECT s, MAX(m) FROM g GROUP BY s")
show("SELECT k || 'x', MAX(m) FROM g GROUP BY k")
show("SELECT MAX(m), SUM(s) FROM g GROUP BY k, 1")
show("SELECT m, MAX(s) FROM (SELECT SUM(v) AS s, MIN(k) AS m FROM t) GROUP BY m")
show("SELECT MAX(s) FROM (SELECT SUM(v) AS s, MIN(k) AS m FROM t) GROUP BY ()")
show("SELECT k, MAX(m) FROM g GROUP BY k HAVING MAX(m) > 1")
show("SELECT k, MAX(m) FROM g WHERE s > 1 GROUP BY k")
show("SELECT k, MAX(s) FROM (SELECT k, s FROM g UNION SELECT k, s FROM g) GROUP BY k")
show("SELECT k, s, MAX(s) FROM (SELECT k, s FROM g UNION SELECT k, s FROM g) GROUP BY k, s")
show("SELECT k, MAX(v) FROM (SELECT DISTINCT k, v FROM t) GROUP BY k, v")
