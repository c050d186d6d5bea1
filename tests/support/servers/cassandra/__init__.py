"""Cassandra for the tests.

    def test_copy(cassandra):                       # shared by the whole run
        keyspace = cassandra.keyspace("CREATE TABLE t (id int PRIMARY KEY, name text)")
        cassandra.run(f"INSERT INTO {keyspace}.t (id, name) VALUES (1, 'a')")
        ...

    def test_node_dies(own_cassandra):              # this test's own
        own_cassandra.kill()
        own_cassandra.start()                       # same port, same data

program   the jars, the settings and the command
node      what a test does with a node
running   a node at an address, in a container, as a process
"""

from tests.support.servers.cassandra.node import Node
from tests.support.servers.cassandra.running import IMAGE, Cassandra, OwnNode

__all__ = ["IMAGE", "Cassandra", "Node", "OwnNode"]
