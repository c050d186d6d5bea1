from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

Path("in.csv").write_text("a,1,2024-01-01 00:00:01\nb,2,2024-01-01 00:00:03\na,3,2024-01-01 00:00:12\n")
env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql(
    f"""
    CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
        'connector' = 'filesystem', 'path' = '{Path("in.csv").absolute()}', 'format' = 'csv'
    )
    """
)
SIZE = "INTERVAL '10' SECOND"
for window in (
    f"TUMBLE(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), SIZE => {SIZE}, `OFFSET` => INTERVAL '2' SECOND)",
    f"TUMBLE(`DATA` => TABLE t, `TIMECOL` => DESCRIPTOR(ts), `SIZE` => {SIZE})",
    f"HOP(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), SLIDE => INTERVAL '5' SECOND, SIZE => {SIZE}, `OFFSET` => INTERVAL '2' SECOND)",
):
    table = env.sql_query(f"SELECT k, v, window_start, window_end FROM TABLE({window})")
    table.print_schema()
    with table.execute().collect() as rows:
        for row in rows:
            print(row)
