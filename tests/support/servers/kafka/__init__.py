"""Kafka for the tests.

    def test_copy(kafka):                       # shared by the whole run
        topic = kafka.topic(partitions=4)       # new, with a name of its own
        kafka.produce(topic, ["a", ("key", "b")])
        ...
        assert [record.value for record in kafka.read(topic)] == [b"a", b"b"]

    def test_broker_dies(own_kafka):            # this test's own
        own_kafka.kill()
        own_kafka.start()                       # same port, same data

layout        ports, listeners and users: what a broker is told, and what a client has to know
certificate   the broker's certificate, made on the spot
program       the jars
broker        what a test does with a broker
running       a broker at an address, in a container, as a process
command       scripts/kafka
"""

from tests.support.servers.kafka.broker import Broker, Record
from tests.support.servers.kafka.layout import ALICE, Secured
from tests.support.servers.kafka.running import IMAGE, Kafka, OwnBroker

__all__ = ["ALICE", "IMAGE", "Broker", "Kafka", "OwnBroker", "Record", "Secured"]
