from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.catalog import CatalogFunction, ObjectPath

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
catalog = env.get_catalog("default_catalog")


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


path = ObjectPath("default_database", "f")
function = CatalogFunction.create_instance("my.module.f", "Python")
print(function.get_class_name(), function.copy().get_class_name(), function.get_description())
print(function.get_detailed_description())
catalog.create_function(path, function, False)
print(catalog.list_functions("default_database"), catalog.function_exists(path))
print(catalog.get_function(path).get_class_name())
refused(lambda: catalog.create_function(path, function, False))
refused(lambda: catalog.create_function(path, function, True))
catalog.alter_function(path, CatalogFunction.create_instance("my.module.g", "Python"), False)
print(catalog.get_function(path).get_class_name())
refused(lambda: catalog.get_function(ObjectPath("default_database", "g")))
refused(lambda: catalog.drop_function(ObjectPath("default_database", "g"), False))
refused(lambda: catalog.drop_function(ObjectPath("default_database", "g"), True))
refused(lambda: catalog.drop_function(path, False))
refused(lambda: catalog.list_functions("nothing"))
print(catalog.list_functions("default_database"), env.list_user_defined_functions())
