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


DATES = [
    "2024-01-31",
    "2024-1-3",
    "2024-02-30",
    "2024-02-29",
    "2023-02-29",
    "2024-04-31",
    "2024-01-32",
    "2024-13-01",
    "2024-00-10",
    "2024-01-00",
    "24-01-01",
]
DATES += [
    "2024-01-31 10:00:00",
    " 2024-01-31",
    "2024-01-31 ",
    "٢٠٢٤-01-01",
    "２０２４-01-01",
    "0001-01-01",
    "1582-10-10",
    "9999-12-31",
    "2024/01/31",
]
DATES += [
    "20240131",
    "",
    " ",
    "2024-W05-1",
    "2024-031",
    "2024-01",
    "+2024-01-01",
    "2024-01-31T00:00:00",
    "null",
    "1900-02-29",
]
TIMES = [
    "13:00:00",
    "13:00",
    "1:02:03",
    "13:00:00.123456789",
    "13:00:00.1234567891",
    "13:00:00,5",
    "24:00:00",
    " 13:00:00",
    "13:00:00 ",
    "13:00:60",
]
TIMES += [
    "１3:00:00",
    "٣:00:00",
    "13:00:00Z",
    "13:00:00+01:00",
    "13",
    "",
    "25:00:00",
    "130000",
    "T13:00:00",
    "-1:00:00",
]
STAMPS = [
    "2024-01-31 13:00:00",
    " 2024-01-31 13:00:00",
    "2024-01-31 13:00:00 ",
    "2024-01-31  13:00:00",
    "2024-01-31T13:00:00",
    "2024-01-31t13:00:00",
]
STAMPS += [
    "２０２４-01-31 13:00:00",
    "2024-01-31 13:00:0٣",
    "2024-01-31 13:00:00.１",
    "+2024-01-31 13:00:00",
    "2024-1-31 13:00:00",
    "2024-01-31 1:00:00",
]
STAMPS += [
    "2024-01-31 13:00:00,5",
    "2024-01-31 13:00:00.5Z",
    "2024-01-31 13:00:00+01:00",
    "2024-01-31 13:00:00 UTC",
    "0001-01-01 00:00:00",
    "9999-12-31 23:59:59.999",
]
STAMPS += ["2024-01-31 23:59:60", "1706706000", "20240131T130000", ""]
ZONED = [
    "2024-01-31 13:00:00Z",
    "2024-01-31 13:00:00z",
    "2024-01-31T13:00:00Z",
    "2024-01-31T13:00Z",
    "2024-01-31 13:00:00+01:00",
    "2024-01-31T13:00:00+01:00",
]
ZONED += [
    "2024-01-31 13:00:00+00:00",
    "2024-01-31 13:00:00+0000",
    "2024-01-31 13:00:00.123Z",
    "2024-01-31 13:00:00 Z",
    " 2024-01-31 13:00:00Z",
    "2024-01-31 13:00:00Z ",
]
ZONED += ["2024-01-31 13:00:00", "2024-01-31T13:00:00[UTC]", "2024-02-30 13:00:00Z", "2024-01-31 24:00:00Z", ""]
WHOLES = ["5", "-5", "0", "1.5", " 5", "5 ", "+5", "1e3", "", "x", "9223372036854775808", "2147483648", "1_0", "٣"]


OTHERS = ["5", "1706706000000", "1.5", "true", "null", "[]", "{}"]
read("csv", ["DATE"], DATES)
read("json", ["DATE"], quoted(DATES) + OTHERS)
read("csv", ["TIME(3)"], TIMES)
read("json", ["TIME(3)"], quoted(TIMES) + OTHERS)
read("csv", ["TIMESTAMP(3)"], [text for text in STAMPS if "T" not in text])
read("json", ["TIMESTAMP(3)"], quoted(STAMPS) + OTHERS)
read("json", ["TIMESTAMP(3)"], quoted(STAMPS), ", 'json.timestamp-format.standard'='ISO-8601'")
read("csv", ["TIMESTAMP_LTZ(3)"], [text for text in ZONED if "T" not in text])
read("json", ["TIMESTAMP_LTZ(3)"], quoted(ZONED) + OTHERS)
read("json", ["TIMESTAMP_LTZ(3)"], quoted(ZONED), ", 'json.timestamp-format.standard'='ISO-8601'")
