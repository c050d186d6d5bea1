import json

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.get_config().set("table.local-time-zone", "UTC")

TEXTS = [
    "2021-08-21 13:00:00.123456",
    "2021-08-21 13:00:00.123789",
    "2021-08-21 13:00:00.9",
    "2021-08-21 13:00:00.",
    "2021-08-21 13:00:00",
    "1969-12-31 23:59:59.9999",
    "2021-02-30 13:00:00.123456",
    "2021-08-21 24:00:00.000",
    "2021-08-21 24:00:01",
    "2021-08-21 13:00",
    "2021-8-21 13:00:00",
    "2021-08-21",
    "2021-08-21 13:00:60",
    "2021-08-21 13:00:00.1234567891",
    "2021-08-21 13:00:00+01:00",
]
TIMES = ["13:00:00.123", "13:00:00.9", "13:00:00.", "13:00:00", "13", "1:00:00", "13:00:60"]


def columns(form, kind, texts, precisions, more=""):
    path = f"{form}-{kind}{len(more)}"
    with open(path, "w") as out:
        for text in texts:
            if form == "json":
                out.write(json.dumps({f"a{p}": text for p in precisions}) + "\n")
            else:
                out.write(",".join([text] * len(precisions)) + "\n")
    names = [f"a{p}" for p in precisions]
    declared = ", ".join(f"a{p} {kind}({p})" for p in precisions)
    options = f"'connector'='filesystem', 'path'='{path}', 'format'='{form}', '{form}.ignore-parse-errors'='true'{more}"
    env.execute_sql(f"CREATE TEMPORARY TABLE `{path}` ({declared}) WITH ({options})")
    print(form, kind, more)
    env.execute_sql(f"SELECT {', '.join(names)} FROM `{path}`").print()
    env.execute_sql(f"SELECT {', '.join(f'CAST({n} AS STRING) {n}' for n in names)} FROM `{path}`").print()
    return path


iso = [text.replace(" ", "T") for text in TEXTS]
standard = ", 'json.timestamp-format.standard'='ISO-8601'"
found = columns("json", "TIMESTAMP", TEXTS, (0, 1, 3, 6))
env.execute_sql(f"SELECT a3, COUNT(*) AS n FROM `{found}` GROUP BY a3 ORDER BY a3").print()
env.execute_sql(f"SELECT COUNT(*) AS n FROM `{found}` a JOIN `{found}` b ON a.a3 = b.a3").print()
columns("json", "TIMESTAMP", iso, (1, 3, 6), standard)
columns("json", "TIMESTAMP_LTZ", [text + "Z" for text in TEXTS], (1, 3, 6))
columns("json", "TIMESTAMP_LTZ", [text + "Z" for text in iso], (1, 3, 6), standard)
columns("csv", "TIMESTAMP", TEXTS, (1, 3, 6))
columns("csv", "TIMESTAMP_LTZ", [text + "Z" for text in TEXTS], (1, 3, 6))
columns("json", "TIME", [*TIMES, "24:00:00", "13:00"], (0, 1, 3))
columns("csv", "TIME", [*TIMES, "24:00:00", "13:00"], (0, 1, 3))
