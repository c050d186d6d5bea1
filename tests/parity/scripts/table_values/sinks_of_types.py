import json
import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.get_config().set("table.local-time-zone", "Asia/Tokyo")
env.get_config().set("table.display.max-column-width", "60")

EDGES = {
    "BOOLEAN": ["TRUE", "FALSE"],
    "TINYINT": ["-128", "127"],
    "SMALLINT": ["-32768", "32767"],
    "INT": ["-2147483648", "2147483647"],
    "BIGINT": ["-9223372036854775808", "9223372036854775807"],
    "FLOAT": ["3.4028235E38", "1.4E-45", "0.1", "-0.0", "1.0E7", "123456.7"],
    "DOUBLE": ["1.7976931348623157E308", "4.9E-324", "0.1", "-0.0", "1.0E7", "0.001", "9.999E-4"],
    "DECIMAL(5, 2)": ["-999.99", "999.99", "0", "1.005", "0.01"],
    "DECIMAL(38, 18)": ["-99999999999999999999.999999999999999999", "1E-18", "1.5"],
    "DECIMAL(38, 0)": ["99999999999999999999999999999999999999", "0"],
    "DECIMAL(10, 0)": ["1000", "-7"],
    "CHAR(3)": ["a", "abc", "😀", "", "a😀"],
    "VARCHAR(3)": ["a", "abcd", "😀😀😀😀", ""],
    "STRING": [
        "",
        "a,b",
        'say "x"',
        "two\nlines",
        "tab\there",
        "😀",
        " lead ",
        "é",
        "null",
        "a;b",
        "#x",
        "a'b",
        "\u0001",
        "\u2028",
        "</a>",
    ],
    "DATE": ["0001-01-01", "9999-12-31", "1969-12-31", "1582-10-10", "2024-02-29"],
    "TIME": ["00:00:00", "23:59:59", "12:00:00"],
    "TIME(3)": ["00:00:00", "23:59:59.999", "12:00:00.1"],
    "TIMESTAMP(0)": ["0001-01-01 00:00:00", "9999-12-31 23:59:59", "1969-12-31 23:59:59", "2024-02-29 12:00:00"],
    "TIMESTAMP(1)": ["2024-02-29 12:00:00.1", "2024-02-29 12:00:00", "1969-12-31 23:59:59.9"],
    "TIMESTAMP(3)": [
        "0001-01-01 00:00:00.001",
        "9999-12-31 23:59:59.999",
        "2024-02-29 12:00:00",
        "2024-02-29 12:34:00.5",
    ],
    "TIMESTAMP(6)": [
        "2024-02-29 12:00:00.000001",
        "1969-12-31 23:59:59.999999",
        "2024-02-29 00:00:00",
        "2024-02-29 12:00:00.1",
    ],
    "TIMESTAMP(9)": ["2024-02-29 12:00:00.000001", "2024-02-29 12:00:00", "2024-02-29 12:00:00.12"],
    "TIMESTAMP_LTZ(0)": ["2024-02-29 12:00:00", "1969-12-31 23:59:59", "1887-12-31 00:00:00"],
    "TIMESTAMP_LTZ(3)": [
        "2024-02-29 12:00:00",
        "2024-02-29 12:00:00.5",
        "1969-12-31 23:59:59.999",
        "0001-01-02 00:00:00",
    ],
    "TIMESTAMP_LTZ(6)": ["2024-02-29 12:00:00.000001", "2024-02-29 12:00:00"],
    "BINARY(3)": ["AP+A", "YWJj", "YWI="],
    "VARBINARY(3)": ["", "8J+YgA==", "AQ=="],
    "BYTES": ["", "8J+YgA==", "AA==", "/w=="],
}
NESTED = {
    "ROW<x INT, y STRING>": ["ROW(1, 'a')", "ROW(2, CAST(NULL AS STRING))", "ROW(3, 'x,y;\"z\"')"],
    "ARRAY<INT>": ["ARRAY[1, 2]", "ARRAY[1, CAST(NULL AS INT)]"],
    "ARRAY<STRING>": ["ARRAY['a', '😀']", "ARRAY['', 'x;y']", "ARRAY['a,b', CAST(NULL AS STRING)]"],
    "ARRAY<DOUBLE>": ["ARRAY[0.1e0, 1e10]"],
    "ARRAY<DECIMAL(5, 2)>": ["ARRAY[1.5, 2.25]"],
    "ARRAY<DATE>": ["ARRAY[DATE '2024-02-29', DATE '1969-12-31']"],
    "ARRAY<TIMESTAMP(3)>": ["ARRAY[TIMESTAMP '2024-02-29 12:00:00', TIMESTAMP '2024-02-29 12:00:00.5']"],
    "ARRAY<BOOLEAN>": ["ARRAY[TRUE, FALSE]"],
    "ROW<a ARRAY<INT>>": ["ROW(ARRAY[1, 2])"],
    "ROW<d DECIMAL(5, 2), t TIMESTAMP(3), b BYTES, c CHAR(3)>": [
        "ROW(1.5, TIMESTAMP '2024-02-29 12:00:00', x'6162', 'a')"
    ],
}
DEEP = {
    "MAP<STRING, INT>": ["MAP['a', 1]", "MAP['', CAST(NULL AS INT)]", "MAP['😀', 2]"],
    "MAP<STRING, ARRAY<INT>>": ["MAP['a', ARRAY[1, 2]]"],
    "MAP<STRING, TIMESTAMP(3)>": ["MAP['a', TIMESTAMP '2024-02-29 12:00:00']"],
    "ARRAY<ROW<x INT, y STRING>>": ["ARRAY[ROW(1, 'a'), ROW(2, 'b')]"],
    "ROW<r ROW<x INT>, a ARRAY<MAP<STRING, INT>>>": ["ROW(ROW(1), ARRAY[MAP['a', 1]])"],
    "ARRAY<ARRAY<INT>>": ["ARRAY[ARRAY[1], ARRAY[2, 3]]"],
}


