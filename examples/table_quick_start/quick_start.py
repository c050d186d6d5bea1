"""PyFlink's quick start, with functions of one's own in tables and in SQL; it runs unchanged.

datastream run examples/table_quick_start/quick_start.py
datastream run examples/table_quick_start/quick_start.py --input book.txt
"""

import argparse

from pyflink.common import Row
from pyflink.table import DataTypes, EnvironmentSettings, Schema, TableDescriptor, TableEnvironment
from pyflink.table.expressions import call, col, lit
from pyflink.table.udf import udf, udtf

LINES = ["flink pyflink", "flink"]


def word_count(t_env, input_path):
    if input_path is None:
        lines = t_env.from_elements(
            [(line,) for line in LINES], DataTypes.ROW([DataTypes.FIELD("line", DataTypes.STRING())])
        )
    else:
        t_env.create_temporary_table(
            "lines",
            TableDescriptor.for_connector("filesystem")
            .schema(Schema.new_builder().column("line", DataTypes.STRING()).build())
            .option("path", input_path)
            .format("raw")
            .build(),
        )
        lines = t_env.from_path("lines")

    t_env.create_temporary_table(
        "counts",
        TableDescriptor.for_connector("print")
        .schema(Schema.new_builder().column("word", DataTypes.STRING()).column("count", DataTypes.BIGINT()).build())
        .build(),
    )

    @udtf(result_types=[DataTypes.STRING()])
    def split(line: Row):
        for word in line[0].split():
            yield Row(word)

    lines.flat_map(split).alias("word").group_by(col("word")).select(col("word"), lit(1).count).execute_insert(
        "counts"
    ).wait()


def functions_in_tables(t_env):
    numbers = t_env.from_elements([(1, 2), (3, 4)], ["a", "b"])

    add = udf(lambda i, j: i + j, [DataTypes.BIGINT(), DataTypes.BIGINT()], DataTypes.BIGINT())
    t_env.create_temporary_function("add", add)

    @udf(result_type=DataTypes.BIGINT(), func_type="pandas")
    def add_columns(i, j):
        return i + j

    numbers.select(
        call("add", col("a"), col("b")).alias("added"), add_columns(col("a"), col("b")).alias("vectorized")
    ).execute().print()


def functions_in_sql(t_env):
    t_env.execute_sql("CREATE TEMPORARY SYSTEM FUNCTION add1 AS 'add_one.add1' LANGUAGE PYTHON")
    t_env.execute_sql("CREATE TEMPORARY VIEW given AS SELECT * FROM (VALUES (1), (2), (3)) AS t(a)")
    t_env.execute_sql("SELECT add1(a) AS b FROM given").print()


def main(input_path):
    t_env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    t_env.get_config().set("parallelism.default", "1")
    word_count(t_env, input_path)
    functions_in_tables(t_env)
    functions_in_sql(t_env)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Counts words, and adds numbers in three ways.")
    parser.add_argument("--input", help="text file or folder; default: two lines of our own")
    main(parser.parse_args().input)
