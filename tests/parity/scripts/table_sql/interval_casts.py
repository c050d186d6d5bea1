from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


TEXTS = []
show = TEXTS.append


def run(texts):
    """What expressions give, by as few queries as there may be: those of one that fails are halved."""
    try:
        with env.sql_query("SELECT " + ", ".join(texts)).execute().collect() as rows:
            (row,) = rows
            return [repr(value) for value in row]
    except Exception:
        if len(texts) == 1:
            return ["fails"]
        half = len(texts) // 2
        return run(texts[:half]) + run(texts[half:])


for value in ("14", "CAST(-5 AS TINYINT)", "CAST(14.9 AS DECIMAL(5, 1))", "'14'", "CAST(NULL AS BIGINT)"):
    for kind in ("MONTH", "YEAR TO MONTH", "DAY", "SECOND", "SECOND(3)"):
        show(f"CAST(CAST({value} AS INTERVAL {kind}) AS STRING)")
for text in (
    "DATE '2024-01-01' + CAST(14 AS INTERVAL MONTH)",
    "DATE '2024-01-01' + CAST(2 AS INTERVAL YEAR)",
    "TIMESTAMP '2024-01-01 00:00:00' + CAST(14 AS INTERVAL DAY)",
    "TIMESTAMP '2024-01-01 00:00:00' + CAST(14 AS INTERVAL SECOND)",
    "TIMESTAMP '2024-01-01 00:00:00' - CAST(14 AS INTERVAL HOUR)",
    "CAST(INTERVAL '14' MONTH AS INT)",
    "CAST(INTERVAL '14' MONTH AS BIGINT)",
    "CAST(INTERVAL '3' YEAR AS INT)",
    "CAST(INTERVAL '14' DAY AS INT)",
    "CAST(INTERVAL '14' DAY AS BIGINT)",
    "CAST(INTERVAL '14.5' SECOND AS BIGINT)",
    "CAST(INTERVAL '14' HOUR AS SMALLINT)",
    "CAST(INTERVAL '14' MONTH AS TINYINT)",
    "CAST(INTERVAL '14' MONTH AS DECIMAL(10, 2))",
    "CAST(INTERVAL '14' MONTH AS DOUBLE)",
    "CAST(INTERVAL '14' MONTH AS STRING)",
    "CAST(INTERVAL '1-2' YEAR TO MONTH AS STRING)",
    "CAST(INTERVAL '14' MONTH AS INTERVAL YEAR)",
    "CAST(INTERVAL '14' DAY AS INTERVAL HOUR)",
    "TRY_CAST(14 AS INTERVAL MONTH)",
    "TRY_CAST(14 AS INTERVAL DAY)",
    "14 * INTERVAL '1' MONTH",
    "CAST(14 AS INTERVAL MONTH) + INTERVAL '1' MONTH",
    "CAST(14 AS INTERVAL MONTH) = INTERVAL '14' MONTH",
):
    show(text)

for at in range(0, len(TEXTS), 40):
    for text, value in zip(TEXTS[at : at + 40], run(TEXTS[at : at + 40]), strict=True):
        print(text, "->", value)
