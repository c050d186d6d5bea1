from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment, TableSchema
from pyflink.table.catalog import CatalogBaseTable, ObjectPath

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
catalog = env.get_catalog("default_catalog")


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


schema = TableSchema.builder().field("a", DataTypes.INT()).field("b", DataTypes.STRING()).build()
table = CatalogBaseTable.create_table(schema, [], {"connector": "datagen"}, "some rows")
path = ObjectPath("default_database", "t")
catalog.create_table(path, table, False)
found = catalog.get_table(path)
print(found.get_options(), found.get_comment(), found.get_description(), found.get_detailed_description())
print(found.get_unresolved_schema())
print(catalog.list_tables("default_database"), catalog.table_exists(path), env.list_tables())
refused(lambda: catalog.create_table(path, table, False))
refused(lambda: catalog.create_table(path, table, True))
catalog.rename_table(path, "u", False)
print(catalog.list_tables("default_database"), catalog.table_exists(path))
refused(lambda: catalog.rename_table(path, "v", False))
refused(lambda: catalog.rename_table(path, "v", True))
refused(lambda: catalog.get_table(path))
refused(lambda: catalog.drop_table(path, False))
refused(lambda: catalog.drop_table(path, True))
refused(lambda: catalog.list_tables("nothing"))
refused(lambda: catalog.create_table(ObjectPath("nothing", "t"), table, False))
refused(lambda: catalog.drop_table(ObjectPath("default_database", "u"), False))
print(catalog.list_tables("default_database"))
