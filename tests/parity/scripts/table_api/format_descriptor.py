from pyflink.common import ConfigOptions
from pyflink.table import FormatDescriptor, TableDescriptor

option = ConfigOptions.key("a.b").int_type().no_default_value()
one = FormatDescriptor.for_format("json").option("ignore-parse-errors", "true").build()
two = FormatDescriptor.for_format("json").option(option, 3).build()
print(one, one.get_format(), one.get_options())
print(two, two.get_options())
print(FormatDescriptor.for_format("csv").build())
print(one == two, one == one, hash(one) == hash(one), {one: 1}[one])
descriptor = TableDescriptor.for_connector("kafka").format(one).build()
print(sorted(descriptor.get_options().items()))
print({descriptor: 2}[TableDescriptor.for_connector("kafka").format(one).build()])
