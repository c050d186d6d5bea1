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


TEXTS = ["a", "abc", "abcd", "ab ", " ab", "", " ", "é", "😀", "😀😀😀😀", "e\u0301x", "\\\\x", "null", "n/a", "1.50"]
OTHERS = [
    "5",
    "1.50",
    "1e3",
    "-0.0",
    "true",
    "null",
    '{"b": 1, "a": "x"}',
    "[]",
    '"\\u0000"',
    '"\\ud83d\\ude00"',
    '"a\\tb"',
]
BYTES = [
    "YWI=",
    "YWJj",
    "YWJjZA==",
    "YWI",
    "YW I=",
    "****",
    "",
    "-_-_",
    "YQ==",
    "YR==",
    "YWJ",
    "=",
]
TRUTH = ["true", "TRUE", "True", " true ", "true ", "false", "FALSE", " false", "tRuE"]

KINDS = ("CHAR(3)", "VARCHAR(3)", "STRING")
read("csv", KINDS, [text for text in TEXTS if text != "\\\\x"])
read("csv", KINDS, ["n/a", "", '""', "a", " n/a"], ", 'csv.null-literal'='n/a'")
read("json", KINDS, quoted(TEXTS))
read("json", KINDS, OTHERS)
KINDS = ("BYTES", "BINARY(3)", "VARBINARY(3)")
read("csv", KINDS, BYTES, alone=["****", "YWI"])
read("json", KINDS, [*quoted(BYTES), "5", "true", "null", "[97]", "{}"], alone=['"****"', "5"])
read("csv", ["BOOLEAN"], TRUTH)
read(
    "json",
    ["BOOLEAN"],
    [*quoted(text for text in TRUTH if text != "null"), "true", "false", "null"],
)
