from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


for kind in (
    DataTypes.INT(),
    DataTypes.BIGINT().not_null(),
    DataTypes.STRING(),
    DataTypes.DECIMAL(10, 2),
    DataTypes.TIMESTAMP(3),
    DataTypes.ARRAY(DataTypes.INT()),
    DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()),
    DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())]),
    DataTypes.CHAR(3),
    DataTypes.TIME(),
    DataTypes.BYTES(),
):
    table = env.from_elements([], DataTypes.ROW([DataTypes.FIELD("x", kind)]))
    table.print_schema()
schema = table.get_schema()
print(schema.get_field_names(), schema.get_field_count(), schema.get_field_data_types())
