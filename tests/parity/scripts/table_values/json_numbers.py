from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.get_config().set("table.local-time-zone", "UTC")
env.get_config().set("table.display.max-column-width", "60")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


NUMBERS = [
    "19.90",
    "0.123456789012345678",
    "1e400",
    "-0.0",
    "-0",
    "12345678901234567890123",
    "1E5",
    "1.0e-7",
    "100",
    "100.0",
    "1e-400",
]
NUMBERS += [
    "1.50e+3",
    "0e5",
    "0.00000010",
    "123456789.123456789",
    "-12345678901234567890.5",
    "0.1",
    "1.7976931348623157e309",
    "5e-324",
    "0.0",
]
for number in NUMBERS:
    env.create_temporary_view(
        f"t{abs(hash(number))}", env.from_elements([(f'{{"v": {number}, "w": [{number}, {{"x": {number}}}]}}',)], ["d"])
    )
tables = " UNION ALL ".join(f"SELECT {i} AS i, d FROM t{abs(hash(number))}" for i, number in enumerate(NUMBERS))
show(
    f"SELECT i, JSON_VALUE(d, '$.v') v, JSON_VALUE(d, '$.w[0]') w, JSON_QUERY(d, '$.w') q, JSON_EXISTS(d, '$.v') e, d IS JSON j FROM ({tables}) ORDER BY i"
)
show(
    f"SELECT i, JSON_QUERY(d, '$.v' WITH WRAPPER) a, JSON_QUERY(d, '$.v' WITH CONDITIONAL WRAPPER) b, JSON_QUERY(d, '$.w[*].x' WITH WRAPPER) c FROM ({tables}) ORDER BY i"
)
show(f"SELECT i, JSON_OBJECT('a' VALUE JSON(d)) a FROM ({tables}) ORDER BY i")
show("""
    SELECT CAST(JSON_VALUE('{"v": 0.123456789012345678}', '$.v') AS DECIMAL(38, 18)) a, JSON_VALUE('{"v": 19.90}', '$.v' RETURNING DOUBLE) b,
    JSON_VALUE('{"v": 1e400}', '$.v' RETURNING DOUBLE) c, JSON_VALUE('{"v": 7}', '$.v' RETURNING INTEGER) d, JSON_VALUE('{"v": true}', '$.v' RETURNING BOOLEAN) e,
    JSON_QUERY('{"v": [19.90, null, "a", {"b": 1.10}, true]}', '$.v' RETURNING ARRAY<STRING>) f
""")
DOCUMENTS = [
    '{"v": null}',
    "{}",
    '{"v": []}',
    '{"v": {"a": 1.0}}',
    '{"v": [null]}',
    "null",
    "x",
    '"v"',
    "1.0",
    '{"v": 1.0} x',
    '{"v": ""}',
]
documents = ", ".join(f"({i}, '{each}')" for i, each in enumerate(DOCUMENTS))
for mode in ("", "lax ", "strict "):
    show(f"""
        SELECT i, JSON_VALUE(d, '{mode}$.v' DEFAULT 'none' ON EMPTY) a, JSON_VALUE(d, '{mode}$.v' DEFAULT 'none' ON EMPTY DEFAULT 'err' ON ERROR) b,
        JSON_VALUE(d, '{mode}$.v[0]' DEFAULT 'none' ON EMPTY DEFAULT 'err' ON ERROR) c, JSON_VALUE(d, '{mode}$' DEFAULT 'none' ON EMPTY DEFAULT 'err' ON ERROR) d
        FROM (VALUES {documents}) AS t (i, d) ORDER BY i
    """)
    show(f"""
        SELECT i, JSON_QUERY(d, '{mode}$.v' EMPTY ARRAY ON EMPTY EMPTY OBJECT ON ERROR) a, JSON_QUERY(d, '{mode}$.v' EMPTY ARRAY ON EMPTY) b,
        JSON_QUERY(d, '{mode}$.v' WITH WRAPPER EMPTY ARRAY ON EMPTY EMPTY OBJECT ON ERROR) c,
        JSON_QUERY(d, '{mode}$.v' WITH CONDITIONAL WRAPPER EMPTY ARRAY ON EMPTY EMPTY OBJECT ON ERROR) d, JSON_EXISTS(d, '{mode}$.v') e, d IS JSON f,
        JSON_QUERY(d, '{mode}$' EMPTY ARRAY ON EMPTY EMPTY OBJECT ON ERROR) g
        FROM (VALUES {documents}) AS t (i, d) ORDER BY i
    """)
show("""SELECT JSON_VALUE('{"v": null}', 'lax $.v' ERROR ON EMPTY)""")
show("""SELECT JSON_VALUE('{"v": null}', '$.v' ERROR ON EMPTY)""")
show("""SELECT JSON_QUERY('{"v": null}', '$.v' ERROR ON EMPTY)""")
show("""
    SELECT JSON_STRING(CAST(19.90 AS DECIMAL(10, 2))) a, JSON_STRING(CAST(1e10 AS DOUBLE)) b, JSON_STRING(CAST(0.1 AS FLOAT)) c, JSON_STRING(CAST(1e-7 AS DOUBLE)) d,
    JSON_STRING(CAST('NaN' AS DOUBLE)) e, JSON_STRING(CAST(1 AS DOUBLE)) f, JSON_STRING(CAST(0.0000001 AS DECIMAL(10, 8))) g, JSON_STRING(12345678901234567.89) h,
    JSON_STRING(CAST(123456789 AS DOUBLE)) i, JSON_STRING(CAST(1.5 AS FLOAT)) j, JSON_STRING(CAST(12345678912 AS DOUBLE)) k
""")
show("""
    SELECT JSON_OBJECT('a' VALUE CAST(19.90 AS DECIMAL(10, 2)), 'b' VALUE CAST(1e10 AS DOUBLE)) a, JSON_OBJECT('c' VALUE CAST(0.1 AS FLOAT), 'd' VALUE CAST(1e-7 AS DOUBLE)) b,
    JSON_ARRAY(CAST(19.90 AS DECIMAL(10, 2)), CAST(1e10 AS DOUBLE), CAST(0.1 AS FLOAT)) c, JSON_ARRAY(CAST(1e7 AS FLOAT), CAST(3 AS DOUBLE), 1.10) d
""")
show("""
    SELECT '1e400' IS JSON a, '-0.0' IS JSON b, '01' IS JSON c, '1.' IS JSON d, '.5' IS JSON e, 'NaN' IS JSON f, '+1' IS JSON g, '1e' IS JSON h, '' IS JSON i,
    '{"a":1} x' IS JSON j, '12345678901234567890123' IS JSON SCALAR k, '{a:1}' IS JSON l, '[1,]' IS JSON m, '1 x' IS JSON n, '1x' IS JSON o, 'truex' IS JSON p, '"a"b' IS JSON q, ' [1]]' IS JSON r
""")
with open("texts", "w") as out:
    for number in NUMBERS:
        if number != "-0":
            out.write(f'{{"a": {number}}}\n')
    out.write('{"a": true}\n{"a": null}\n{"a": "x"}\n{"a": [1, "b", null]}\n')
env.execute_sql(
    "CREATE TEMPORARY TABLE texts (a STRING) WITH ('connector'='filesystem', 'path'='texts', 'format'='json')"
)
env.execute_sql("SELECT a FROM texts").print()
