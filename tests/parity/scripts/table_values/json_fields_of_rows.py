from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
FITS = '{"k": 1, "r": {"a": 1, "b": "x", "c": {"d": 5, "e": "2024-01-01 00:00:00", "f": "y"}}}'
LACKS = '{"k": 2, "r": {"a": 2}}'
TEXTS = '{"k": 3, "r": {"a": 3, "b": {"no": "text"}, "c": {"d": 6, "e": null, "f": [1]}}}'
NO_ROW = '{"k": 4, "r": {"a": 4, "b": "x", "c": 5}}'
NO_TIME = '{"k": 5, "r": {"a": 5, "b": "x", "c": {"d": 5, "e": "no time", "f": "y"}}}'
TABLES = {
    "fits": ("", FITS, LACKS, TEXTS, '{"k": 6, "r": null}', '{"k": 7}'),
    "no_row": ("", NO_ROW),
    "no_time": ("", NO_TIME),
    "ignoring": (", 'json.ignore-parse-errors' = 'true'", FITS, TEXTS, NO_ROW, NO_TIME),
    "strict": (", 'json.fail-on-missing-field' = 'true'", LACKS),
}
WANTED = "k", "r.a", "r.b", "r.c.d", "r.c.f", "r.c", "k, r.a AS a, r.c.e AS e", "r IS NULL AS n", "r.c IS NOT NULL AS n"
for name, (options, *lines) in TABLES.items():
    with open(name, "w") as out:
        out.writelines(line + "\n" for line in lines)
    env.execute_sql(
        f"CREATE TABLE {name} (k INT, r ROW<a INT, b STRING, c ROW<d INT, e TIMESTAMP(3), f STRING>>) WITH "
        f"('connector' = 'filesystem', 'path' = '{name}', 'format' = 'json'{options})"
    )
    for columns in WANTED:
        try:
            env.execute_sql(f"SELECT {columns} FROM {name}").print()
        except Exception:
            print("fails:", name, columns)
