import os
import sys

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")

folder = os.path.abspath("modules")
os.mkdir(folder)
with open(os.path.join(folder, "shouting.py"), "w") as file:
    file.write(
        "from pyflink.table import DataTypes\n"
        "from pyflink.table.udf import udf\n\n\n"
        "@udf(result_type=DataTypes.STRING())\n"
        "def shout(text):\n"
        "    return text.upper() + '!'\n"
    )
sys.path.insert(0, folder)
env.add_python_file(os.path.join(folder, "shouting.py"))
env.execute_sql("CREATE TEMPORARY SYSTEM FUNCTION shout AS 'shouting.shout' LANGUAGE PYTHON").print()
env.execute_sql("CREATE FUNCTION IF NOT EXISTS shout2 AS 'shouting.shout' LANGUAGE PYTHON").print()
env.execute_sql("SHOW USER FUNCTIONS").print()
env.execute_sql("SELECT shout(a) AS a, shout2(a) AS b FROM (VALUES ('x'), ('y')) AS t(a)").print()
env.execute_sql("DROP TEMPORARY SYSTEM FUNCTION shout").print()
env.execute_sql("DROP FUNCTION IF EXISTS nothing").print()
env.execute_sql("SHOW USER FUNCTIONS").print()
