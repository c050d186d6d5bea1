"""FLIP-58, "WordCount", with its print of the results in order."""

import os
import sys

from pyflink.table import CsvTableSource, DataTypes, TableConfig, TableEnvironment
from pyflink.table.descriptors import Csv, FileSystem, Schema

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from flip58_functions import CountAggregateFunction, SplitTableFunction, TrimFunction

tmp_dir = os.getcwd()
source_path = tmp_dir + "/streaming.csv"
if os.path.isfile(source_path):
    os.remove(source_path)
with open(source_path, "w") as f:
    lines = "hi guys\n" + "hello guys\n"
    f.write(lines)
    print(lines)
    f.close()

t_config = TableConfig.Builder().as_streaming_execution().set_parallelism(1).build()
t_env = TableEnvironment.get_table_environment(t_config)

field_names = ["a"]
field_types = [DataTypes.STRING]

# register Source table in table environment
t_env.register_table_source("Source", CsvTableSource(source_path, field_names, field_types))

# register Results table in table environment
# using connector API
schema = Schema().field("a", DataTypes.STRING).field("b", DataTypes.INT)

format = Csv().field_delimiter(",").field("a", DataTypes.STRING).field("b", DataTypes.INT)

tmp_csv = tmp_dir + "/streaming2.csv"
if os.path.isfile(tmp_csv):
    os.remove(tmp_csv)

connector = FileSystem().path(tmp_csv)

t_env.connect(connector).with_format(format).with_schema(schema).in_append_mode().register_table_sink("Results")

t = t_env.scan("Source")

my_udf = TrimFunction()
t_env.register_function("trim", my_udf)

my_udtf = SplitTableFunction()
t_env.register_function("split", my_udtf)

my_udaf = CountAggregateFunction()
t_env.register_function("my_count", my_udaf)

t.join_lateral("split(a) as (word)").select("trim(word) as word").group_by("word").select(
    "word, my_count(word)"
).insert_into("Results")

t_env.execute()

with open(tmp_csv) as f:
    print(*sorted(f.read().splitlines()), sep="\n")
