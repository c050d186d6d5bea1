from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, json_string

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
table = env.from_elements([("a", 1), ('b"c', 2)], ["w", "n"])
env.create_temporary_view("t", table)


def show(*expressions):
    query = ", ".join(f"{text} AS c{i}" for i, text in enumerate(expressions))
    try:
        env.execute_sql(f"SELECT {query} FROM t").print()
    except Exception:
        print("fails:", query, flush=True)


show("JSON_STRING(JSON_STRING(w))", "JSON_STRING(JSON_STRING(n))", "JSON_STRING(JSON_STRING(JSON_STRING(w)))")
show(
    "JSON_STRING(JSON_OBJECT(KEY 'a' VALUE w))", "JSON_STRING(JSON_ARRAY(n, w))", "JSON_STRING(JSON_QUERY('[1]', '$'))"
)
show("JSON_OBJECT(KEY 'k' VALUE JSON_STRING(w))", "JSON_ARRAY(JSON_STRING(w), JSON_STRING(n))")
show("JSON_OBJECT(KEY 'k' VALUE JSON_OBJECT(KEY 'l' VALUE n))", "JSON_OBJECT(KEY 'k' VALUE JSON_ARRAY(w))")
show("JSON_ARRAY(JSON_ARRAY(n), JSON_OBJECT(KEY 'k' VALUE n))", "JSON_ARRAY(JSON_QUERY('[1]', '$'))")
show("JSON_OBJECT(KEY 'k' VALUE JSON_STRING(JSON_OBJECT(KEY 'l' VALUE w)))", "JSON_ARRAY(JSON_STRING(ARRAY[n]))")
show("JSON_OBJECT(KEY 'k' VALUE CONCAT(JSON_STRING(n), ''))", "CONCAT(JSON_STRING(w), JSON_OBJECT())")
show(
    "JSON_STRING(CAST(NULL AS STRING))",
    "JSON_STRING(JSON_STRING(CAST(NULL AS INT)))",
    "JSON_ARRAY(JSON_STRING(CAST(NULL AS INT)))",
)
show("JSON_VALUE(JSON_STRING(w), '$')", "JSON_VALUE(JSON_OBJECT(KEY 'k' VALUE JSON_STRING(w)), '$.k')")
table.select(json_string(json_string(col("w"))).alias("a"), json_string(col("n")).alias("b")).execute().print()
