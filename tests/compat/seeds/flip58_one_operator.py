"""FLIP-58, "Future or next step": three functions in one query; the one of Java is one of Python."""

from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.udf import ScalarFunction, udf


class PythonScalarFunction1(ScalarFunction):
    def eval(self, a, b):
        return a + b


class PythonScalarFunction2(ScalarFunction):
    def eval(self, b, c):
        return b * c


bigint = DataTypes.BIGINT()
t_env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
t_env.register_function("udf_1", udf(PythonScalarFunction1(), [bigint, bigint], bigint))
t_env.register_function("udf_2", udf(PythonScalarFunction2(), [bigint, bigint], bigint))
t_env.register_function("udf_3", udf(lambda c, d: c - d, [bigint, bigint], bigint))

t_env.register_table("Orders", t_env.from_elements([(1, 2, 3, 4)], ["a", "b", "c", "d"]))
t = t_env.scan("Orders")  # schema (a, b, c, d)
print(*t.select("a, udf_1(a, b), udf_2(b, c), udf_3(c, d)").execute().collect())
