"""OpenSearch for the tests.

def test_copy(opensearch):                  # shared by the whole run
    index = opensearch.name()               # a name that no index has
    ...
    assert opensearch.documents(index) == {"1": {"name": "ada"}}

The process is of the zip that OpenSearch publishes for integration tests: the real server without plugins, and so
without users.
"""

from __future__ import annotations

import json
import os
import shutil
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.servers.choice import Kind
from tests.support.servers.containers import ServerContainer, find_image
from tests.support.servers.elasticsearch import as_nobody, linked, open_to_nobody, unpack_archive
from tests.support.servers.jars import Artifact, installed, java
from tests.support.servers.processes import ServerProcess, free_ports, listens

# Newer ones need Java 21.
VERSION = "2.19.6"
IMAGE = f"opensearchproject/opensearch:{VERSION}"

_SETTINGS = {
    "discovery.type": "single-node",
    "cluster.routing.allocation.disk.threshold_enabled": "false",
}
_HEAP = "-Xms256m -Xmx512m"
_ARTIFACT = Artifact("org.opensearch.distribution.integ-test-zip", "opensearch", VERSION, transitive=False)
_START_S = 180.0
#: Documents of an answer.
_PAGE = 5000


class OpenSearchServer:
    """An OpenSearch that runs, without users.

    Attributes:
        address: ``host:port``.
        user: None: it wants no password.
        password: Of the user.
    """

    user = password = None

    def __init__(self, address: str) -> None:
        self.address = address

    def client(self) -> OpenSearchServer:
        """The same server for another process."""
        return OpenSearchServer(self.address)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """What the server answers, as plain data."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://{self.address}{path}", data, {"content-type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def name(self, prefix: str = "test") -> str:
        """A name that no index has."""
        return f"{prefix}-{uuid.uuid4().hex[:12]}"

    def index(self, **properties: str) -> str:
        """Make an index; its name.

        Args:
            properties: Types of fields, such as ``age="integer"``.
        """
        name = self.name()
        settings = {"number_of_shards": 1, "number_of_replicas": 0}
        mappings = {"properties": {field: {"type": kind} for field, kind in properties.items()}}
        self.call("PUT", f"/{name}", {"settings": settings, "mappings": mappings})
        return name

    def documents(self, index: str) -> dict[str, Any]:
        """All documents of an index by their ids, up to 10,000."""
        self.call("POST", f"/{index}/_refresh")
        found = self.call("GET", f"/{index}/_search?size=10000")
        return {hit["_id"]: hit["_source"] for hit in found["hits"]["hits"]}

    def contents(self, index: str) -> Iterator[dict[str, Any]]:
        """All documents of an index, without their ids."""
        self.call("POST", f"/{index}/_refresh")
        found = self.call("GET", f"/{index}/_search?scroll=1m&size={_PAGE}")
        while found["hits"]["hits"]:
            for hit in found["hits"]["hits"]:
                yield hit["_source"]
            found = self.call("POST", "/_search/scroll", {"scroll": "1m", "scroll_id": found["_scroll_id"]})

    def count(self, index: str) -> int:
        """How many documents an index has."""
        self.call("POST", f"/{index}/_refresh")
        return int(self.call("GET", f"/{index}/_count")["count"])

    def is_ready(self) -> bool:
        """Whether it answers, and takes documents."""
        try:
            return bool(self.call("GET", "/_cluster/health?wait_for_status=yellow&timeout=2s")["status"] != "red")
        except OSError:
            return False

    def stop(self) -> None:
        """End the server, if this run started it."""


class OpenSearch(Kind[OpenSearchServer]):
    """The kind of server that OpenSearch is."""

    name = "opensearch"
    image = IMAGE

    def at(self, address: str) -> OpenSearchServer:
        server = OpenSearchServer(address)
        return self.answering(server, server.is_ready, address, "OpenSearch")

    def in_container(self) -> OpenSearchServer:
        find_image(self.image)
        return ContainerOpenSearch(self.image)

    def as_process(self) -> OpenSearchServer:
        return OwnOpenSearch()


class ContainerOpenSearch(OpenSearchServer):
    """A server in a container."""

    def __init__(self, image: str) -> None:
        settings = " ".join(f"-E {name}={value}" for name, value in _SETTINGS.items())
        run = f"OPENSEARCH_JAVA_OPTS='{_HEAP}' exec bin/opensearch -E network.host=0.0.0.0 {settings}"
        command = ["sh", "-c", f"cd /usr/share/opensearch && {run} -E plugins.security.disabled=true"]
        self._container = ServerContainer("opensearch", image, command, [9200])
        super().__init__(f"{self._container.host}:{self._container.ports[9200]}")
        self._container.wait_until(self.is_ready, _START_S)

    def stop(self) -> None:
        self._container.stop()


class OwnOpenSearch(OpenSearchServer):
    """A server as a process of this machine, which a test may kill and start again.

    Raises:
        UnavailableError: It cannot be had, or does not start.
    """

    def __init__(self) -> None:
        program = installed(f"opensearch-{VERSION}", (_ARTIFACT,), unpack_archive) / f"opensearch-{VERSION}"
        http, transport = free_ports(2)
        super().__init__(f"127.0.0.1:{http}")
        self._port = http
        self._process = ServerProcess("opensearch")
        try:
            folder = self._process.folder
            home = linked(program, folder / "program")
            _configure(shutil.copytree(home / "config", folder / "config"), folder, http, transport)
            self._command = _command(home, folder)
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Start it again after `kill`: same port, same data. Returns when it is ready."""
        self._process.start(self._command, lambda: listens("127.0.0.1", self._port) and self.is_ready(), _START_S)

    def kill(self) -> None:
        """End it at once, as ``kill -9`` does; its data stays."""
        self._process.kill()

    def stop(self) -> None:
        self._process.stop()


def _configure(config: Path, folder: Path, http: int, transport: int) -> None:
    own = {"path.data": folder / "data", "path.logs": folder / "logs", "network.host": "127.0.0.1"}
    settings: dict[str, Any] = {**_SETTINGS, **own, "http.port": http, "transport.port": transport}
    (config / "opensearch.yml").write_text("".join(f"{name}: {value}\n" for name, value in settings.items()))
    (config / "jvm.options").write_text(
        f"-Djava.io.tmpdir={folder / 'tmp'}\n-XX:+UseSerialGC\n-XX:+ExitOnOutOfMemoryError\n"
        "-Djava.security.manager=allow\n"
    )
    open_to_nobody(folder, config)


def _command(home: Path, folder: Path) -> list[str]:
    java_home = Path(os.path.realpath(shutil.which(java()) or java())).parent.parent
    environment = {
        "OPENSEARCH_JAVA_HOME": java_home,
        "OPENSEARCH_PATH_CONF": folder / "config",
        "OPENSEARCH_JAVA_OPTS": _HEAP,
        "OPENSEARCH_TMPDIR": folder / "tmp",
    }
    return as_nobody(["env", *(f"{name}={value}" for name, value in environment.items()), str(home / "bin/opensearch")])
