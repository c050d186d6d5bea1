"""Reads the items or events of a server, and sends their ids back to it: ``http_items.py URL items|events``."""

from __future__ import annotations

import json
import sys

from datastream import StreamExecutionEnvironment
from datastream.connectors.http import HttpCursor, HttpSink, HttpSource, ServerSentEventSource
from datastream.formats import SimpleStringSchema
from datastream.time import WatermarkStrategy

url, kind = sys.argv[1:]
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
if kind == "items":
    cursor = HttpCursor("after", "id")
    builder = HttpSource.builder().set_connection(f"{url}/items").set_cursor(cursor).set_interval(20)
    source = builder.build()
else:
    source = ServerSentEventSource.builder().set_connection(f"{url}/events").build()
items = env.from_source(source, WatermarkStrategy.no_watermarks(), "items").uid("items")
sink = HttpSink.builder().set_connection(f"{url}/results").set_serializer(SimpleStringSchema()).set_batch(7)
items.map(lambda item: str(json.loads(item)["id"])).sink_to(sink.build()).uid("results")
env.execute("items")
