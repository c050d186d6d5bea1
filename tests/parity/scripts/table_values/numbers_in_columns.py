import json
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

ROWS = [
    {"i": 7, "b": 10000000000, "f": 1.5, "d": 2.25, "dc": "12.34", "s": "Hello"},
    {"i": -70000, "b": -3, "f": -0.1, "d": -0.04, "dc": "-0.05", "s": "12"},
    {"i": 21474, "b": 922337203685, "f": 340000.0, "d": -123456789012.75, "dc": "9999.99", "s": "-1.5e3"},
    {},
]
Path("in.json").write_text("".join(json.dumps({"id": place, **row}) + "\n" for place, row in enumerate(ROWS)))

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql(
    f"""
    CREATE TABLE t (
        id INT, i INT, b BIGINT, f FLOAT, d DOUBLE, dc DECIMAL(10, 2), s STRING, u AS 'http://a@b@h.com:80/p?' || s
    ) WITH ('connector' = 'filesystem', 'path' = '{Path("in.json").absolute()}', 'format' = 'json')
    """
)


def show(expressions):
    names = ", ".join(f"{each} AS `{each}`" for each in expressions)
    table = env.sql_query(f"SELECT id, {names} FROM t")
    table.print_schema()
    with table.execute().collect() as found:
        for row in found:
            for name, value in zip(["id", *expressions], row, strict=True):
                print(row[0], name, repr(value), sep=" | ")


NUMBERS = ("i", "b", "f", "d", "dc")
show([f"{function}({each})" for function in ("ROUND", "TRUNCATE", "CEIL", "FLOOR") for each in ("i", "b", "d")])
show([f"CAST({function}(f) AS STRING)" for function in ("ROUND", "TRUNCATE", "CEIL", "FLOOR", "ABS")])
show([f"{function}(d, {places})" for function in ("ROUND", "TRUNCATE") for places in (1, -1)])
show([f"{function}({each})" for function in ("IS_DECIMAL", "IS_DIGIT", "IS_ALPHA") for each in (*NUMBERS, "s")])
show([f"PARSE_URL(u, '{part}')" for part in ("HOST", "AUTHORITY", "USERINFO", "PATH", "FILE", "QUERY")])
show(
    [
        f"PARSE_URL('{url}', '{part}')"
        for url in ("http://@h.com/p", "http://a:b@h.com/p", "http://h.com/p")
        for part in ("HOST", "USERINFO")
    ]
)
