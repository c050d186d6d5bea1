"""Pytest's fixtures for real servers. The workers of pytest-xdist share one of each kind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from tests.support.servers.choice import REQUIRE, Kind, ServerT, taken
from tests.support.servers.shared import shared
from tests.support.servers.unavailable import UnavailableError

if TYPE_CHECKING:
    from tests.support.servers.cassandra import Node, OwnNode
    from tests.support.servers.elasticsearch import ElasticsearchServer, OwnElasticsearch
    from tests.support.servers.hdfs import HdfsFolder, HdfsServer
    from tests.support.servers.kafka import Broker, OwnBroker
    from tests.support.servers.kinesis import KinesisServer
    from tests.support.servers.mqtt import MqttServer, OwnMqttServer
    from tests.support.servers.nifi import NiFiServer, OwnNiFi
    from tests.support.servers.opensearch import OpenSearchServer
    from tests.support.servers.pubsub import OwnPubSubServer, PubSubServer
    from tests.support.servers.pulsar import OwnPulsarServer, PulsarServer
    from tests.support.servers.rabbitmq import OwnRabbitServer, RabbitServer
    from tests.support.servers.redis import OwnRedisServer, RedisServer
    from tests.support.servers.s3 import Bucket, S3Server


def _is_worker(config: pytest.Config) -> bool:
    """Whether this process is a worker of pytest-xdist."""
    return hasattr(config, "workerinput")


def _unavailable(error: UnavailableError) -> NoReturn:
    if os.environ.get(REQUIRE) == "1":
        pytest.fail(f"{error} ({REQUIRE}=1 forbids to skip)", pytrace=False)
    pytest.skip(str(error))


def _of_the_run(kind: Kind[ServerT], config: pytest.Config, folders: pytest.TempPathFactory) -> ServerT:
    """A server that all tests of the run share."""
    folder = folders.getbasetemp()
    server = shared(kind, folder.parent if _is_worker(config) else folder)
    try:
        found = server.__enter__()
    except UnavailableError as error:
        _unavailable(error)
    # With the session, not with its last test: other workers may go on for longer than a test may take.
    config.add_cleanup(lambda: server.__exit__(None, None, None))
    return found


@pytest.fixture(scope="session")
def kafka(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Broker:
    """A broker that all tests of the run share: take topics, groups and transactional ids of your own."""
    from tests.support.servers.kafka import Kafka  # its clients and containers take their time to import

    return _of_the_run(Kafka(), pytestconfig, tmp_path_factory)


@pytest.fixture
def own_kafka(request: pytest.FixtureRequest) -> Iterator[OwnBroker]:
    """A broker of the test's own, to kill and start again.

    It is always a process: a container's port and data would not outlive its end. An indirect parameter is how many ms
    its session lasts.
    """
    from tests.support.servers.kafka import OwnBroker

    try:
        broker = OwnBroker(**({"session_ms": request.param} if hasattr(request, "param") else {}))
    except UnavailableError as error:
        _unavailable(error)
    yield broker
    broker.stop()


@pytest.fixture(scope="session")
def rabbitmq(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> RabbitServer:
    """A RabbitMQ that all tests of the run share: take queues of your own."""
    from tests.support.servers.rabbitmq import RabbitMQ

    return _of_the_run(RabbitMQ(), pytestconfig, tmp_path_factory)


@pytest.fixture
def own_rabbitmq() -> Iterator[OwnRabbitServer]:
    """A RabbitMQ of the test's own, to kill and start again; always a process."""
    from tests.support.servers.rabbitmq import OwnRabbitServer

    try:
        server = OwnRabbitServer()
    except UnavailableError as error:
        _unavailable(error)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def mqtt(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> MqttServer:
    """A server of MQTT 5 that all tests of the run share: take topics and client ids of your own."""
    from tests.support.servers.mqtt import Mqtt

    return _of_the_run(Mqtt(), pytestconfig, tmp_path_factory)


@pytest.fixture
def own_mqtt() -> Iterator[OwnMqttServer]:
    """A server of MQTT 5 of the test's own, to end and start again; always a process."""
    from tests.support.servers.mqtt import OwnMqttServer

    try:
        server = OwnMqttServer()
    except UnavailableError as error:
        _unavailable(error)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def redis_server(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> RedisServer:
    """A Redis that all tests of the run share: take keys of your own."""
    from tests.support.servers.redis import Redis

    return _of_the_run(Redis(), pytestconfig, tmp_path_factory)


@pytest.fixture
def own_redis() -> Iterator[OwnRedisServer]:
    """A Redis of the test's own, to kill and start again; always a process."""
    from tests.support.servers.redis import OwnRedisServer

    try:
        server = OwnRedisServer()
    except UnavailableError as error:
        _unavailable(error)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def pubsub(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> PubSubServer:
    """A Pub/Sub that all tests of the run share: take topics and subscriptions of your own."""
    from tests.support.servers.pubsub import PubSub

    return _of_the_run(PubSub(), pytestconfig, tmp_path_factory)


@pytest.fixture
def own_pubsub() -> Iterator[OwnPubSubServer]:
    """Google's in-memory server of the test's own, to pause, or to kill: it has forgotten all then."""
    from tests.support.servers.pubsub import OwnPubSubServer

    try:
        server = OwnPubSubServer()
    except UnavailableError as error:
        _unavailable(error)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def pulsar(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> PulsarServer:
    """A Pulsar that all tests of the run share: take topics of your own."""
    from tests.support.servers.pulsar import Pulsar

    return _of_the_run(Pulsar(), pytestconfig, tmp_path_factory)


@pytest.fixture
def own_pulsar() -> Iterator[OwnPulsarServer]:
    """A Pulsar of the test's own, to kill and start again; always a process."""
    from tests.support.servers.pulsar import OwnPulsarServer

    try:
        server = OwnPulsarServer()
    except UnavailableError as error:
        _unavailable(error)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def kinesis(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> KinesisServer:
    """A Kinesis that all tests of the run share: take streams of your own."""
    from tests.support.servers.kinesis import Kinesis

    return _of_the_run(Kinesis(), pytestconfig, tmp_path_factory)


@pytest.fixture(scope="session")
def nifi(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> NiFiServer:
    """A NiFi that all tests of the run share: take flows of your own."""
    from tests.support.servers.nifi import NiFi

    return _of_the_run(NiFi(), pytestconfig, tmp_path_factory)


@pytest.fixture
def own_nifi() -> Iterator[OwnNiFi]:
    """A NiFi of the test's own, to kill and start again; always a process."""
    from tests.support.servers.nifi import OwnNiFi

    try:
        server = OwnNiFi()
    except UnavailableError as error:
        _unavailable(error)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def s3_server(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> S3Server:
    """A server of S3 that all tests of the run share."""
    from tests.support.servers.s3 import S3

    return _of_the_run(S3(), pytestconfig, tmp_path_factory)


@pytest.fixture(scope="session")
def hdfs_server(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> HdfsServer:
    """An HDFS that all tests of the run share."""
    from tests.support.servers.hdfs import Hdfs

    return _of_the_run(Hdfs(), pytestconfig, tmp_path_factory)


@pytest.fixture
def hdfs(hdfs_server: HdfsServer) -> HdfsFolder:
    """A folder of the test's own on HDFS."""
    return hdfs_server.world()


@pytest.fixture
def s3(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """A bucket of the test's own; the environment has the keys to it."""
    from tests.support.servers.s3 import KEYS

    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    return s3_server.bucket()


@pytest.fixture(scope="session")
def elasticsearch(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> ElasticsearchServer:
    """An Elasticsearch that all tests of the run share: take indices of your own."""
    from tests.support.servers.elasticsearch import Elasticsearch

    return _of_the_run(Elasticsearch(), pytestconfig, tmp_path_factory)


@pytest.fixture(scope="session")
def opensearch(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> OpenSearchServer:
    """An OpenSearch that all tests of the run share: take indices of your own."""
    from tests.support.servers.opensearch import OpenSearch

    return _of_the_run(OpenSearch(), pytestconfig, tmp_path_factory)


@pytest.fixture
def own_elasticsearch() -> Iterator[OwnElasticsearch]:
    """An Elasticsearch of the test's own, to kill and start again; always a process."""
    from tests.support.servers.elasticsearch import OwnElasticsearch

    try:
        server = OwnElasticsearch()
    except UnavailableError as error:
        _unavailable(error)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def cassandra(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Node:
    """A node of Cassandra that all tests of the run share: take keyspaces of your own."""
    from tests.support.servers.cassandra import Cassandra

    return _of_the_run(Cassandra(), pytestconfig, tmp_path_factory)


@pytest.fixture
def own_cassandra(request: pytest.FixtureRequest) -> Iterator[OwnNode]:
    """A node of the test's own, to kill and start again; always a process. An indirect ``True``: with passwords."""
    from tests.support.servers.cassandra import OwnNode

    try:
        node = OwnNode(passwords=getattr(request, "param", False))
    except UnavailableError as error:
        _unavailable(error)
    yield node
    node.stop()


#: Of servers that are killed, which takes clients their time to notice, and of those that start slowly.
_SLOW = {"own_kafka", "own_rabbitmq", "own_cassandra", "own_pubsub", "own_nifi", "nifi", "own_pulsar", "pulsar"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of slow servers are long ones."""
    for item in items:
        if _SLOW & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.long)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """A fixture may ask its server for what this one does not have, such as a password."""
    try:
        return (yield)
    except UnavailableError as error:
        _unavailable(error)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """And so may a test."""
    try:
        return (yield)
    except UnavailableError as error:
        _unavailable(error)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _is_worker(session.config):
        session.config.workeroutput["servers"] = taken  # type: ignore[attr-defined]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    taken.update(getattr(node, "workeroutput", {}).get("servers", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for kind, way in taken.items():
        terminalreporter.write_line(f"servers: {kind}: {way}")
