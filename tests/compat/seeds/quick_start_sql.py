"""The quick start, its job in SQL: a function of Python by its name."""

from pyflink.table import EnvironmentSettings, TableEnvironment

with open("add_one.py", "w") as file:
    file.write(
        "from pyflink.table import DataTypes\nfrom pyflink.table.udf import udf\n\n\n"
        "@udf(input_types=[DataTypes.BIGINT()], result_type=DataTypes.BIGINT())\n"
        "def add1(i):\n    return i + 1\n"
    )
t_env = TableEnvironment.create(EnvironmentSettings.new_instance().use_blink_planner().in_batch_mode().build())
t_env.add_python_file("add_one.py")
t_env.sql_update("CREATE TEMPORARY SYSTEM FUNCTION add1 AS 'add_one.add1' LANGUAGE PYTHON")
t_env.sql_update("CREATE TABLE results (n BIGINT) WITH ('connector' = 'print')")
t_env.sql_update("INSERT INTO results SELECT add1(v) FROM (VALUES (1), (2), (3)) AS t (v)")
t_env.execute("sql")
