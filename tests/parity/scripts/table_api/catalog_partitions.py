from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment, TableSchema
from pyflink.table.catalog import CatalogBaseTable, CatalogPartition, CatalogPartitionSpec, ObjectPath

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
catalog = env.get_catalog("default_catalog")


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


schema = TableSchema.builder().field("a", DataTypes.INT()).field("day", DataTypes.STRING()).build()
path, spec = ObjectPath("default_database", "t"), CatalogPartitionSpec({"day": "mon"})
catalog.create_table(path, CatalogBaseTable.create_table(schema, ["day"], {"connector": "x"}), False)
print(catalog.list_partitions(path), catalog.partition_exists(path, spec))
catalog.create_partition(path, spec, CatalogPartition.create_instance({"k": "v"}, "a day"), False)
part = catalog.get_partition(path, spec)
print(
    part.get_properties(),
    part.get_comment(),
    part.copy().get_properties(),
    part.get_description(),
    part.get_detailed_description(),
)
print(catalog.partition_exists(path, spec), len(catalog.list_partitions(path)), catalog.list_partitions(path, spec)[0])
refused(lambda: catalog.create_partition(path, spec, part, False))
refused(lambda: catalog.create_partition(path, spec, part, True))
refused(lambda: catalog.create_partition(path, CatalogPartitionSpec({"x": "y"}), part, False))
catalog.alter_partition(path, spec, CatalogPartition.create_instance({"k": "w"}, "b"), False)
print(catalog.get_partition(path, spec).get_properties())
refused(lambda: catalog.get_partition(path, CatalogPartitionSpec({"day": "tue"})))
refused(lambda: catalog.drop_partition(path, CatalogPartitionSpec({"day": "tue"}), False))
refused(lambda: catalog.drop_partition(path, CatalogPartitionSpec({"day": "tue"}), True))
refused(lambda: catalog.drop_partition(path, spec, False))
print(catalog.list_partitions(path))
plain = ObjectPath("default_database", "u")
catalog.create_table(plain, CatalogBaseTable.create_table(schema, [], {"connector": "x"}), False)
refused(lambda: catalog.list_partitions(plain))
refused(lambda: catalog.create_partition(plain, spec, part, False))
