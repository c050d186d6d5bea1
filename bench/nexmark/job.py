"""One query, as a script of PyFlink: ``job.py QUERY EVENTS MODE SINK``; both sides run it.

SINK is the connector that gets the result: ``print`` or ``blackhole``. The last line printed says how long it took. The
variable SIDE_INPUT has the URL of the database of q13, JARS the jars that Flink needs for it, with commas between them.
"""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from pyflink.table import DataTypes, EnvironmentSettings, Schema, TableDescriptor, TableEnvironment
from pyflink.table.udf import udf
from queries import QUERIES, tables


@udf(result_type=DataTypes.BIGINT())
def count_char(text, char):
    return text.count(char)


def main(query, events, mode, sink):
    settings = EnvironmentSettings.in_batch_mode() if mode == "batch" else EnvironmentSettings.in_streaming_mode()
    env = TableEnvironment.create(settings)
    env.get_config().set("parallelism.default", "2").set("table.local-time-zone", "UTC")
    env.create_temporary_function("count_char", count_char)
    for jar in filter(None, os.environ.get("JARS", "").split(",")):
        env.execute_sql(f"ADD JAR '{jar}'")
    for statement in tables(events, os.environ.get("SIDE_INPUT", "")):
        env.execute_sql(statement)
    began = time.monotonic()
    found = env.sql_query(QUERIES[query])
    names, kinds = found.get_schema().get_field_names(), found.get_schema().get_field_data_types()
    schema = Schema.new_builder().from_fields([f"c{place}" for place in range(len(names))], kinds).build()
    env.create_temporary_table("sink", TableDescriptor.for_connector(sink).schema(schema).build())
    found.execute_insert("sink").wait()
    print("seconds", time.monotonic() - began, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
