from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("SHOW MODULES")
show("SHOW FULL MODULES")
show("SHOW USER FUNCTIONS")
show("SHOW JARS")
show("UNLOAD MODULE core")
show("SHOW MODULES")
show("LOAD MODULE core")
show("SHOW MODULES")
show("UNLOAD MODULE nothing")
show("LOAD MODULE core")
show("USE MODULES core")
show("SHOW FULL MODULES")
