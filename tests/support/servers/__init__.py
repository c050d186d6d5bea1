"""Real servers for the tests: one that somebody runs, a container, or a process on this machine.

choice       which of them, and why not the others
containers   whether a Docker engine answers and has the image; a server in a container
shared       one server for all processes of a run
processes    a server as a process: start, stop, kill -9, pause
jars         a Java server's jars, from Maven Central into the user's cache folder
guard        ends what a run started, also when the run is killed
plugin       pytest's fixtures, and a line in the summary that says which way was taken
kafka        Kafka, and what its tests do with a broker

A new server is a `choice.Kind`: its name, its image, and how to begin it in each of the three ways.
"""

import os

# As of `datastream.connectors.pubsub`, for tests that import gRPC before it.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
