"""Apache Pulsar for the tests.

def test_copy(pulsar):                        # shared by the whole run
    topic = pulsar.topic(partitions=2)        # a topic that nobody has
    pulsar.publish(topic, [b"a", b"b"])
    assert pulsar.drain(topic) == [b"a", b"b"]

def test_it_dies(own_pulsar):                 # this test's own
    own_pulsar.kill()
    own_pulsar.start()                        # same ports, same data

The process is Pulsar's standalone server, of the archive that it publishes on Maven Central.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
import urllib.request
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pulsar import Client, FileLogger, LoggerLevel, MessageId

from tests.support.servers.choice import Kind
from tests.support.servers.installs import install_once
from tests.support.servers.jars import LIMIT_S, ivy, java
from tests.support.servers.processes import ServerProcess, free_ports
from tests.support.servers.unavailable import UnavailableError

VERSION = "4.0.8"
_NAME = "pulsar-server-distribution"
_START_S = 180.0
_WAIT_MS = 30_000
_IVY = f"""<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
<info organisation="tests" module="pulsar"/>
<dependencies><dependency org="org.apache.pulsar" name="{_NAME}" rev="{VERSION}" transitive="false">
<artifact name="{_NAME}" type="tar.gz" ext="tar.gz" m:classifier="bin"/>
</dependency></dependencies></ivy-module>
"""
_LOG = """<Configuration status="error"><Appenders><Console name="out">
<PatternLayout pattern="%d %-5level %logger{1.} %msg%n%throwable"/></Console></Appenders>
<Loggers><Root level="warn"><AppenderRef ref="out"/></Root></Loggers></Configuration>
"""
_OPENED = (
    *("java.base/java.io", "java.base/java.util.zip", "java.base/java.nio", "java.base/jdk.internal.misc"),
    *("java.base/jdk.internal.platform", "java.management/sun.management"),
    "jdk.management/com.sun.management.internal",
)
_DRIVERS = "org.apache.pulsar.metadata.bookkeeper.PulsarMetadata"

#: A namespace whose brokers drop messages that they have already.
ONCE = "public/once"


class PulsarServer:
    """A cluster that runs.

    Attributes:
        url: Of its broker.
        admin_url: Of its REST API.
    """

    def __init__(self, url: str, admin_url: str) -> None:
        self.url, self.admin_url = url, admin_url

    def client(self) -> PulsarServer:
        """The same server for another process."""
        return PulsarServer(self.url, self.admin_url)

    def topic(self, partitions: int = 0, namespace: str = "public/default") -> str:
        """A new topic.

        Args:
            partitions: How many it has; 0: it is not partitioned.
            namespace: Where it is.
        """
        name = f"{namespace}/t{uuid.uuid4().hex[:12]}"
        if partitions:
            self.call("PUT", f"persistent/{name}/partitions", partitions)
        else:
            self.call("PUT", f"persistent/{name}")
        return f"persistent://{name}"

    def make_namespace(self) -> None:
        """Make the namespace `ONCE`, where it is not there."""
        if ONCE not in self.call("GET", "namespaces/public"):
            self.call("PUT", f"namespaces/{ONCE}", {})
            self.call("POST", f"namespaces/{ONCE}/deduplication", True)

    @contextmanager
    def connected(self) -> Iterator[Client]:
        """A client of the library."""
        client = Client(self.url, logger=FileLogger(LoggerLevel.Error, os.devnull))
        try:
            yield client
        finally:
            client.close()

    def publish(self, topic: str, contents: Iterable[bytes], batch: int = 0, **settings: Any) -> list[MessageId]:
        """Publish messages; their ids.

        Args:
            topic: Where.
            contents: What.
            batch: So many go as one entry; 0: each is an entry.
            settings: As of the library's ``send``.
        """
        with self.connected() as client:
            producer = client.create_producer(
                topic,
                batching_enabled=batch > 0,
                batching_max_messages=max(batch, 2),
                batching_max_publish_delay_ms=10_000,
                block_if_queue_full=True,
            )
            ids: list[Any] = []
            for content in contents:
                if batch:
                    producer.send_async(content, lambda result, id: ids.append(id), **settings)
                else:
                    ids.append(producer.send(content, **settings))
            producer.flush()
            producer.close()
        return ids

    def messages(self, topic: str) -> list[Any]:
        """All messages of a topic, partition by partition."""
        found = []
        with self.connected() as client:
            for partition in client.get_topic_partitions(topic):
                reader = client.create_reader(partition, MessageId.earliest)
                while reader.has_message_available():
                    found.append(reader.read_next(_WAIT_MS))
                reader.close()
        return found

    def drain(self, topic: str) -> list[bytes]:
        """The contents of all messages of a topic."""
        return [message.data() for message in self.messages(topic)]

    def backlog(self, topic: str, subscription: str) -> int:
        """How many messages of a topic without partitions a subscription has not acknowledged."""
        stats = self.call("GET", f"{topic.replace('://', '/')}/stats?getPreciseBacklog=true")
        return int(stats["subscriptions"][subscription]["msgBacklog"])

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """What its REST API answers, as plain data; None: nothing."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.admin_url}/admin/v2/{path}", data, {"content-type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or b"null")

    def is_ready(self) -> bool:
        """Whether topics can be made and read."""
        try:
            return "public/default" in self.call("GET", "namespaces/public")
        except (OSError, ValueError):
            return False

    def stop(self) -> None:
        """End the server, if this run started it."""


class Pulsar(Kind[PulsarServer]):
    """The kind of server that Pulsar is."""

    name = "pulsar"
    image = ""

    def at(self, address: str) -> PulsarServer:
        """The server at an address: the URLs of the broker and of the REST API, with a comma between them."""
        url, _, admin_url = address.partition(",")
        server = PulsarServer(url, admin_url)
        found = self.answering(server, server.is_ready, address, "Pulsar")
        found.make_namespace()
        return found

    def in_container(self) -> PulsarServer:
        raise UnavailableError("it is run as a process only")

    def as_process(self) -> PulsarServer:
        return OwnPulsarServer()


class OwnPulsarServer(PulsarServer):
    """A Pulsar as a process of this machine, which a test may kill, start again and pause.

    Raises:
        UnavailableError: It cannot be had, or does not start.
    """

    def __init__(self) -> None:
        home = _installed()
        self._port, self._web_port, self._bookie_port = free_ports(3)
        super().__init__(f"pulsar://127.0.0.1:{self._port}", f"http://127.0.0.1:{self._web_port}")
        self._process = ServerProcess("pulsar")
        folder = self._process.folder
        (folder / "log4j2.xml").write_text(_LOG)
        (folder / "standalone.conf").write_text(_settings(home, folder, self._port, self._web_port))
        self._command = [
            java(),
            # It runs for a short time: compiling well costs more than it gains.
            *("-Xmx512m", "-XX:MaxDirectMemorySize=512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            *(part for name in _OPENED for part in ("--add-opens", f"{name}=ALL-UNNAMED")),
            *("-Djava.net.preferIPv4Stack=true", "-Dio.netty.tryReflectionSetAccessible=true"),
            f"-Dbookkeeper.metadata.bookie.drivers={_DRIVERS}BookieDriver",
            f"-Dbookkeeper.metadata.client.drivers={_DRIVERS}ClientDriver",
            *("-Dlog4j2.is.webapp=false", "-Dlog4j.shutdownHookEnabled=false"),
            f"-Dlog4j.configurationFile={folder / 'log4j2.xml'}",
            f"-Dpulsar.config.file={folder / 'standalone.conf'}",
            *("-cp", f"{home / 'lib'}/*", "org.apache.pulsar.PulsarStandaloneStarter"),
            *("--config", str(folder / "standalone.conf"), "--no-functions-worker", "--no-stream-storage"),
            *("--advertised-address", "127.0.0.1", "--bookkeeper-port", str(self._bookie_port)),
            *("--metadata-dir", str(folder / "metadata"), "--bookkeeper-dir", str(folder / "bookkeeper")),
        ]
        try:
            self.start()
            self.make_namespace()
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Start it again after `kill`: same ports, same data. Returns when it is ready."""
        self._process.start(self._command, self.is_ready, _START_S)

    def kill(self) -> None:
        """End it at once, as ``kill -9`` does. Its data stays."""
        self._process.kill()

    def pause(self) -> None:
        """Stop it in its tracks: connections stay open, nothing is answered."""
        self._process.pause()

    def resume(self) -> None:
        """Let it go on after `pause`."""
        self._process.resume()

    def stop(self) -> None:
        self._process.stop()


def _settings(home: Path, folder: Path, port: int, web_port: int) -> str:
    """Those of the archive, with these instead: the file's last one of a name counts."""
    own = {
        "brokerServicePort": port,
        "webServicePort": web_port,
        "bindAddress": "127.0.0.1",
        "allowLoopback": "true",
        "listeningInterface": "lo",
        "activeConsumerFailoverDelayTimeMillis": 0,
        "brokerDeleteInactiveTopicsEnabled": "false",
        "brokerShutdownTimeoutMs": 1000,
        "defaultNumberOfNamespaceBundles": 1,
        # Messages that no subscription waits for would be deleted when the server starts again.
        "defaultRetentionSizeInMB": -1,
        "defaultRetentionTimeInMinutes": -1,
        "loadBalancerEnabled": "false",
        "managedLedgerCacheSizeMB": 64,
        "numHttpServerThreads": 8,
        "numIOThreads": 2,
        "numOrderedExecutorThreads": 2,
        "topicOrderedExecutorThreadNum": 2,
        "numExecutorThreadPoolSize": 2,
        "numCacheExecutorThreadPoolSize": 2,
        "dbStorage_writeCacheMaxSizeMb": 32,
        "dbStorage_readAheadCacheMaxSizeMb": 32,
        "dbStorage_rocksDB_blockCacheSize": 16 << 20,
        "journalMaxSizeMB": 64,
        "journalPreAllocSizeMB": 4,
        "diskUsageThreshold": "0.999",
        "diskUsageWarnThreshold": "0.998",
    }
    kept = [
        line
        for line in (home / "conf" / "standalone.conf").read_text().splitlines()
        if line and not line.startswith("#") and line.partition("=")[0] not in own
    ]
    return "\n".join([*kept, *(f"{name}={value}" for name, value in own.items()), ""])


def _installed() -> Path:
    """The folder of the unpacked archive.

    Raises:
        UnavailableError: Maven Central did not give it.
    """
    return install_once(f"pulsar-{VERSION}", _fill) / f"apache-pulsar-{VERSION}"


def _fill(folder: Path) -> None:
    (folder / "ivy.xml").write_text(_IVY)
    command = [
        *(java(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", f"-Divy.default.ivy.user.dir={folder / 'ivy'}"),
        *("-jar", str(ivy()), "-ivy", str(folder / "ivy.xml"), "-confs", "default"),
        *("-cache", str(folder / "ivy" / "cache"), "-retrieve", str(folder / "[artifact].[ext]")),
    ]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"Maven Central did not give Pulsar {VERSION} within {LIMIT_S} s") from None
    archive = folder / f"{_NAME}.tar.gz"
    if done.returncode or not archive.exists():
        raise UnavailableError(f"Maven Central did not give Pulsar {VERSION}: {done.stdout.strip()[-200:]}")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    archive.unlink()
    shutil.rmtree(folder / "ivy")
