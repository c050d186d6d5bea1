import pyflink.table as table_module
import pyflink.table.catalog as catalog
import pyflink.table.descriptors as descriptors
import pyflink.table.expressions as expressions
import pyflink.table.udf as udf
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment

names = "Table TableEnvironment StreamTableEnvironment CsvTableSource BatchTableEnvironment"
print([(name, hasattr(table_module, name)) for name in names.split()])
print([(name, hasattr(descriptors, name)) for name in ("Rowtime", "Schema", "Kafka")])
env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
table = env.from_elements([(1, "a")], ["n", "w"])
methods = (
    "insert_into register_table register_function list_user_functions sql_update execute explain "
    "register_table_source from_table_source create_java_function drop_function"
)
print([(name, name in dir(env)) for name in methods.split()])
methods = (
    "as_ where filter select insert_into to_pandas get_schema print_schema group_by window over_window limit fetch"
)
print([(name, name in dir(table)) for name in methods.split()])
print([(name, hasattr(DataTypes, name)) for name in ("BYTES", "TIMESTAMP_LTZ", "RAW", "VARIANT", "BITMAP", "UUID")])
print([hasattr(catalog, name) for name in ("Catalog", "HiveCatalog", "ObjectPath")])
print([hasattr(udf, name) for name in ("udf", "udtf", "udaf", "udtaf", "ScalarFunction", "FunctionContext")])
print(len([name for name in expressions.__all__ if not hasattr(expressions, name)]))
