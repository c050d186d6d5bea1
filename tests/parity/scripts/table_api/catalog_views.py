from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment, TableSchema
from pyflink.table.catalog import CatalogBaseTable, ObjectPath

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
catalog = env.get_catalog("default_catalog")
schema = TableSchema.builder().field("a", DataTypes.INT().not_null()).build()
view = CatalogBaseTable.create_view("SELECT 1 AS a", "SELECT 1 AS a", schema, {}, "one")
catalog.create_table(ObjectPath("default_database", "v"), view, False)
print(env.list_views(), env.list_tables(), catalog.list_views("default_database"))
env.sql_query("SELECT a + 1 AS b FROM v").execute().print()
env.execute_sql("SHOW CREATE VIEW v").print()
found = catalog.get_table(ObjectPath("default_database", "v"))
print(found.get_comment(), found.get_options())
print(env.drop_view("v"), env.drop_view("v"), env.list_views())
