from pyflink.table import EnvironmentSettings, ModuleEntry, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


print(env.list_modules(), env.list_full_modules())
entry = ModuleEntry("core", True)
print(
    entry, repr(entry), entry.name(), entry.used(), entry == ModuleEntry("core", True), entry != ModuleEntry("x", True)
)
print(env.list_full_modules()[0] == entry)
refused(lambda: env.use_modules("nothing"))
refused(lambda: env.use_modules("core", "core"))
refused(lambda: env.unload_module("nothing"))
env.use_modules()
print(env.list_modules(), [(each.name(), each.used()) for each in env.list_full_modules()])
env.use_modules("core")
env.unload_module("core")
print(env.list_modules(), env.list_functions())
env.execute_sql("LOAD MODULE core")
print(env.list_modules(), "upper" in env.list_functions())
env.execute_sql("SHOW FULL MODULES").print()
refused(lambda: env.execute_sql("LOAD MODULE core"))
