from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql("CREATE TEMPORARY VIEW names AS SELECT * FROM (VALUES ('Bob'), ('Alice'), ('Bob')) AS t (name)")
env.execute_sql("CREATE TEMPORARY VIEW upd AS SELECT name, COUNT(*) AS c FROM names GROUP BY name")
env.execute_sql("CREATE TEMPORARY VIEW gone AS SELECT name FROM upd WHERE c < 2")
env.execute_sql(
    "CREATE TEMPORARY VIEW ops AS SELECT * FROM (VALUES ('INSERT', 'a', 1), ('UPDATE_BEFORE', 'a', 1), ('UPDATE_AFTER', 'a', 2), ('DELETE', 'a', 2)) AS t (op, n, v)"
)
env.execute_sql(
    "CREATE TEMPORARY VIEW codes AS SELECT * FROM (VALUES (1, 'c', 'a'), (2, 'd', 'b'), (3, 'r', 'c')) AS t (v, o, n)"
)
env.execute_sql(
    "CREATE TEMPORARY VIEW nulls AS SELECT * FROM (VALUES ('INSERT', 1), (CAST(NULL AS STRING), 2)) AS t (op, v)"
)


def show(query):
    try:
        result = env.execute_sql(query)
        names = result.get_resolved_schema().get_column_names()
        with result.collect() as rows:
            print(names, [f"{row.get_row_kind().name} {list(row)}" for row in rows], query)
    except Exception:
        print("refused", query)


for query in (
    "SELECT * FROM TO_CHANGELOG(input => TABLE upd)",
    "SELECT * FROM TO_CHANGELOG(TABLE upd)",
    "SELECT * FROM TO_CHANGELOG(input => TABLE names)",
    "SELECT * FROM TO_CHANGELOG(input => TABLE gone)",
    "SELECT * FROM TO_CHANGELOG(input => TABLE upd, op => DESCRIPTOR(kind))",
    "SELECT * FROM TO_CHANGELOG(TABLE upd, DESCRIPTOR(kind), MAP['INSERT', 'I'])",
    "SELECT * FROM TO_CHANGELOG(input => TABLE upd, op_mapping => MAP['INSERT', 'I', 'UPDATE_AFTER', 'U'])",
    "SELECT * FROM TO_CHANGELOG(input => TABLE upd, op_mapping => MAP['INSERT, UPDATE_AFTER', 'I'])",
    "SELECT * FROM TO_CHANGELOG(input => TABLE upd, op_mapping => MAP['INSERT', 'I', 'NOTHING', 'U'])",
    "SELECT * FROM TO_CHANGELOG(input => TABLE upd, op_mapping => MAP['INSERT', 'I', 'INSERT, DELETE', 'U'])",
    "SELECT * FROM TO_CHANGELOG(input => TABLE upd, op_mapping => MAP['insert', 'I'])",
    "SELECT * FROM TO_CHANGELOG(input => TABLE upd, op => DESCRIPTOR(name))",
    "SELECT * FROM TO_CHANGELOG(input => TABLE upd, op => DESCRIPTOR(a, b))",
    "SELECT * FROM TO_CHANGELOG(input => TABLE upd PARTITION BY name)",
    "SELECT * FROM TO_CHANGELOG(input => TABLE ops)",
    "SELECT op, COUNT(*) AS n FROM TO_CHANGELOG(input => TABLE upd) GROUP BY op",
    "SELECT * FROM TO_CHANGELOG(input => TABLE upd) WHERE op = 'INSERT'",
    "SELECT * FROM TO_CHANGELOG(input => (SELECT c, name FROM upd)) AS t (a, b, d)",
    "SELECT * FROM FROM_CHANGELOG(input => TABLE ops)",
    "SELECT * FROM FROM_CHANGELOG(TABLE ops)",
    "SELECT n, SUM(v) AS s FROM FROM_CHANGELOG(input => TABLE ops) GROUP BY n",
    "SELECT * FROM FROM_CHANGELOG(input => TABLE codes, op => DESCRIPTOR(o), op_mapping => MAP['c, r', 'INSERT', 'd', 'DELETE'])",
    "SELECT * FROM FROM_CHANGELOG(input => TABLE codes, op => DESCRIPTOR(o), op_mapping => MAP['c', 'INSERT', 'd', 'DELETE'])",
    "SELECT * FROM FROM_CHANGELOG(input => TABLE codes, op => DESCRIPTOR(o), op_mapping => MAP['c', 'INSERT', 'd', 'GONE'])",
    "SELECT * FROM FROM_CHANGELOG(input => TABLE codes, op => DESCRIPTOR(o), op_mapping => MAP['c', 'INSERT', 'c', 'DELETE'])",
    "SELECT * FROM FROM_CHANGELOG(input => TABLE codes, op => DESCRIPTOR(o), op_mapping => MAP['c', 'INSERT', 'r', 'INSERT', 'd', 'DELETE'])",
    "SELECT * FROM FROM_CHANGELOG(input => TABLE codes)",
    "SELECT * FROM FROM_CHANGELOG(input => TABLE codes, op => DESCRIPTOR(v))",
    "SELECT * FROM FROM_CHANGELOG(input => TABLE nulls)",
    "SELECT * FROM FROM_CHANGELOG(input => TABLE upd, op => DESCRIPTOR(name))",
    "SELECT * FROM FROM_CHANGELOG(input => (SELECT * FROM TO_CHANGELOG(input => TABLE upd)))",
):
    show(query)
