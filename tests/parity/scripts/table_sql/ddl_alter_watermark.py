from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TABLE t (id INT, ts TIMESTAMP(3)) WITH ('connector' = 'datagen')")
show("ALTER TABLE t ADD WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE")
show("DESCRIBE t")
show("ALTER TABLE t MODIFY WATERMARK FOR ts AS ts")
show("SHOW CREATE TABLE t")
show("ALTER TABLE t DROP WATERMARK")
show("ALTER TABLE t ADD twice AS id * 2")
show("DESCRIBE t")
show("ALTER TABLE t ADD WATERMARK FOR nothing AS nothing")
show("ALTER TABLE t DROP WATERMARK")
