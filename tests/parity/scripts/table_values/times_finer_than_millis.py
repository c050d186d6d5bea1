import json
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

ROWS = [
    ("2000-01-01 00:00:00.000001", "2000-02-01 00:00:00", "2000-01-01 00:00:00.000001Z", "2000-01-15"),
    ("2000-01-01 00:00:00", "2000-01-01 00:00:00.000999", "2024-05-05 10:59:59.999999Z", "2000-01-01"),
    ("1960-01-01 00:00:00.000001", "2000-01-01 00:00:00.5", "1960-01-01 00:00:00Z", "1999-12-31"),
    ("2024-02-29 12:34:56.789123", "2024-01-31 12:34:56.789", "1960-01-01 12:00:00Z", "2024-02-29"),
]
rows = [{"id": place, **dict(zip("abld", row, strict=True))} for place, row in enumerate(ROWS)] + [{"id": 9}]
Path("in.json").write_text("".join(json.dumps(row) + "\n" for row in rows))

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.get_config().set("table.local-time-zone", "UTC")
env.get_config().set("table.display.max-column-width", "300")
env.execute_sql(
    f"""
    CREATE TABLE t (id INT, a TIMESTAMP(6), b TIMESTAMP(6), l TIMESTAMP_LTZ(6), d DATE) WITH (
        'connector' = 'filesystem', 'path' = '{Path("in.json").absolute()}', 'format' = 'json'
    )
    """
)


def show(expressions):
    names = ", ".join(f"CAST({each} AS STRING) AS `{each}`" for each in expressions)
    result = env.execute_sql(f"SELECT id, {names} FROM t")
    with result.collect() as found:
        for row in found:
            for name, value in zip(["id", *expressions], row, strict=True):
                print(row[0], name, value, sep=" | ")


DATES = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DECADE", "CENTURY", "MILLENNIUM")
TIMES = ("HOUR", "MINUTE", "SECOND")
show([f"CEIL({each} TO {unit})" for each in "abl" for unit in (*DATES, *TIMES)])
show([f"CEIL(d TO {unit})" for unit in DATES if unit != "DAY"])
show([f"FLOOR({each} TO {unit})" for each in "bd" for unit in DATES])
show(
    [
        f"TIMESTAMPDIFF({unit}, {pair})"
        for unit in ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "SECOND")
        for pair in ("a, b", "b, a", "d, a", "b, d")
    ]
)
show(
    [
        "(a - b) DAY TO SECOND",
        "(b - a) SECOND",
        "(b - a) MONTH",
        "(a - b) YEAR",
        "(a - b) HOUR",
        "a + (b - a) DAY TO SECOND",
        "TIMESTAMPADD(SECOND, 1, a)",
        "CEIL(a TO MILLISECOND)",
        "PRINTF('%s|%20s|%S', a, b, b)",
        "PRINTF('%s', l)",
        "PRINTF('%d', a)",
        "PRINTF('%s', d)",
        "PRINTF('%s|%d|%x', CAST(a AS TIME), CAST(b AS TIME), CAST(b AS TIME))",
        "PRINTF('%s %s', CAST(b AS TIMESTAMP(0)), (b - b) DAY TO SECOND)",
        "PRINTF('%s %d %s', INTERVAL '1' DAY, INTERVAL '1.5' SECOND, INTERVAL '2' MONTH)",
    ]
)
