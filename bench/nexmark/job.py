"""One query, as a script of PyFlink: ``job.py QUERY EVENTS MODE RESULT``; both sides run it.

RESULT is a file, which gets what is left of the result and the kinds of its changes, or ``blackhole``. The variable
SIDE_INPUT has the URL of the database of q13, JARS the jars that Flink needs for it, with commas between them.
"""

import json
import os
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from pyflink.table import DataTypes, EnvironmentSettings, Schema, TableDescriptor, TableEnvironment
from pyflink.table.udf import udf
from queries import KEYS, QUERIES, tables


@udf(result_type=DataTypes.BIGINT())
def count_char(text, char):
    return text.count(char)


def main(query, events, mode, result):
    settings = EnvironmentSettings.in_batch_mode() if mode == "batch" else EnvironmentSettings.in_streaming_mode()
    env = TableEnvironment.create(settings)
    env.get_config().set("parallelism.default", "2").set("table.local-time-zone", "UTC")
    env.create_temporary_function("count_char", count_char)
    for jar in filter(None, os.environ.get("JARS", "").split(",")):
        env.execute_sql(f"ADD JAR '{jar}'")
    for statement in tables(events, os.environ.get("SIDE_INPUT", "")):
        env.execute_sql(statement)
    began = time.monotonic()
    if result == "blackhole":
        found = env.sql_query(QUERIES[query])
        names, kinds = found.get_schema().get_field_names(), found.get_schema().get_field_data_types()
        schema = Schema.new_builder().from_fields([f"c{place}" for place in range(len(names))], kinds).build()
        env.create_temporary_table("sink", TableDescriptor.for_connector("blackhole").schema(schema).build())
        found.execute_insert("sink").wait()
        print("seconds", time.monotonic() - began, flush=True)
        return
    left, kinds, replaced = Counter(), Counter(), {}
    with env.execute_sql(QUERIES[query]).collect() as rows:
        for row in rows:
            kind, text = str(row.get_row_kind()), repr(list(row))
            kinds[kind] += 1
            if query in KEYS and kind != "-U":
                left[replaced.pop(repr(list(row)[: KEYS[query]]), None)] -= 1
            if query in KEYS and kind in ("+I", "+U"):
                replaced[repr(list(row)[: KEYS[query]])] = text
            if query not in KEYS or kind in ("+I", "+U"):
                left[text] += 1 if kind in ("+I", "+U") else -1
    left.pop(None, None)
    found = sorted([text, count] for text, count in left.items() if count)
    Path(result).write_text(json.dumps({"kinds": dict(sorted(kinds.items())), "rows": found}))


if __name__ == "__main__":
    main(*sys.argv[1:])
