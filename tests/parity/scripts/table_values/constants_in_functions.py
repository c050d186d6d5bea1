from decimal import Decimal

from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import array, lit, map_, null_of
from pyflink.table.udf import udf

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("parallelism.default", "1")
t_env.get_config().set_local_timezone("UTC")


@udf(result_type=DataTypes.STRING())
def said(value, other):
    if isinstance(value, Decimal):
        value = value.normalize()  # constants keep the digits that they are written with
    return f"{type(value).__name__} {value!r} {other}"


tab = t_env.from_elements([(7,)], DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())]))
t_env.create_temporary_view("tab", tab)
t_env.create_temporary_function("said", said)
LITERALS = [
    lit(1),
    lit(2**40),
    lit(1.5),
    lit(True),
    lit("it's"),
    lit(Decimal("1.50")),
    lit(Decimal("1.5"), DataTypes.DECIMAL(10, 3).not_null()),
    null_of(DataTypes.INT()),
    null_of(DataTypes.DECIMAL(5, 2)),
    lit("5").cast(DataTypes.INT()),
    lit(5).cast(DataTypes.DECIMAL(5, 2)),
    lit(1) + lit(2),
    array(1, 2),
    map_("k", 1),
    array(lit(Decimal("1.5")), lit(Decimal("2.25"))),
]
for place, each in enumerate(LITERALS):
    tab = tab.add_columns(said(each, place).alias(f"c{place}"))
with tab.execute().collect() as rows:
    for found in rows:
        print(*found, sep="\n")
SQL = """
1; 1.5; 1.50; 1.5E0; -2; TRUE; 'it''s'; DATE '2024-01-02'; TIME '01:02:03'; TIMESTAMP '2024-01-02 03:04:05.006';
CAST(NULL AS DECIMAL(5, 2)); CAST(1.5 AS DECIMAL(10, 4)); CAST('1.25' AS DECIMAL(5, 2)); 3000000000;
CAST(1 AS TINYINT); CAST(1.5 AS FLOAT); 1 + 0.5; ARRAY[1.5, 2.25]; MAP['k', 1.5]; UPPER('a'); a * 1.0
"""
columns = [f"said({each.strip()}, {place})" for place, each in enumerate(SQL.split(";"))]
with t_env.execute_sql(f"SELECT {', '.join(columns)} FROM tab").collect() as rows:
    for found in rows:
        print(*found, sep="\n")
