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


TEXTS = [
    "1.005",
    "1.015",
    "-1.005",
    "1.0049999999999999999999999",
    "999.994",
    "999.995",
    "-999.995",
    "1000",
    "-1000",
    "1e2",
    "1E+2",
    "1e-10",
]
TEXTS += [
    "1E-3",
    "5e-3",
    " 1.5",
    "1.5 ",
    "+1.5",
    ".5",
    "5.",
    "-.5",
    "1_0",
    "１",
    "٣",
    "1d",
    "1f",
    "0x1",
    "1e400",
    "1e-400",
    "NaN",
    "Infinity",
]
TEXTS += [
    "0",
    "-0",
    "0.000",
    "00001.5",
    "12345678901234567890.123456789012345678",
    "123456789012345678901.5",
    "",
    " ",
    "null",
    "true",
    "1,5",
    "e1",
    "1e",
]
NUMBERS = [
    "1.005",
    "-1.005",
    "1.015",
    "999.995",
    "1000",
    "1e2",
    "1e-10",
    "1e400",
    "1e-400",
    "0",
    "-0.0",
    "1.50",
    "12345678901234567890.123456789012345678",
]
NUMBERS += ["true", "null", "[]", "{}", "[1]"]

KINDS = ("DECIMAL(5, 2)", "DECIMAL(38, 18)", "DECIMAL(3, 3)", "DECIMAL(4, 0)")
read("csv", KINDS, TEXTS, alone=["1000", "NaN", " "])
read("json", KINDS, quoted(text for text in TEXTS if text != "1_0"), alone=['"1000"', '"NaN"', '""', '" "', '"null"'])
read("json", KINDS, NUMBERS, alone=["1000", "true", "{}"])
