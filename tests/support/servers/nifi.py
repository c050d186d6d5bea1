"""NiFi for the tests.

def test_copy(nifi):                        # shared by the whole run
    flow = nifi.flow()                      # an input port that leads to an output port, of the test's own
    nifi.put(flow.input, [packet])
    assert nifi.take(flow.output) == [packet]

def test_it_dies(own_nifi):                 # this test's own
    own_nifi.kill()
    own_nifi.start()                        # same port, same data

The process is put together from the archives that NiFi publishes on Maven Central: the real server, with its framework
and its web API, without processors. There is a newer version of each archive, but not of all.
"""

from __future__ import annotations

import gzip
import json
import uuid
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx

from datastream.connectors.nifi import NiFiDataPacket, SiteToSiteClient, SiteToSiteClientConfig
from datastream.connectors.nifi.packets import packet_as_bytes, packets_in
from datastream.connectors.nifi.site import Direction, Site
from tests.support.servers.choice import Kind
from tests.support.servers.jars import Artifact, installed, java
from tests.support.servers.processes import ServerProcess, free_ports, listens
from tests.support.servers.unavailable import UnavailableError
from tests.support.waiting import wait_until

VERSION = "1.18.0"
_NIFI = "org.apache.nifi"
_ARTIFACTS = (
    *(Artifact(_NIFI, name, VERSION) for name in ("nifi-runtime", "nifi-properties-loader")),
    *(
        Artifact(_NIFI, name, VERSION, transitive=False)
        for name in ("nifi-jetty-bundle", "nifi-framework-nar", "nifi-server-nar", "nifi-provenance-repository-nar")
    ),
    Artifact("ch.qos.logback", "logback-classic", "1.2.11"),
    *(Artifact("org.slf4j", name, "1.7.36") for name in ("jul-to-slf4j", "jcl-over-slf4j", "log4j-over-slf4j")),
    # What Java had itself when NiFi was written for it.
    Artifact("javax.servlet", "javax.servlet-api", "3.1.0", transitive=False),
    Artifact("org.eclipse.jetty.toolchain", "jetty-schemas", "3.1", transitive=False),
    Artifact("javax.annotation", "javax.annotation-api", "1.3.2", transitive=False),
    Artifact("org.glassfish.jaxb", "jaxb-runtime", "2.3.8"),
)
_START_S = 180.0
_LOG = """<configuration>
<appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
<encoder><pattern>%date %level %logger{40} %msg%n</pattern></encoder></appender>
<logger name="org.apache.nifi.web.api.config.WebApplicationExceptionMapper" level="OFF"/>
<root level="WARN"><appender-ref ref="OUT"/></root>
</configuration>
"""
_STATE = """<stateManagement><local-provider><id>local-provider</id>
<class>org.apache.nifi.controller.state.providers.local.WriteAheadLocalStateProvider</class>
<property name="Directory">{folder}/state</property></local-provider></stateManagement>
"""


@dataclass(frozen=True)
class Flow:
    """An input port that leads to an output port.

    Attributes:
        input: The name of the input port.
        output: The name of the output port.
        ids: The ids of both.
        connection: The id of what leads from one to the other.
    """

    input: str
    output: str
    ids: tuple[str, str]
    connection: str


