from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, lit

t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.get_config().set("parallelism.default", "1")
kind = DataTypes.ROW([DataTypes.FIELD("k", DataTypes.STRING()), DataTypes.FIELD("v", DataTypes.INT())])
t.create_temporary_view("t", t.from_elements([("a", 1), ("b", 2), ("a", 1), ("a", 3), ("b", 1)], kind))
COUNTS = "SELECT k, COUNT(*) AS c, MAX(v) AS m FROM t GROUP BY k"
QUERIES = {
    "all": COUNTS,
    "other order": "SELECT k, MAX(v) AS m, COUNT(*) AS c FROM t GROUP BY k",
    "moved": "SELECT COUNT(*) AS c, MAX(v) AS m, k FROM t GROUP BY k",
    "having": COUNTS + " HAVING MAX(v) > 0",
    "having another": COUNTS + " HAVING MIN(v) > 0",
    "star": f"SELECT * FROM ({COUNTS})",
    "filtered": f"SELECT * FROM ({COUNTS}) WHERE m > 0",
    "computed": "SELECT k, COUNT(*) + 1 AS c, MAX(v) AS m FROM t GROUP BY k",
    "with": f"WITH a AS ({COUNTS}) SELECT k, c, m FROM a",
    "no key": "SELECT COUNT(*) AS c, MAX(v) AS m, MAX(k) AS k FROM t",
    "two keys": "SELECT k, v, COUNT(*) AS c, MAX(v) AS m FROM t GROUP BY k, v",
}


def show(name, table):
    with table.execute().collect() as r:
        print(name, [str(x.get_row_kind()).split(".")[-1] + str(list(x)) for x in r])


for name, query in QUERIES.items():
    show(f"{name}: by key", t.sql_query(query).group_by(col("k")).select(col("k"), col("m").count))
t.create_temporary_view("counts", t.sql_query(COUNTS))
for name, a in (
    ("of SQL", t.sql_query(COUNTS)),
    ("view", t.from_path("counts")),
    (
        "of the API",
        t.from_path("t").group_by(col("k")).select(col("k"), lit(1).count.alias("c"), col("v").max.alias("m")),
    ),
):
    show(f"{name}: total", a.select(col("m").count))
    show(f"{name}: expression", a.group_by(col("k")).select((col("m") + 1).count))
    show(f"{name}: key of an expression", a.group_by(col("k").upper_case).select(col("m").count))
    show(f"{name}: constant", a.select(lit(1).count))
    show(f"{name}: where", a.where(col("m") > 0).select(col("m").count))
    show(f"{name}: selected", a.select(col("k"), col("m")).group_by(col("k")).select(col("m").count))
    show(f"{name}: all selected", a.select(col("*")).select(col("m").count))
    show(f"{name}: renamed", a.rename_columns(col("c").alias("d")).select(col("m").count))
    show(f"{name}: dropped", a.drop_columns(col("c")).select(col("m").count))
    show(f"{name}: distinct", a.group_by(col("k")).select(col("m").count.distinct))
    show(f"{name}: result", a.group_by(col("k")).select(col("m").count + 1))
    show(
        f"{name}: twice",
        a.group_by(col("k"))
        .select(col("k"), col("m").count.alias("n"), col("c").count.alias("o"))
        .select(col("n").count),
    )
    show(f"{name}: named", a.alias("x", "y", "z").group_by(col("x")).select(col("z").count))
    show(f"{name}: union", a.union_all(a).where(col("k") == "a").select(col("m").count))
