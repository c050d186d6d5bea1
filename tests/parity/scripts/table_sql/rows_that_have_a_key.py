from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment

t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.get_config().set("parallelism.default", "1")
kind = DataTypes.ROW([DataTypes.FIELD("k", DataTypes.STRING()), DataTypes.FIELD("v", DataTypes.INT())])
t.create_temporary_view("t", t.from_elements([("a", 1), ("b", 2), ("a", 1), ("a", 3), ("b", 1)], kind))
t.create_temporary_view(
    "counts", t.sql_query("SELECT k, COUNT(*) AS c, MAX(v) AS m, COLLECT(v) AS s FROM t GROUP BY k")
)


def show(query):
    with t.execute_sql(query).collect() as r:
        rows = [str(x.get_row_kind()).split(".")[-1] + str(list(x)) for x in r]
    print(query, sorted(rows) if "SELECT k FROM t" in query else rows)


for query in (
    "SELECT k, m FROM counts INTERSECT SELECT k, v FROM t",
    "SELECT k, m FROM counts INTERSECT SELECT k, v FROM (SELECT k, v FROM t WHERE v < 0)",
    "SELECT k, m FROM counts EXCEPT SELECT k, v FROM (SELECT k, v FROM t WHERE v < 0)",
    "SELECT m FROM counts EXCEPT SELECT v FROM (SELECT k, v FROM t WHERE v < 0)",
    "SELECT v FROM t EXCEPT SELECT v FROM (SELECT k, v FROM t WHERE v < 0)",
    "SELECT k, i FROM counts CROSS JOIN UNNEST(ARRAY[m, 1]) AS u (i)",
    "SELECT k FROM counts CROSS JOIN UNNEST(ARRAY[m, 1]) AS u (i)",
    "SELECT i FROM counts CROSS JOIN UNNEST(ARRAY[m, 1]) AS u (i) WHERE i > 0",
    "SELECT i FROM counts LEFT JOIN UNNEST(ARRAY[m, 1]) AS u (i) ON TRUE",
):
    show(query)