class NiFiServer:
    """A NiFi that runs.

    Attributes:
        address: ``host:port``.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._running: dict[str, str] = {}  # the id of a port that was started -> its kind

    def client(self) -> NiFiServer:
        """The same server for another process."""
        return NiFiServer(self.address)

    @property
    def url(self) -> str:
        """Of its user interface."""
        return f"http://{self.address}/nifi"

    def config(self, port: str, **settings: Any) -> SiteToSiteClientConfig:
        """How a port is reached.

        Args:
            port: Its name.
            settings: What is called on the builder, such as ``request_batch_count=5``.
        """
        builder = SiteToSiteClient.Builder().url(self.url).port_name(port)
        for name, value in settings.items():
            getattr(builder, name)(value)
        return builder.build_config()

    def flow(self, limit: int | None = None) -> Flow:
        """A new flow.

        Args:
            limit: The connection is full with so many flow files. None: with 10,000.
        """
        name = uuid.uuid4().hex[:12]
        root = self._root
        names = (f"in-{name}", f"out-{name}")
        ends, connection = [], {}
        for kind, port, end in zip(("input-ports", "output-ports"), names, ("source", "destination"), strict=True):
            component = {"name": port, "position": {"x": 0, "y": 0}, "allowRemoteAccess": True}
            made = self.call("POST", f"process-groups/{root}/{kind}", component=component)
            connection[end] = {"id": made["id"], "groupId": root, "type": kind.upper()[:-1].replace("-", "_")}
            ends.append((kind, made))
        if limit is not None:
            connection["backPressureObjectThreshold"] = limit
        between = self.call("POST", f"process-groups/{root}/connections", component=connection)["id"]
        for kind, made in ends:
            self.call("PUT", f"{kind}/{made['id']}/run-status", revision=made["revision"], state="RUNNING")
            self._running[made["id"]] = kind
        return Flow(*names, (ends[0][1]["id"], ends[1][1]["id"]), between)

    def end(self, flow: Flow) -> None:
        """Stop a flow that is not needed any more: NiFi looks at each port that runs all the time."""
        for kind, id in zip(("input-ports", "output-ports"), flow.ids, strict=True):
            self.stop_port(kind, id)

    def stop_port(self, kind: str, id: str) -> None:
        """Stop a port."""
        self._running.pop(id, None)
        revision = self.call("GET", f"{kind}/{id}")["revision"]
        self.call("PUT", f"{kind}/{id}/run-status", revision=revision, state="STOPPED")

    def put(self, port: str, packets: list[NiFiDataPacket]) -> None:
        """Send packets to an input port."""
        site = Site(self.config(port), Direction.SEND)
        data = b"".join(packet_as_bytes(packet.get_content(), packet.get_attributes()) for packet in packets)
        transaction = site.begin()
        transaction.send([data], len(data))
        transaction.confirm_sent()
        site.close()

    def take(self, port: str) -> list[NiFiDataPacket]:
        """All flow files that wait at an output port."""
        site = Site(self.config(port), Direction.RECEIVE)
        found: list[NiFiDataPacket] = []
        while True:
            transaction = site.begin()
            data = transaction.receive(10_000, 1 << 30)
            if data is None:
                site.close()
                return found
            found += packets_in(data)
            transaction.confirm_received(data)

    def wait_for(self, flow: Flow, count: int) -> None:
        """Wait until so many flow files wait at an output port."""
        wait_until(lambda: self.size(flow) == count, f"{count} flow files")

    def size(self, flow: Flow) -> int:
        """How many flow files wait at an output port."""
        status = self.call("GET", f"flow/connections/{flow.connection}/status")["connectionStatus"]
        return int(status["aggregateSnapshot"]["flowFilesQueued"])

    def call(self, method: str, path: str, **body: Any) -> dict[str, Any]:
        """Ask its REST API; a component gets its first revision."""
        sent = {"revision": {"version": 0}, **body} if body else None
        # It takes some 50 ms to read the certificates that are trusted.
        answer = httpx.request(method, f"{self._api}/{path}", json=sent, timeout=60, verify=False)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    @cached_property
    def _root(self) -> str:
        """The id of the group that all flows are in."""
        id: str = self.call("GET", "flow/process-groups/root")["processGroupFlow"]["id"]
        return id

    @property
    def _api(self) -> str:
        return f"http://{self.address}/nifi-api"

    def is_ready(self) -> bool:
        """Whether it answers."""
        try:
            return httpx.get(f"{self._api}/site-to-site", timeout=10, verify=False).is_success
        except httpx.TransportError:
            return False

    def stop(self) -> None:
        """End the server, if this run started it."""


class NiFi(Kind[NiFiServer]):
    """The kind of server that NiFi is."""

    name = "nifi"
    image = ""

    def at(self, address: str) -> NiFiServer:
        server = NiFiServer(address)
        return self.answering(server, server.is_ready, address, "NiFi")

    def in_container(self) -> NiFiServer:
        raise UnavailableError("it is run as a process only")

    def as_process(self) -> NiFiServer:
        return OwnNiFi()


class OwnNiFi(NiFiServer):
    """A NiFi as a process of this machine, which a test may kill, start again and pause.

    Raises:
        UnavailableError: It cannot be had, or does not start.
    """

    def __init__(self) -> None:
        lib = installed(f"nifi-{VERSION}", _ARTIFACTS) / "lib"
        (self._port,) = free_ports(1)
        super().__init__(f"127.0.0.1:{self._port}")
        self._process = ServerProcess("nifi")
        folder = self._process.folder
        (folder / "nifi.properties").write_text(
            "".join(f"{name}={value}\n" for name, value in _properties(folder, lib, self._port).items())
        )
        (folder / "state.xml").write_text(_STATE.format(folder=folder))
        (folder / "logback.xml").write_text(_LOG)
        self._command = [
            java(),
            # It runs for a short time: compiling well costs more than it gains.
            *("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            *("-Djava.awt.headless=true", "-Djava.protocol.handler.pkgs=sun.net.www.protocol"),
            f"-Dnifi.properties.file.path={folder / 'nifi.properties'}",
            *("-cp", f"{folder}:{lib}/*", "org.apache.nifi.NiFi"),
        ]
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Start it again after `kill`: same port, same data. Returns when it is ready, with the ports that ran."""
        self._process.start(self._command, lambda: listens("127.0.0.1", self._port) and self.is_ready(), _START_S)
        # Its ports start some time after it answers.
        wait_until(lambda: all(map(self._runs, self._running)), "all ports that ran")

    def _runs(self, id: str) -> bool:
        answer = httpx.get(f"{self._api}/{self._running[id]}/{id}", timeout=60, verify=False)
        return answer.is_success and answer.json()["status"]["runStatus"] == "Running"

    def _has_written_flows(self) -> bool:
        """Whether its file has the ports that run, and no others do."""
        file = self._process.folder / "flow.json.gz"
        try:
            root = json.loads(gzip.decompress(file.read_bytes()))["rootGroup"]
        except (OSError, EOFError, ValueError, zlib.error):  # it is not there, or is being written
            return False
        ports = [*root["inputPorts"], *root["outputPorts"]]
        return {port["instanceIdentifier"] for port in ports if port["scheduledState"] == "RUNNING"} == {*self._running}

    def kill(self) -> None:
        """End it at once, as ``kill -9`` does. Its data stays, and its flows, which it writes soon after a change."""
        wait_until(self._has_written_flows, "a file with all flows")
        self._process.kill()

    def pause(self) -> None:
        """Stop it in its tracks: connections stay open, nothing is answered."""
        self._process.pause()

    def resume(self) -> None:
        """Let it go on after `pause`."""
        self._process.resume()

    def stop(self) -> None:
        self._process.stop()


