from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
FLOAT = "CAST(0.1 AS FLOAT)"
for value in (
    FLOAT, f"ARRAY[{FLOAT}]", f"MAP['a', {FLOAT}]", f"MAP[{FLOAT}, 1]", f"ROW({FLOAT}, 1)", f"ARRAY[ROW({FLOAT})]",
    f"ARRAY[ARRAY[{FLOAT}]]", f"COLLECT({FLOAT})", "CAST(1e10 AS FLOAT)", "CAST(16777217 AS FLOAT)",
    "CAST(3.4028235e38 AS FLOAT)", "CAST(1e-45 AS FLOAT)", f"{FLOAT} + 1",
    "x'6162'", "ARRAY[x'61']", "MAP['a', x'61']", "ROW(x'61')", "CAST(x'61' AS BINARY(2))", "CAST(NULL AS BYTES)",
    "ARRAY[CAST(1 AS TINYINT)]", "TIME '01:02:03'", "ARRAY[TIME '01:02:03']", "CAST('01:02:03.456' AS TIME(3))",
    "ARRAY[DATE '2024-01-31']", "TIMESTAMP '2024-01-31 00:00:00.123'", "ARRAY[CAST(1.5 AS DECIMAL(5, 2))]",
    "CAST(1e-7 AS DECIMAL(20, 10))", "CAST(0 AS DECIMAL(20, 10))", "ROW(CAST(0.0000001 AS DECIMAL(20, 10)))",
):  # fmt: skip
    with env.execute_sql(f"SELECT {value}").collect() as rows:
        print(value, [repr(list(row)) for row in rows], flush=True)
