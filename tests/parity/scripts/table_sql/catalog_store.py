"""Catalogs that are kept in files."""

import os

from pyflink.common import Configuration
from pyflink.table import EnvironmentSettings, TableEnvironment

config = Configuration()
config.set_string("table.catalog-store.kind", "file")
config.set_string("table.catalog-store.file.path", os.path.abspath("store"))


def environment():
    return TableEnvironment.create(
        EnvironmentSettings.new_instance().in_batch_mode().with_configuration(config).build()
    )


def names(t_env):
    return [row[0] for row in t_env.execute_sql("SHOW CATALOGS").collect()]


first = environment()
first.execute_sql("CREATE CATALOG a COMMENT 'c' WITH ('type' = 'generic_in_memory', 'default-database' = 'd''b')")
first.execute_sql("CREATE CATALOG `b c` WITH ('type' = 'generic_in_memory')")
print(names(first), sorted(os.listdir("store")))
second = environment()
print(names(second))
second.use_catalog("a")
print([row[0] for row in second.execute_sql("SHOW DATABASES").collect()])
second.execute_sql("DROP CATALOG `b c`")
print(names(first), names(second), names(environment()))
