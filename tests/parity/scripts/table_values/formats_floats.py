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
    "1.5",
    "-1.5",
    "+1.5",
    " 1.5",
    "1.5 ",
    ".5",
    "5.",
    "-.5",
    "1e3",
    "1E+3",
    "1e-3",
    "1e",
    "e1",
    "1d",
    "1f",
    "1.5D",
    "1.5F",
    "1L",
    "0x10",
]
TEXTS += [
    "0x1p3",
    "1_0.5",
    "１.5",
    "٣",
    "NaN",
    "nan",
    "-NaN",
    "+NaN",
    "Infinity",
    "-Infinity",
    "+Infinity",
    "inf",
    "INF",
    "infinity",
    "1e400",
    "-1e400",
]
TEXTS += [
    "1e-400",
    "3.4028235e38",
    "3.4028236e38",
    "0.1",
    "0.30000001192092896",
    "1.17e-38",
    "1e-46",
    "-0",
    "-0.0",
]
TEXTS += [
    "1,5",
    "1 5",
    "--1",
    "",
    " ",
    "null",
    "true",
    "\u00a01.5",
    "4.9e-324",
    "2e-324",
]
NUMBERS = [
    "1.5",
    "-1.5",
    "1",
    "-0.0",
    "1e3",
    "1e400",
    "-1e400",
    "1e-400",
    "3.5e38",
    "0.1",
]
NUMBERS += ["123456789012345678901234567890", "true", "false", "null", "[]", "[1.5]", "{}"]

KINDS = ("FLOAT", "DOUBLE")
read("csv", KINDS, TEXTS, alone=["nan", " "])
read("json", KINDS, quoted(TEXTS), alone=['"nan"', '""', '"null"'])
read("json", KINDS, NUMBERS, alone=["true"])
