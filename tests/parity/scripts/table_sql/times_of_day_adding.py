from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
for texts in (
    [
        "TIMESTAMPADD(HOUR, 1, a)",
        "TIMESTAMPADD(HOUR, -24, a)",
        "TIMESTAMPADD(MINUTE, 45, a)",
        "TIMESTAMPADD(SECOND, -1, a)",
        "TIMESTAMPADD(DAY, 1, a)",
        "TIMESTAMPADD(WEEK, -1, a)",
    ],
    ["TIMESTAMPADD(MONTH, 1, a)", "TIMESTAMPADD(QUARTER, 1, a)", "TIMESTAMPADD(YEAR, -1, a)"],
):
    columns = ", ".join(f"CAST({text} AS STRING)" for text in texts)
    with env.execute_sql(
        f"SELECT {columns} FROM (VALUES (TIME '23:30:00'), (TIME '00:00:00'), (TIME '10:20:30')) AS t(a)"
    ).collect() as rows:
        found = list(rows)
    for place, text in enumerate(texts):
        print(text, *[row[place] for row in found], sep=" | ")
