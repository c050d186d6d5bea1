import json
import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.get_config().set("table.local-time-zone", "Asia/Tokyo")

EDGES = {
    "BOOLEAN": ["TRUE", "FALSE"],
    "TINYINT": ["-128", "127"],
    "SMALLINT": ["-32768", "32767"],
    "INT": ["-2147483648", "2147483647"],
    "BIGINT": ["-9223372036854775808", "9223372036854775807", "9007199254740993"],
    "FLOAT": [
        "3.4028235E38",
        "1.4E-45",
        "0.1",
        "-0.0",
        "1.0E7",
        "123456.7",
        "1.0E10",
        "16777216",
        "0.001",
        "1.0E-5",
        "NaN",
        "Infinity",
        "-Infinity",
    ],
    "DOUBLE": [
        "1.7976931348623157E308",
        "4.9E-324",
        "0.1",
        "-0.0",
        "1.0E7",
        "9999999.999",
        "0.001",
        "9.999E-4",
        "1.0E22",
        "2.0E-44",
        "NaN",
        "Infinity",
        "-Infinity",
        "123456789012345680",
        "2.0E-3",
        "1.0E16",
        "100",
    ],
    "DECIMAL(5, 2)": ["-999.99", "999.99", "0", "1.005", "0.01", "100", "-0.5"],
    "DECIMAL(38, 18)": ["-99999999999999999999.999999999999999999", "1E-18", "1.5", "1E19", "0.000001", "0.0000001"],
    "DECIMAL(38, 0)": ["99999999999999999999999999999999999999", "0", "-10"],
    "DECIMAL(10, 0)": ["1000", "-7", "1234567890"],
    "CHAR(3)": ["a", "abc", "é", ""],
    "VARCHAR(3)": ["a", "abcd", "ééé", ""],
    "STRING": [
        "",
        'say "x"',
        "two\nlines",
        "tab\there",
        "\\ \b\f\r",
        "é",
        "null",
        "\u0000\u0001\u001f\u007f\u0080\u009f",
        "\u2028\u2029\ufeff\uffff",
        "</a>&'/",
        "漢字",
        "{}",
        "😀 \U0010ffff",
        "\\u001f \\\u001f\\😀 \\U0001f600",
    ],
    "DATE": ["0001-01-01", "9999-12-31", "1969-12-31", "1582-10-10", "2024-02-29"],
    "TIME": ["00:00:00", "23:59:59", "12:00:00"],
    "TIME(3)": ["00:00:00", "23:59:59.999", "12:00:00.1", "12:34:00", "00:00:00.010"],
    "TIMESTAMP(0)": ["0001-01-01 00:00:00", "9999-12-31 23:59:59", "1969-12-31 23:59:59", "2024-02-29 12:00:00"],
    "TIMESTAMP(1)": ["2024-02-29 12:00:00.1", "2024-02-29 12:00:00", "1969-12-31 23:59:59.9"],
    "TIMESTAMP(3)": [
        "0001-01-01 00:00:00.001",
        "9999-12-31 23:59:59.999",
        "2024-02-29 12:00:00",
        "2024-02-29 12:34:00.5",
        "2024-02-29 00:00:00.010",
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
    "BYTES": ["", "8J+YgA==", "AA==", "/w==", "+/+/"],
}
NESTED = {
    "ROW<x INT, y STRING>": ["ROW(1, 'a')", "ROW(2, CAST(NULL AS STRING))", "ROW(3, 'x,y;\"z\"')"],
    "ARRAY<INT>": ["ARRAY[1, 2]", "ARRAY[1, CAST(NULL AS INT)]"],
    "ARRAY<STRING>": ["ARRAY['a', 'é']", "ARRAY['', 'x;y']", "ARRAY['a,b', CAST(NULL AS STRING)]"],
    "ARRAY<DOUBLE>": ["ARRAY[0.1e0, 1e10]", "ARRAY[-0.0e0, 1e-5]"],
    "ARRAY<FLOAT>": ["ARRAY[CAST(0.1 AS FLOAT), CAST(1e10 AS FLOAT)]"],
    "ARRAY<DECIMAL(5, 2)>": ["ARRAY[1.5, 2.25]", "ARRAY[100, 0.10]"],
    "ARRAY<DATE>": ["ARRAY[DATE '2024-02-29', DATE '1969-12-31']"],
    "ARRAY<TIME>": ["ARRAY[TIME '12:00:00', TIME '00:00:01']"],
    "ARRAY<TIMESTAMP(3)>": ["ARRAY[TIMESTAMP '2024-02-29 12:00:00', TIMESTAMP '2024-02-29 12:00:00.5']"],
    "ARRAY<TIMESTAMP_LTZ(3)>": ["ARRAY[TO_TIMESTAMP_LTZ(1500, 3), TO_TIMESTAMP_LTZ(-1, 3)]"],
    "ARRAY<BOOLEAN>": ["ARRAY[TRUE, FALSE]"],
    "ARRAY<BYTES>": ["ARRAY[x'6162', x'00ff']"],
    "ARRAY<ARRAY<INT>>": ["ARRAY[ARRAY[1], ARRAY[2, 3]]"],
    "ARRAY<ROW<x INT, y STRING>>": ["ARRAY[ROW(1, 'a'), ROW(2, 'b')]"],
    "ROW<a ARRAY<INT>>": ["ROW(ARRAY[1, 2])"],
    "ROW<d DECIMAL(5, 2), t TIMESTAMP(3), b BYTES, c CHAR(3)>": [
        "ROW(1.5, TIMESTAMP '2024-02-29 12:00:00', x'6162', 'a')"
    ],
    "ROW<r ROW<x INT>, a ARRAY<MAP<STRING, INT>>>": ["ROW(ROW(1), ARRAY[MAP['a', 1]])"],
    "MAP<STRING, INT>": ["MAP['a', 1]", "MAP['', CAST(NULL AS INT)]", "MAP['say \"x\"', 2]"],
    "MAP<CHAR(3), INT>": ["MAP['a', 1]", "MAP['abc', 1]"],
    "MAP<STRING, ARRAY<INT>>": ["MAP['a', ARRAY[1, 2]]"],
    "MAP<STRING, TIMESTAMP(3)>": ["MAP['a', TIMESTAMP '2024-02-29 12:00:00']"],
    "MAP<STRING, DECIMAL(5, 2)>": ["MAP['a', 1.5]"],
    "MAP<STRING, MAP<STRING, DOUBLE>>": ["MAP['a', MAP['b', 1.5e0]]"],
    "MAP<STRING, ROW<x INT, y STRING>>": ["MAP['a', ROW(1, 'b')]"],
}
KINDS_OF_KEYS = {
    "MAP<INT, INT>": "MAP[1, 1]",
    "MAP<BIGINT, STRING>": "MAP[1, 'a']",
    "MAP<BOOLEAN, INT>": "MAP[TRUE, 1]",
    "MAP<DATE, INT>": "MAP[DATE '2024-02-29', 1]",
    "MAP<ROW<x INT>, INT>": "MAP[ROW(1), 1]",
    "ARRAY<MAP<INT, INT>>": "ARRAY[MAP[1, 1]]",
    "MAP<STRING, MAP<INT, INT>>": "MAP['a', MAP[1, 1]]",
}


def written(name, columns, query, options=""):
    """Writes a query to a table of its own."""
    path = f"out_{name}"
    try:
        env.execute_sql(
            f"CREATE TEMPORARY TABLE {path} ({columns}) WITH ('connector'='filesystem', 'path'='{os.path.abspath(path)}', 'format'='json'{options})"
        )
        env.execute_sql(f"INSERT INTO {path} {query}").wait()
        print(name, "is written")
    except Exception:
        print(name, "fails")


def flat(name, options=""):
    """A column for each type, a row for each place in the lists of edges; then a row of NULLs."""
    columns = ", ".join(f"c{n} {kind}" for n, kind in enumerate(EDGES))
    query = ", ".join(f"CAST(c{n} AS {kind})" for n, kind in enumerate(EDGES))
    written(name, f"i INT, {columns}", f"SELECT i, {query} FROM flat", options)


def nested(name, options=""):
    columns = ", ".join(f"c{n} {kind}" for n, kind in enumerate(NESTED))
    height = max(map(len, NESTED.values()))
    selects = []
    for i in range(height + 1):
        values = [
            f"CAST({texts[min(i, len(texts) - 1)] if i < height else 'NULL'} AS {kind})"
            for kind, texts in NESTED.items()
        ]
        selects.append(f"SELECT {i}, {', '.join(values)}")
    written(name, f"i INT, {columns}", " UNION ALL ".join(selects), options)


height = max(map(len, EDGES.values()))
with open("flat.json", "w") as file:
    for i in range(height + 1):
        row = {
            f"c{n}": None if i == height else texts[min(i, len(texts) - 1)] for n, texts in enumerate(EDGES.values())
        }
        file.write(json.dumps({"i": i, **row}) + "\n")
binary = ("BINARY", "VARBINARY", "BYTES")
given = ", ".join(f"c{n} {'BYTES' if kind.startswith(binary) else 'STRING'}" for n, kind in enumerate(EDGES))
env.execute_sql(
    f"CREATE TEMPORARY TABLE flat (i INT, {given}) WITH ('connector'='filesystem', 'path'='{os.path.abspath('flat.json')}', 'format'='json')"
)
OPTIONS = {
    "plain": "",
    "iso": ", 'json.timestamp-format.standard'='ISO-8601', 'json.encode.decimal-as-plain-number'='true'",
    "short": ", 'json.encode.ignore-null-fields'='true', 'json.map-null-key.mode'='LITERAL'",
}
for name, options in OPTIONS.items():
    flat(f"flat_{name}", options)
    nested(f"nested_{name}", options)
for n, (kind, value) in enumerate(KINDS_OF_KEYS.items()):
    written(f"kind{n}", f"v {kind}", f"SELECT {value}")
for mode in ("FAIL", "DROP", "LITERAL"):
    written(
        f"null_key_{mode}",
        "m MAP<STRING, INT>",
        "SELECT MAP['a', 1, CAST(NULL AS STRING), 2]",
        f", 'json.map-null-key.mode'='{mode}', 'json.map-null-key.literal'='none'",
    )
