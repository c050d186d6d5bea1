"""What tests, bench and scripts share; not installed.

servers         real servers: one that runs already, a container, a process
processes       starts jobs as processes, and knows every process that came of them
cluster         a standalone Spark cluster
drive           runs sources and sinks by their contract alone
kafka           Kafka sources and sinks for the tests
formats         schemas, files and hypothesis strategies for the tests of formats
windows         a reference of windows, and hosts to compare it with
keyed_harness   hosts of keyed operators; `two_inputs` of those with two
key_kinds       keys of all kinds
timelines       records at given times
"""
