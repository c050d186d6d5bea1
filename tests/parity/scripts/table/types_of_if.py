from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql(
    "CREATE TEMPORARY VIEW v AS SELECT * FROM (VALUES ("
    "TRUE, CAST('2020-01-01 00:00:00.1' AS TIMESTAMP(0)), CAST('2020-01-01 00:00:00.123' AS TIMESTAMP(3)), "
    "CAST('2020-01-01 00:00:00.123456' AS TIMESTAMP(6)), "
    "CAST(TIMESTAMP '2020-01-01 00:00:00.123456' AS TIMESTAMP_LTZ(3)), "
    "CAST('10:00:00.123' AS TIME(0)), CAST('10:00:00.123' AS TIME(3)), "
    "CAST(1.5 AS FLOAT), CAST(2.1 AS DOUBLE), CAST(1.25 AS DECIMAL(5, 2)), CAST(123.4567 AS DECIMAL(10, 4)), "
    "7, CAST(8 AS BIGINT), CAST('a' AS CHAR(3)), CAST('bcdef' AS CHAR(5)), CAST('xy' AS VARCHAR(4)), "
    "CAST(X'0102' AS BINARY(2)), CAST(X'010203' AS VARBINARY(5)))"
    ") AS v(b, t0, t3, t6, l3, m0, m3, f, d, d5, d10, i, g, c3, c5, v4, b2, b5)"
)
PAIRS = (
    ("t0", "t3", "t6"),
    ("t3", "l3", "t6"),
    ("m0", "m3"),
    ("f", "d"),
    ("d5", "d10"),
    ("d10", "f"),
    ("i", "g"),
    ("i", "d5"),
    ("i", "f"),
    ("c3", "c5"),
    ("c3", "v4"),
    ("b2", "b5"),
)
FORMS = (
    "IF(b, {0}, {1})",
    "IF(NOT b, {0}, {1})",
    "CASE WHEN b THEN {0} ELSE {1} END",
    "CASE WHEN NOT b THEN {0} ELSE {1} END",
    "COALESCE({0}, {1})",
    "COALESCE(NULLIF({0}, {0}), {1})",
    "IFNULL({0}, {1})",
    "GREATEST({0}, {1})",
)
for names in PAIRS:
    for one in names:
        for other in names:
            if one == other:
                continue
            forms = [form.format(one, other) for form in FORMS if not (form[0] == "G" and one[0] == "b")]
            columns = [f"CONCAT(TYPEOF({form}), ' ', CAST({form} AS STRING))" for form in forms]
            with env.sql_query(f"SELECT {', '.join(columns)} FROM v").execute().collect() as rows:
                for row in rows:
                    print(one, other, *row, sep="\n  ")
