from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.udf import udf, udtf

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


@udf(result_type=DataTypes.STRING())
def twice(text):
    return None if text is None else text * 2


@udtf(result_types=[DataTypes.STRING(), DataTypes.INT()])
def words(line):
    for word in line.split():
        yield word, len(word)


env.create_temporary_system_function("twice", twice)
env.create_temporary_function("words", words)
env.execute_sql("SHOW USER FUNCTIONS").print()
env.execute_sql(
    "SELECT twice(a) AS b, UPPER(twice(a)) AS c FROM (VALUES ('x'), (CAST(NULL AS STRING))) AS t(a)"
).print()
env.execute_sql(
    "SELECT a, w, n FROM (VALUES ('to be'), (''), ('or')) AS t(a), LATERAL TABLE(words(a)) AS u(w, n)"
).print()
env.execute_sql("""
    SELECT a, w FROM (VALUES ('to be'), ('')) AS t(a) LEFT JOIN LATERAL TABLE(words(a)) AS u(w, n) ON TRUE
""").print()
env.execute_sql("SELECT twice(a) AS b, COUNT(*) AS n FROM (VALUES ('x'), ('x')) AS t(a) GROUP BY twice(a)").print()