def write(name, kinds, sinks):
    """One job for each sink: a column for each type, a row for each place in the lists of edges; then a row of NULLs."""
    columns = ", ".join(f"c{n} {kind}" for n, kind in enumerate(kinds))
    height = max(map(len, kinds.values()))
    with open(f"{name}.json", "w") as file:
        for i in range(height + 1):
            row = {
                f"c{n}": None if i == height else texts[min(i, len(texts) - 1)]
                for n, texts in enumerate(kinds.values())
            }
            file.write(json.dumps({"i": i, **row}) + "\n")
    binary = ("BINARY", "VARBINARY", "BYTES")
    given = ", ".join(f"c{n} {'BYTES' if kind.startswith(binary) else 'STRING'}" for n, kind in enumerate(kinds))
    env.execute_sql(
        f"CREATE TEMPORARY TABLE {name} (i INT, {given}) WITH ('connector'='filesystem', 'path'='{os.path.abspath(name)}.json', 'format'='json')"
    )
    into(
        name,
        columns,
        "SELECT i, " + ", ".join(f"CAST(c{n} AS {kind})" for n, kind in enumerate(kinds)) + f" FROM {name}",
        sinks,
    )


def write_made(name, kinds, sinks):
    """The same of values that SQL makes."""
    columns = ", ".join(f"c{n} {kind}" for n, kind in enumerate(kinds))
    height = max(map(len, kinds.values()))
    selects = []
    for i in range(height + 1):
        values = [
            f"CAST({texts[min(i, len(texts) - 1)] if i < height else 'NULL'} AS {kind})"
            for kind, texts in kinds.items()
        ]
        selects.append(f"SELECT {i}, {', '.join(values)}")
    into(name, columns, " UNION ALL ".join(selects), sinks)


def into(name, columns, query, sinks):
    for sink, options in sinks.items():
        path = f"out_{name}_{sink}"
        env.execute_sql(
            f"CREATE TEMPORARY TABLE {path} (i INT, {columns}) WITH ({options.format(path=os.path.abspath(path))})"
        )
        try:
            env.execute_sql(f"INSERT INTO {path} {query}").wait()
        except Exception:
            print(name, sink, "fails")


SINKS = {
    "csv": "'connector'='filesystem', 'path'='{path}', 'format'='csv'",
    "print": "'connector'='print'",
}
write("flat", EDGES, SINKS)
write_made("nested", NESTED, {"print": SINKS["print"]})
write_made("deep", DEEP, {"print": SINKS["print"]})
