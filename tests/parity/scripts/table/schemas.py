from pyflink.table import DataTypes, EnvironmentSettings, Schema, TableDescriptor, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


schema = Schema.new_builder().column("id", DataTypes.BIGINT()).column("name", DataTypes.STRING()).build()
print(schema)
schema = (
    Schema.new_builder()
    .column("id", DataTypes.INT().not_null())
    .column("ts", DataTypes.TIMESTAMP(3))
    .column_by_expression("twice", "id * 2")
    .column_by_metadata("key", DataTypes.STRING(), "k", True)
    .watermark("ts", "ts - INTERVAL '5' SECOND")
    .primary_key("id")
    .build()
)
print(schema)
descriptor = TableDescriptor.for_connector("datagen").schema(schema).option("rows-per-second", "5").comment("c").build()
print(descriptor.get_options(), descriptor.get_comment(), descriptor.get_partition_keys())
env.create_temporary_table(
    "t",
    TableDescriptor.for_connector("datagen").schema(Schema.new_builder().column("n", DataTypes.INT()).build()).build(),
)
print(env.list_tables(), env.list_temporary_tables())
env.from_path("t").print_schema()
print(env.drop_temporary_table("t"), env.drop_temporary_table("t"))
