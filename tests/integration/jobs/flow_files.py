"""Carries the flow files of a NiFi's output port to an input port: ``flow_files.py URL OUTPUT INPUT``."""

from __future__ import annotations

import sys

from datastream import StreamExecutionEnvironment
from datastream.connectors.nifi import NiFiSink, NiFiSource, SiteToSiteClient
from datastream.io import Backoff

url, output, target = sys.argv[1:]
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
builder = SiteToSiteClient.Builder
packets = env.add_source(NiFiSource(builder().url(url).port_name(output).build_config())).uid("output")
sink = NiFiSink(builder().url(url).port_name(target).build_config(), lambda packet, ctx: packet)
sink.backoff = Backoff(retries=1000, initial_ms=200, factor=1)  # the NiFi is started again meanwhile
packets.sink_to(sink).uid("input")
env.execute("flow files")
