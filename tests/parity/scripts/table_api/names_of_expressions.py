"""Names that columns have by the expressions that they come from."""

from pyflink.table import DataTypes, EnvironmentSettings, Row, TableEnvironment
from pyflink.table.expressions import col, lit, row, to_timestamp

tables = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
INT, TEXT = DataTypes.INT(), DataTypes.STRING()
INNER = DataTypes.ROW([DataTypes.FIELD("c", TEXT)])
FIELDS = {
    "id": INT,
    "name": TEXT,
    "r": DataTypes.ROW([DataTypes.FIELD("a", INT), DataTypes.FIELD("b", INNER)]),
    "m": DataTypes.MAP(TEXT, INT),
    "l": DataTypes.ARRAY(INT),
}
schema = DataTypes.ROW([DataTypes.FIELD(name, kind) for name, kind in FIELDS.items()])
t = tables.from_elements([(1, "Jack", Row(a=1, b=Row(c="x")), {"k": 1}, [1])], schema)
WIDER = DataTypes.ROW([DataTypes.FIELD("x", DataTypes.BIGINT()), DataTypes.FIELD("y", INNER)])


def names(table):
    print(table.get_schema().get_field_names())


CASTS = [TEXT, INT, DataTypes.BIGINT().not_null(), DataTypes.DOUBLE(), DataTypes.DECIMAL(5, 2), DataTypes.TINYINT()]
names(t.select(*[t.id.cast(kind) for kind in CASTS]))
OF_TEXT = [DataTypes.CHAR(3), DataTypes.VARCHAR(5), DataTypes.BYTES(), DataTypes.TIMESTAMP_LTZ(3), DataTypes.DATE()]
names(t.select(*[t.name.cast(kind) for kind in OF_TEXT]))
names(t.select(t.r.cast(WIDER), t.l.cast(DataTypes.ARRAY(TEXT)), t.m.cast(DataTypes.MAP(TEXT, TEXT))))
names(t.select(t.name.to_date, t.name.to_time, t.name.to_timestamp, to_timestamp(t.name)))
names(t.select(t.name.try_cast(INT), t.id.cast(TEXT).cast(INT), lit(1).cast(TEXT), (t.id + 1).cast(TEXT)))
names(t.select(t.id.alias("x").cast(TEXT), t.id.cast(TEXT).alias("y"), t.name.upper_case.cast(INT), t.id))
names(t.select(t.r.get("a"), t.r.get(0), t.r.get("b").get("c"), t.r.get("a").cast(TEXT)))
names(t.select(t.l.at(1), t.m.at("k"), row(t.id, t.name).get("f0"), row(t.id, t.name).get(0)))
names(t.select(t.r.flatten, t.r.get("b").flatten, t.r.cast(WIDER).flatten))
names(t.select(t.id.sum.cast(INT), t.id.sum + 1, t.id.sum.cast(INT).cast(TEXT), t.id.max))
names(t.group_by(t.name).select(t.name.cast(TEXT), t.id.sum.cast(INT), t.id.max, t.name.upper_case))
names(t.add_columns(t.id + 1, t.id.cast(TEXT)))
names(t.add_or_replace_columns(t.id.cast(TEXT), t.r.get("a")))
names(t.select(t.id.cast(TEXT)).distinct().select(col("id-STRING")).order_by(col("id-STRING")))
for twice in ([t.id.cast(INT), t.id.cast(INT)], [t.r.get("a"), t.r.flatten]):
    try:
        t.select(*twice)
        print("two columns of one name")
    except Exception:
        print("refused")

QUERIES = [
    "SELECT CURRENT_DATE, CURRENT_TIME, CURRENT_TIMESTAMP, LOCALTIME, LOCALTIMESTAMP",
    "SELECT current_date, CURRENT_DATE, CURRENT_DATE, LOCALTIME AS x, LOCALTIME y",
    "SELECT PI(), CURRENT_DATABASE(), CURRENT_ROW_TIMESTAMP(), NOW()",
    "SELECT CURRENT_DATE + INTERVAL '1' DAY, CAST(CURRENT_DATE AS STRING), (CURRENT_DATE)",
    "SELECT v.f.a, v.f[1], v.f FROM (SELECT CAST(ROW(1, 2) AS ROW<a INT, b INT>) AS f) AS v",
    "SELECT CURRENT_DATE, COUNT(*) FROM (VALUES 1) AS t (a) GROUP BY a",
    "SELECT * FROM (SELECT CURRENT_DATE, 1 FROM (VALUES 1) AS t (a))",
    "SELECT CURRENT_DATE UNION ALL SELECT CURRENT_DATE",
    "SELECT CURRENT_DATE, a FROM (VALUES 1) AS t (a) ORDER BY a",
    "SELECT DISTINCT CURRENT_DATE, a FROM (VALUES 1) AS t (a)",
]
for query in QUERIES:
    names(tables.sql_query(query))
