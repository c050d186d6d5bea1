from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    env.execute_sql(f"SELECT {text}").print()


show("1 + 2 AS a, 7 / 2 AS b, -7 / 2 AS c, 7 % 3 AS d, -7 % 3 AS e, 2 * 3.5 AS f, 7 / 2.0 AS g")
show("ABS(-3) AS a, FLOOR(2.7) AS b, CEIL(2.1) AS c, ROUND(2.345, 2) AS d, SIGN(-5) AS e, TRUNCATE(42.345, 1) AS f")
show("POWER(2, 10) AS a, SQRT(16) AS b, MOD(7, 3) AS c, LN(1) AS d, LOG10(100) AS e, EXP(0) AS f")
show("GREATEST(1, 3, 2) AS a, LEAST(1, 3, 2) AS b, BIN(5) AS c, HEX(255) AS d")
show("CAST(1 AS DECIMAL(5, 2)) + CAST(2.5 AS DECIMAL(4, 1)) AS a, CAST(10 AS DECIMAL(5, 2)) / 3 AS b")
