from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


env.get_config().set("table.display.max-column-width", "80")
show("""
    SELECT JSON_OBJECT(), JSON_OBJECT(KEY 'a' VALUE 1), JSON_OBJECT('b' VALUE 'x', 'c' VALUE CAST(NULL AS INT)), JSON_OBJECT('a' VALUE CAST(NULL AS INT) ABSENT ON NULL)
""")
show("""
    SELECT JSON_ARRAY(), JSON_ARRAY(1, 'a', TRUE, CAST(NULL AS INT)), JSON_ARRAY(1, CAST(NULL AS INT) NULL ON NULL), JSON_ARRAY(1.5, CAST(2 AS DOUBLE))
""")
show("""
    SELECT JSON_OBJECT('t' VALUE TIMESTAMP '2024-01-01 01:02:03.5'), JSON_OBJECT('n' VALUE JSON_OBJECT('m' VALUE JSON_ARRAY(1)))
""")
show("""
    SELECT JSON_OBJECT('a' VALUE ARRAY[1, 2], 'm' VALUE MAP['k', 1], 'r' VALUE ROW(1, 'x')), JSON_OBJECT('q' VALUE 'a"b\\c')
""")
show("""
    SELECT JSON_STRING(1), JSON_STRING('x'), JSON_STRING(TRUE), JSON_STRING(CAST(NULL AS INT)), JSON_STRING(ARRAY[1, 2]), JSON_STRING(MAP['a', 1]), JSON_STRING(1.50)
""")
show("""
    SELECT JSON_QUOTE('a"b'), JSON_UNQUOTE('"a\\"b"'), JSON_UNQUOTE('x'), JSON_QUOTE('é'), JSON_QUOTE('	')
""")
show("""
    SELECT JSON_OBJECTAGG(KEY k VALUE v), JSON_OBJECTAGG(KEY k VALUE v ABSENT ON NULL) FROM (VALUES ('a', 1), ('b', CAST(NULL AS INT))) AS t(k, v)
""")
show("SELECT JSON_ARRAYAGG(v), JSON_ARRAYAGG(v NULL ON NULL) FROM (VALUES (1), (CAST(NULL AS INT)), (3)) AS t(v)")
show("""
    SELECT JSON_OBJECT('j' VALUE JSON('{"x": [1]}')), JSON_ARRAY(JSON('[1, 2]'), 'y'), TYPEOF(JSON_OBJECT()), JSON_STRING(X'0aff')
""")
