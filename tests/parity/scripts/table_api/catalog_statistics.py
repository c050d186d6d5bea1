from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.catalog import CatalogTableStatistics, ObjectPath

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
catalog = env.get_catalog("default_catalog")
env.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'datagen')")
path = ObjectPath("default_database", "t")


def shown(found):
    print(found.get_row_count(), found.get_field_count(), found.get_total_size(), found.get_raw_data_size())


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


shown(catalog.get_table_statistics(path))
statistics = CatalogTableStatistics(100, 1, 2000, 3000, {"k": "v"})
shown(statistics)
print(statistics.get_properties())
catalog.alter_table_statistics(path, statistics, False)
shown(catalog.get_table_statistics(path))
shown(statistics.copy())
refused(lambda: catalog.get_table_statistics(ObjectPath("default_database", "x")))
refused(lambda: catalog.alter_table_statistics(ObjectPath("default_database", "x"), statistics, False))
refused(lambda: catalog.alter_table_statistics(ObjectPath("default_database", "x"), statistics, True))
