from pyflink.table import EnvironmentSettings, Schema, TableDescriptor, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


descriptor = TableDescriptor.for_connector("datagen").schema(Schema.new_builder().column("a", "INT").build()).build()
other = TableDescriptor.for_connector("datagen").schema(Schema.new_builder().column("b", "INT").build()).build()
env.create_temporary_table("t", descriptor)
print(env.list_tables(), env.list_temporary_tables(), env.list_views())
refused(lambda: env.create_temporary_table("t", other))
refused(lambda: env.create_temporary_table("t", other, True))
env.create_table("t", other)
print(env.list_tables(), env.list_temporary_tables(), env.from_path("t").get_schema().get_field_names())
refused(lambda: env.create_table("t", other))
refused(lambda: env.create_table("t", other, True))
refused(lambda: env.drop_table("t"))
print(env.drop_temporary_table("t"), env.drop_temporary_table("t"), env.list_tables())
print(env.from_path("t").get_schema().get_field_names())
print(env.drop_table("t"), env.drop_table("t"), env.list_tables())
refused(lambda: env.drop_table("t", False))
refused(lambda: env.from_path("t"))
refused(lambda: env.create_temporary_table("nodb.t", descriptor))
refused(lambda: env.create_table("nodb.t", descriptor))
