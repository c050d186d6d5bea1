from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")

table = env.from_elements([(1, "Hi"), (2, "Hello"), (3, None)], ["id", "data"])
table.print_schema()
table.execute().print()
with table.execute().collect() as results:
    for row in results:
        print(row)
