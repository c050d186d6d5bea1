import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.get_config().set("table.local-time-zone", "UTC")
env.get_config().set("table.display.max-column-width", "60")
made = []


def table(form, kinds, texts, more):
    path = f"{form}{len(made)}"
    made.append(path)
    with open(path, "w") as out:
        for i, text in texts:
            fields = ", ".join(f'"a{n}": {text}' for n in range(len(kinds)))
            out.write(
                f'{{"i": {i}, {fields}}}\n' if form == "json" else ",".join([str(i), *[text] * len(kinds)]) + "\n"
            )
    columns = ", ".join(f"a{n} {kind}" for n, kind in enumerate(kinds))
    options = f"'connector'='filesystem', 'path'='{os.path.abspath(path)}', 'format'='{form}'{more}"
    env.execute_sql(f"CREATE TEMPORARY TABLE `{path}` (i INT, {columns}) WITH ({options})")
    return path


def read(form, kinds, texts, more="", alone=()):
    """Shows the values of each text; of some texts also whether reading the first one fails where errors count."""
    print(form, *kinds, more)
    name = table(form, kinds, list(enumerate(texts)), f", '{form}.ignore-parse-errors'='true'{more}")
    env.execute_sql(f"SELECT * FROM `{name}`").print()
    for text in alone:
        try:
            with env.execute_sql(f"SELECT a0 FROM `{table(form, kinds[:1], [(0, text)], more)}`").collect() as rows:
                print(text, [row[0] for row in rows])
        except Exception:
            print(text, "fails")


def quoted(texts):
    return [f'"{text}"' for text in texts]


read(
    "csv",
    ["ARRAY<INT>"],
    ["1;2", "1", "", ";", "1;;3", " 1;2 ", "1;x", "1.5", "128", "3000000000", '"1;2"', "null;1", "+1;-1"],
)
read("csv", ["ARRAY<STRING>"], ["a;b", "a", "", ";", "a;;b", " a ; b ", '"a;b"', '"a""b;c"'])
read("csv", ["ARRAY<DECIMAL(4, 1)>"], ["1.25;2", "1000.5;1", "x"])
read("csv", ["ARRAY<INT>"], ["1|2", "1;2"], ", 'csv.array-element-delimiter'='|'")
read("csv", ["ROW<x INT, y STRING>"], ["1;a", "1", "1;a;b", "x;a", ";a", "1;", ""])
read("csv", ["ARRAY<INT>"], ["n/a;1", "1;n/a"], ", 'csv.null-literal'='n/a'")
read("json", ["ARRAY<TINYINT>"], ['[1, null, "2", " 3"]', "[128]", '[1, "x"]', "[]", "null", "{}", '"[1]"', "5"])
read("json", ["ARRAY<STRING>"], ['[1, 1.50, true, null, {"a": 1}, [2]]', '"a"', "[]"])
read(
    "json",
    ["MAP<STRING, INT>"],
    [
        "{}",
        '{"a": "3"}',
        '{"b": null}',
        '{"a": "x"}',
        '{"a": 3000000000}',
        "[]",
        "null",
        '"x"',
        '{"a": 1, "a": 2}',
        '{"": 1}',
    ],
)
read("json", ["MAP<STRING, DECIMAL(4, 1)>"], ['{"a": 1.25}', '{"a": "2"}', '{"a": 1000.5}'])
read("json", ["MAP<STRING, ARRAY<DOUBLE>>"], ['{"a": [1, "NaN", null, "1d"]}'])
read(
    "json",
    ["ROW<x SMALLINT, y ROW<z CHAR(2), w DATE>>"],
    [
        "{}",
        '{"x": 1}',
        '{"x": 40000}',
        '{"x": "1", "y": {"z": "abc", "w": "2024-01-01"}}',
        '{"x": 1, "y": {"z": 5, "w": "2024-1-1"}}',
        '{"X": 1}',
        "[1]",
        "null",
        '{"x": 1, "x": 2}',
        '{"y": null}',
    ],
)
read("json", ["MULTISET<STRING>"], ['{"a": 2}', '{"a": "2"}', "{}"])
