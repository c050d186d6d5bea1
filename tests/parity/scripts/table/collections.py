from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    env.execute_sql(f"SELECT {text}").print()


show("CARDINALITY(ARRAY[1, 2]) AS a, ARRAY[1, 2][1] AS b, MAP['k', 5]['k'] AS c, ELEMENT(ARRAY[7]) AS d")
show("ARRAY_CONTAINS(ARRAY[1, 2], 2) AS a, ARRAY_DISTINCT(ARRAY[1, 1, 2]) AS b, ARRAY_REVERSE(ARRAY[1, 2]) AS c")
show("MAP_KEYS(MAP['k', 5]) AS a, MAP_VALUES(MAP['k', 5]) AS b, ARRAY_POSITION(ARRAY[5, 6], 6) AS c")
show("JSON_VALUE('{\"a\": 1}', '$.a') AS a, JSON_EXISTS('{\"a\": 1}', '$.b') AS b, '{}' IS JSON AS c")
