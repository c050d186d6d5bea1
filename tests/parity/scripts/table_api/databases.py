from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.catalog import CatalogDatabase

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
catalog = env.get_catalog("default_catalog")


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


print(catalog.get_default_database(), catalog.list_databases(), catalog.database_exists("shop"))
catalog.create_database("shop", CatalogDatabase.create_instance({"k": "v"}, "a shop"), False)
shop = catalog.get_database("shop")
print(shop.get_properties(), shop.get_comment(), shop.get_description(), shop.get_detailed_description())
print(shop.copy().get_comment(), catalog.list_databases(), env.list_databases(), catalog.database_exists("shop"))
refused(lambda: catalog.create_database("shop", CatalogDatabase.create_instance({}), False))
refused(lambda: catalog.create_database("shop", CatalogDatabase.create_instance({}), True))
print(catalog.get_database("shop").get_properties())
catalog.alter_database("shop", CatalogDatabase.create_instance({"k": "w"}, "other"), False)
print(catalog.get_database("shop").get_properties(), catalog.get_database("shop").get_comment())
refused(lambda: catalog.alter_database("nothing", CatalogDatabase.create_instance({}), False))
refused(lambda: catalog.alter_database("nothing", CatalogDatabase.create_instance({}), True))
refused(lambda: catalog.get_database("nothing"))
refused(lambda: catalog.drop_database("nothing", False))
refused(lambda: catalog.drop_database("nothing", True))
refused(lambda: catalog.drop_database("shop", False))
print(catalog.list_databases())
