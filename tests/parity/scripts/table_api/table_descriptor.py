from pyflink.common import ConfigOptions
from pyflink.table import DataTypes, FormatDescriptor, Schema, TableDescriptor

schema = Schema.new_builder().column("a", DataTypes.INT()).column("b", DataTypes.STRING()).build()
descriptor = (
    TableDescriptor.for_connector("filesystem")
    .schema(schema)
    .option("path", "/somewhere")
    .format(FormatDescriptor.for_format("csv").option("field-delimiter", "|").build())
    .partitioned_by("b")
    .comment("some files")
    .build()
)
print(str(descriptor).partition("WITH")[0])
print(descriptor.get_schema() == schema, descriptor.get_partition_keys(), descriptor.get_comment())
print(sorted(descriptor.get_options().items()))
plain = TableDescriptor.for_connector("datagen").build()
print(plain)
print(plain.get_schema(), plain.get_options(), plain.get_partition_keys(), plain.get_comment())
option = ConfigOptions.key("rows-per-second").int_type().no_default_value()
print(TableDescriptor.for_connector("datagen").option(option, 3).build().get_options()["rows-per-second"])
print(plain == TableDescriptor.for_connector("datagen").build(), plain == descriptor)
print(sorted(TableDescriptor.for_connector("x").format("json").build().get_options().items()))
