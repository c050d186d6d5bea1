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
    "5",
    "+5",
    "-5",
    "05",
    " 5",
    "5 ",
    " 5 ",
    "5.0",
    "5.9",
    "-5.9",
    ".5",
    "5.",
    "1e3",
    "1E3",
    "5e-1",
    "0x10",
    "1_000",
    "٣",
    "５",
]
TEXTS += ["127", "128", "-128", "-129", "32768", "2147483648", "9223372036854775807", "9223372036854775808"]
TEXTS += [
    "-9223372036854775809",
    "",
    " ",
    "null",
    "NaN",
    "true",
    "5L",
    "--5",
    "+-5",
    "- 5",
    "1 000",
    "\t5",
    "\u00a05",
    "-0",
]
NUMBERS = ["5", "-5", "0", "-0", "127", "128", "-129", "32768", "-32769", "2147483648", "9223372036854775807"]
NUMBERS += ["9223372036854775808", "1e2", "true", "false", "null", "[]", "[5]", "{}", '{"x": 5}']

KINDS = ("TINYINT", "SMALLINT", "INT", "BIGINT")
read("csv", KINDS, TEXTS, alone=["128", " ", "5.0"])
read("json", KINDS, quoted(text for text in TEXTS if text != "\t5"), alone=['"128"', '""', '" "', '"null"'])
read("json", KINDS, NUMBERS, alone=["128", "true", "{}"])
