"""The quick start, its first job: the words of a file are counted."""

from pyflink.dataset import ExecutionEnvironment
from pyflink.table import BatchTableEnvironment, DataTypes, TableConfig
from pyflink.table.descriptors import FileSystem, OldCsv, Schema

with open("word_count_input", "w") as file:
    file.write("flink pyflink flink")

# define the environment
exec_env = ExecutionEnvironment.get_execution_environment()
exec_env.set_parallelism(1)
t_config = TableConfig()
t_env = BatchTableEnvironment.create(exec_env, t_config)

# define the source and the sink
t_env.connect(FileSystem().path("word_count_input")).with_format(
    OldCsv().line_delimiter(" ").field("word", DataTypes.STRING())
).with_schema(Schema().field("word", DataTypes.STRING())).create_temporary_table("mySource")

t_env.connect(FileSystem().path("word_count_output")).with_format(
    OldCsv().field_delimiter("\t").field("word", DataTypes.STRING()).field("count", DataTypes.BIGINT())
).with_schema(Schema().field("word", DataTypes.STRING()).field("count", DataTypes.BIGINT())).create_temporary_table(
    "mySink"
)

# run the job
t_env.scan("mySource").group_by("word").select("word, count(1)").insert_into("mySink")

t_env.execute("1-word_count")
print(*sorted(open("word_count_output").read().splitlines()), sep="\n")
