from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import DataTypes, Schema, StreamTableEnvironment
from pyflink.table.expressions import col

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
tables = StreamTableEnvironment.create(env)
named = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])
stream = env.from_collection([Row(1, "x"), Row(2, "y")], type_info=named)
tables.from_data_stream(stream).print_schema()
tables.from_data_stream(stream, col("b"), col("a").alias("z")).print_schema()
tables.from_data_stream(stream).execute().print()
tuples = env.from_collection([(1, "x")], type_info=Types.TUPLE([Types.LONG(), Types.STRING()]))
tables.from_data_stream(tuples).print_schema()
tables.from_data_stream(tuples, col("p"), col("q")).print_schema()
tables.from_data_stream(env.from_collection([1, 2], type_info=Types.INT())).print_schema()
tables.from_data_stream(env.from_collection([1, 2], type_info=Types.INT()), col("n")).print_schema()
schema = Schema.new_builder().column("b", DataTypes.STRING()).column("a", "BIGINT")
schema = schema.column_by_expression("c", "a + 1").build()
tables.from_data_stream(stream, schema).print_schema()
tables.create_temporary_view("v", stream)
tables.create_temporary_view("w", stream, col("x"), col("y"))
tables.sql_query("SELECT a, b FROM v UNION ALL SELECT x, y FROM w WHERE x > 1").execute().print()
