"""Reads the posts of a server of X's protocol, and writes their texts to a table: ``posts.py URL DATABASE``."""

from __future__ import annotations

import json
import sys

from datastream import StreamExecutionEnvironment, Types
from datastream.connectors.jdbc import JdbcConnectionOptions, JdbcSink
from datastream.connectors.twitter import FilteredStreamEndpoint, TwitterSource
from tests.support.servers.twitter import TOKEN

url, database = sys.argv[1:]
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
properties = {TwitterSource.BEARER_TOKEN: TOKEN, TwitterSource.CLIENT_HOSTS: url}
source = TwitterSource(properties, FilteredStreamEndpoint(["spark"], backfill_minutes=5))
texts = env.add_source(source).uid("posts").map(lambda post: (json.loads(post)["data"]["text"],))
options = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url(f"jdbc:sqlite:{database}").build()
sink = JdbcSink.exactly_once_sink("INSERT INTO found VALUES (?)", Types.ROW([Types.STRING()]), options)
texts.add_sink(sink).uid("found")
env.execute("posts")
