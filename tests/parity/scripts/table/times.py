from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    env.execute_sql(f"SELECT {text}").print()


show("EXTRACT(YEAR FROM DATE '2024-02-29') AS a, YEAR(DATE '2024-02-29') AS b, DAYOFWEEK(DATE '2024-02-29') AS c")
show("FLOOR(TIMESTAMP '2024-02-29 12:34:56' TO HOUR) AS a, CEIL(TIMESTAMP '2024-02-29 12:34:56' TO DAY) AS b")
show("TIMESTAMPDIFF(DAY, TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP '2024-03-01 00:00:00') AS a")
show("TIMESTAMP '2024-01-31 00:00:00' + INTERVAL '1' MONTH AS a, DATE '2024-01-31' + INTERVAL '1' DAY AS b")
show(
    "DATE_FORMAT(TIMESTAMP '2024-02-29 12:34:56', 'yyyy/MM/dd HH:mm') AS a, TO_DATE('2024-02-29') AS b, "
    "TO_TIMESTAMP('2024-02-29 01:02:03') AS c"
)
