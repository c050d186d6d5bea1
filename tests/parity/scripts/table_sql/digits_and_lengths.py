from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
CASTS = [
    *(("1", f"DECIMAL({digits})") for digits in ("50, 2", "39, 2", "50, 37", "38, 10", "2147483647, 3", "40")),
    *(("1", f"DECIMAL({digits})") for digits in ("50, 40", "39, 39", "10, 12", "0", "3000000000")),
    ("1", "DEC(40)"),
    ("1", "NUMERIC(50)"),
    ("'x'", "VARCHAR(0)"),
    ("'x'", "CHAR(0)"),
    ("'x'", "VARCHAR(3000000000)"),
    ("TIMESTAMP '2024-01-01 00:00:00.123'", "TIMESTAMP(10)"),
    ("TIMESTAMP '2024-01-01 00:00:00.123'", "TIMESTAMP(12)"),
    ("TIME '01:02:03'", "TIME(10)"),
    ("TIME '01:02:03'", "TIME(4)"),
    ("ARRAY[1]", "ARRAY<DECIMAL(50, 2)>"),
    ("MAP['a', 1]", "MAP<CHAR(0), DECIMAL(50, 2)>"),
    ("ROW(1)", "ROW<a DECIMAL(50, 2)>"),
]
COLUMNS = [
    *("DECIMAL(50, 2)", "DECIMAL(50, 40)", "DECIMAL(39)", "DECIMAL(0)", "DECIMAL(5, 6)", "TIMESTAMP(10)"),
    *("TIMESTAMP_LTZ(10)", "TIMESTAMP(12) WITH LOCAL TIME ZONE", "TIME(10)", "VARCHAR(0)", "CHAR(0)", "BINARY(0)"),
    *("VARBINARY(0)", "ARRAY<DECIMAL(50, 2)>", "ROW<a DECIMAL(50, 2), b CHAR(0)>"),
]


def shown(name, make):
    try:
        made = make()
        made.print_schema()
        return made
    except Exception:
        print(name, "fails")


for value, kind in CASTS:
    for cast in ("CAST", "TRY_CAST"):
        name = f"{cast}({value} AS {kind})"
        made = shown(name, lambda text=name: env.sql_query(f"SELECT {text} AS a"))
        if made is not None and cast == "CAST":
            with made.execute().collect() as rows:
                print(name, *rows)
for number, kind in enumerate(COLUMNS):
    create = f"CREATE TABLE t{number} (a {kind}) WITH ('connector' = 'blackhole')"
    shown(kind, lambda text=create, name=f"t{number}": env.execute_sql(text) and env.from_path(name))
