from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.udf import udf

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


one = udf(lambda i: i + 1, result_type=DataTypes.BIGINT())
ten = udf(lambda i: i + 10, result_type=DataTypes.BIGINT())
env.create_temporary_function("f", one)
env.create_temporary_system_function("g", ten)
print(sorted(env.list_user_defined_functions()), "f" in env.list_functions(), "g" in env.list_functions())
env.execute_sql("SELECT f(1) AS a, g(1) AS b, F(2) AS c").print()
refused(lambda: env.create_temporary_function("f", ten))
refused(lambda: env.create_temporary_system_function("g", one))
env.create_temporary_system_function("f", ten)
env.execute_sql("SELECT f(1) AS a").print()
print(env.drop_temporary_system_function("f"), env.drop_temporary_function("f"), env.drop_temporary_function("f"))
print(env.drop_temporary_system_function("g"), env.drop_temporary_system_function("g"))
print(env.list_user_defined_functions())
refused(lambda: env.sql_query("SELECT f(1)"))
print(env.drop_function("nothing"))
