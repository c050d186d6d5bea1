from pyflink.table import EnvironmentSettings, TableEnvironment

tables = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
tables.get_config().set_local_timezone("UTC")
NOON = "TIMESTAMP '2024-01-01 12:00:00.123456'"


def show(columns):
    frame = tables.sql_query(f"SELECT {', '.join(columns)}").to_pandas()
    print(frame.dtypes.to_string())
    print(frame.to_string())
    for name in frame.columns:
        for value in frame[name]:
            print(name, type(value).__name__, repr(value))
    return frame


def back(*columns):
    table = tables.from_pandas(show(columns))
    table.print_schema()
    table.execute().print()


show([f"CAST({NOON} AS TIMESTAMP({digits})) AS t{digits}" for digits in range(7)])
show([f"CAST({NOON} AS TIMESTAMP_LTZ({digits})) AS t{digits}" for digits in (0, 3, 6)])
show(["CAST(NULL AS TIMESTAMP(3)) AS a", "CAST(NULL AS TIMESTAMP_LTZ(3)) AS b"])
show(["CAST(TIMESTAMP '0001-01-01 00:00:00' AS TIMESTAMP(3)) AS early", "TIMESTAMP '9999-12-31 23:59:59.999' AS late"])
show(["DATE '2024-01-01' AS a", "TIME '10:00:00' AS b", "X'0102' AS c", "CAST(1.5 AS DECIMAL(5, 2)) AS d", "'a' AS e"])
show(
    [
        "CAST(1 AS TINYINT) AS a",
        "CAST(NULL AS INT) AS b",
        "TRUE AS c",
        "CAST(NULL AS BOOLEAN) AS d",
        "CAST(1.5 AS FLOAT) AS e",
    ]
)
show(["MAP['a', 1] AS a", "CAST(NULL AS ARRAY<INT>) AS b", "ARRAY[TRUE, FALSE] AS c", "ARRAY[TRUE, NULL] AS d"])
show(["ARRAY[DATE '2024-01-01'] AS a", "ARRAY[TIME '10:00:00'] AS b", "ARRAY[CAST(1.5 AS DECIMAL(5, 2))] AS c"])
show(["CAST(ROW(TRUE, CAST(1 AS TINYINT)) AS ROW<p BOOLEAN, q TINYINT>) AS a"])
back("ARRAY[1, 2] AS a", "ARRAY['x', NULL] AS b", "CAST(ROW(1, 'a') AS ROW<p INT, q STRING>) AS c")
back("ARRAY[TIMESTAMP '2024-01-01 10:00:00'] AS a", "ARRAY[CAST(1.5 AS DOUBLE)] AS b")
back("ARRAY[1, NULL] AS a", "ARRAY[ARRAY[1.5], ARRAY[2.5]] AS b")
back("TIMESTAMP '2024-01-01 10:00:00.5' AS a", "CAST(TIMESTAMP '2024-01-01 10:00:00' AS TIMESTAMP_LTZ(3)) AS b")