def _properties(folder: Path, lib: Path, port: int) -> dict[str, Any]:
    repository = "org.apache.nifi.controller.repository"
    return {
        "nifi.flow.configuration.file": folder / "flow.xml.gz",
        "nifi.flow.configuration.json.file": folder / "flow.json.gz",
        "nifi.flow.configuration.archive.enabled": "false",
        "nifi.flow.configuration.archive.dir": folder / "archive",
        "nifi.flowcontroller.autoResumeState": "true",
        "nifi.flowcontroller.graceful.shutdown.period": "1 sec",
        "nifi.flowservice.writedelay.interval": "100 ms",
        "nifi.administrative.yield.duration": "1 sec",
        "nifi.bored.yield.duration": "10 millis",
        "nifi.authorizer.configuration.file": folder / "authorizers.xml",
        "nifi.login.identity.provider.configuration.file": folder / "login-identity-providers.xml",
        "nifi.templates.directory": folder / "templates",
        "nifi.nar.library.directory": lib,
        "nifi.nar.library.autoload.directory": folder / "extensions",
        "nifi.nar.working.directory": folder / "nar",
        "nifi.documentation.working.directory": folder / "docs",
        "nifi.state.management.configuration.file": folder / "state.xml",
        "nifi.state.management.provider.local": "local-provider",
        "nifi.database.directory": folder / "database",
        "nifi.flowfile.repository.implementation": f"{repository}.WriteAheadFlowFileRepository",
        "nifi.flowfile.repository.wal.implementation": "org.apache.nifi.wali.SequentialAccessWriteAheadLog",
        "nifi.flowfile.repository.directory": folder / "flowfiles",
        "nifi.swap.manager.implementation": "org.apache.nifi.controller.FileSystemSwapManager",
        "nifi.queue.swap.threshold": "20000",
        "nifi.content.repository.implementation": f"{repository}.FileSystemRepository",
        "nifi.content.repository.directory.default": folder / "content",
        "nifi.content.repository.archive.enabled": "false",
        "nifi.content.claim.max.appendable.size": "50 KB",
        "nifi.provenance.repository.implementation": "org.apache.nifi.provenance.VolatileProvenanceRepository",
        "nifi.provenance.repository.buffer.size": "1000",
        "nifi.components.status.repository.implementation": (
            "org.apache.nifi.controller.status.history.VolatileComponentStatusRepository"
        ),
        "nifi.remote.input.host": "127.0.0.1",
        "nifi.remote.input.secure": "false",
        "nifi.remote.input.http.enabled": "true",
        "nifi.remote.input.http.transaction.ttl": "30 sec",
        "nifi.remote.contents.cache.expiration": "30 secs",
        "nifi.web.http.host": "127.0.0.1",
        "nifi.web.http.port": port,
        "nifi.web.jetty.working.directory": folder / "jetty",
        "nifi.web.jetty.threads": "20",
        "nifi.sensitive.props.key": "of-the-tests",
        "nifi.sensitive.props.algorithm": "NIFI_PBKDF2_AES_GCM_256",
        "nifi.cluster.is.node": "false",
    }
