from pyflink.table import DataTypes, EnvironmentSettings, Schema, TableDescriptor, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


def resolved(builder):
    return env.from_descriptor(TableDescriptor.for_connector("datagen").schema(builder.build()).build()).get_schema()


refused(lambda: resolved(Schema.new_builder().column("a", "TIMESTAMP(3)").watermark("a", "a").watermark("a", "a")))
refused(lambda: Schema.new_builder().column("a", "INT").primary_key("a").primary_key("a").build())
refused(lambda: Schema.new_builder().from_fields(["a"], []).build())
refused(lambda: Schema.new_builder().from_row_data_type(DataTypes.INT()).build())
refused(lambda: resolved(Schema.new_builder().column("a", "INT").column("a", "STRING")))
refused(lambda: resolved(Schema.new_builder().column("a", "NOTYPE")))
refused(lambda: resolved(Schema.new_builder().column("a", "INT").column_by_expression("b", "c + 1")))
refused(lambda: resolved(Schema.new_builder().column("a", "INT").watermark("a", "a")))
refused(lambda: resolved(Schema.new_builder().column("a", "INT").watermark("b", "b")))
refused(lambda: resolved(Schema.new_builder().column("a", "INT").primary_key("b")))
refused(lambda: resolved(Schema.new_builder().column("a", "INT").primary_key("a")))
refused(lambda: resolved(Schema.new_builder().column("a", "INT NOT NULL").primary_key("a", "a")))
refused(lambda: resolved(Schema.new_builder().column("a", "INT NOT NULL").primary_key("a")))
