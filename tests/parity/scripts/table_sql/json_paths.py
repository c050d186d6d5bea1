from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT JSON_VALUE(j, '$.a'), JSON_VALUE(j, '$.b'), JSON_VALUE(j, '$.c[1]'), JSON_VALUE(j, '$.d.e'), JSON_VALUE(j, '$.n'), JSON_VALUE(j, '$.c')
    FROM (VALUES ('{"a": 1, "b": "x", "c": [1, 2], "d": {"e": true}, "n": null}'), ('[]'), (CAST(NULL AS STRING))) AS t(j)
""")
show("""
    SELECT JSON_VALUE('{"a": 12}', '$.a' RETURNING INT), JSON_VALUE('{"a": 1.5}', 'lax $.a' RETURNING DOUBLE), JSON_VALUE('{"a": true}', '$.a' RETURNING BOOLEAN)
""")
show("""
    SELECT JSON_VALUE('{"a": 1}', 'strict $.b' DEFAULT 'x' ON ERROR), JSON_VALUE('{"a": 1}', '$.b' DEFAULT 'y' ON EMPTY), JSON_VALUE('bad', '$.a')
""")
show("""
    SELECT JSON_VALUE('{"a": 1}', 'strict $.b' ERROR ON ERROR)
""")
show("""
    SELECT JSON_VALUE('{"a": 1}', '$.b' ERROR ON EMPTY)
""")
show("""
    SELECT JSON_QUERY('{"a": [1, {"b": 2}]}', '$.a'), JSON_QUERY('{"a": 1}', '$.a'), JSON_QUERY('{"a": 1}', '$.a' WITH WRAPPER),
    JSON_QUERY('{"a": [1]}', '$.a' WITH CONDITIONAL WRAPPER), JSON_QUERY('{"a": 1}', '$.b' EMPTY ARRAY ON EMPTY), JSON_QUERY('{', '$' EMPTY OBJECT ON ERROR)
""")
show("""
    SELECT JSON_EXISTS('{"a": 1}', '$.a'), JSON_EXISTS('{"a": 1}', '$.b'), JSON_EXISTS('{', '$.a'), JSON_EXISTS('{', 'strict $.a' TRUE ON ERROR),
    JSON_EXISTS(CAST(NULL AS STRING), '$')
""")
show("""
    SELECT '{"a": 1}' IS JSON, '1' IS JSON SCALAR, '[1]' IS JSON ARRAY, '[1]' IS JSON OBJECT, 'x' IS JSON, 'x' IS NOT JSON, '' IS JSON
""")
show("""
    SELECT JSON_QUERY('{"a": [{"b": 1}, {"b": 2}]}', '$.a[*].b'), JSON_VALUE('{"a b": 1}', '$["a b"]'), JSON_QUERY('{"x": {"y": 1.0}}', '$.x')
""")
show("""
    SELECT JSON_QUERY('{"a": ["x", "y"]}', '$.a' RETURNING ARRAY<STRING>)
""")
