"""HDFS for the tests: a name node and a data node, spoken to by WebHDFS.

def test_copy(hdfs):                        # a folder of the test's own
    hdfs.files.pipe(f"{hdfs.folder}/in/a.txt", b"a")
    ...                                     # of hdfs.uri("in")
"""

from __future__ import annotations

import subprocess
import urllib.request
import uuid
from typing import Any

from tests.support.servers.choice import Kind
from tests.support.servers.jars import Artifact, installed, java
from tests.support.servers.processes import ServerProcess, free_ports, listens
from tests.support.servers.unavailable import UnavailableError

VERSION = "3.4.1"
_JARS = (
    Artifact("org.apache.hadoop", "hadoop-hdfs", VERSION),
    Artifact("org.apache.hadoop", "hadoop-common", VERSION),
    Artifact("org.apache.hadoop", "hadoop-hdfs-client", VERSION),
)
_PACKAGE = "org.apache.hadoop.hdfs.server"
_USER = "tester"
_LOG = """log4j.rootLogger=WARN, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.SimpleLayout
"""
_START_S = 120.0


class HdfsServer:
    """A name node.

    Args:
        address: ``host:port`` of its HTTP.
    """

    def __init__(self, address: str) -> None:
        self.address = address

    def client(self) -> HdfsServer:
        """The same server for another process."""
        return HdfsServer(self.address)

    def is_ready(self) -> bool:
        """Whether it has left safe mode, and a data node takes blocks."""
        url = f"http://{self.address}/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState"
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                text = answer.read().decode()
        except OSError:
            return False
        return '"NumLiveDataNodes" : 1' in text and '"FSState" : "Operational"' in text

    def world(self) -> HdfsFolder:
        """A new folder."""
        return HdfsFolder(self.address, f"/tests/{uuid.uuid4().hex}")

    def stop(self) -> None:
        """Another process ends it."""


class OwnHdfs(HdfsServer):
    """A server as a process."""

    def __init__(self) -> None:
        lib = installed(f"hdfs-{VERSION}", _JARS) / "lib"
        http, rpc, *of_data = free_ports(5)
        super().__init__(f"127.0.0.1:{http}")
        self._name = ServerProcess("hdfs")
        self._data = ServerProcess("hdfs-data")
        self._name.folder.joinpath("core-site.xml").write_text(_xml({"fs.defaultFS": f"hdfs://127.0.0.1:{rpc}"}))
        self._name.folder.joinpath("hdfs-site.xml").write_text(_xml(_settings(self, http, of_data)))
        self._name.folder.joinpath("log4j.properties").write_text(_LOG)
        for pages in ("hdfs", "datanode", "static"):  # of its web interface, which is not in the jars
            self._name.folder.joinpath("webapps", pages).mkdir(parents=True)
        command = [
            java(),
            *("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            *("--add-opens", "java.base/java.lang=ALL-UNNAMED"),  # JAXB defines classes
            f"-Dhadoop.log.dir={self._name.folder}",
            *("-cp", f"{self._name.folder}:{lib}/*"),
        ]
        try:
            subprocess.run(
                [*command, f"{_PACKAGE}.namenode.NameNode", "-format", "-nonInteractive"],
                check=True,
                capture_output=True,
                timeout=_START_S,
            )
            self._name.start([*command, f"{_PACKAGE}.namenode.NameNode"], self._answers, _START_S)
            self._data.start([*command, f"{_PACKAGE}.datanode.DataNode"], self.is_ready, _START_S)
        except BaseException as error:
            self.stop()
            if isinstance(error, subprocess.SubprocessError):
                raise UnavailableError(f"HDFS cannot be formatted: {error}") from error
            raise

    def stop(self) -> None:
        self._data.stop()
        self._name.stop()

    def _answers(self) -> bool:
        return listens("127.0.0.1", int(self.address.rpartition(":")[2]))


def _settings(server: OwnHdfs, http: int, of_data: list[int]) -> dict[str, str]:
    data, data_http, data_ipc = of_data
    return {
        "dfs.replication": "1",
        "dfs.permissions.enabled": "false",
        "dfs.namenode.name.dir": str(server._name.folder / "names"),
        "dfs.datanode.data.dir": str(server._name.folder / "blocks"),
        "dfs.namenode.http-address": f"127.0.0.1:{http}",
        "dfs.namenode.safemode.extension": "0",
        "dfs.datanode.address": f"127.0.0.1:{data}",
        "dfs.datanode.http.address": f"127.0.0.1:{data_http}",
        "dfs.datanode.ipc.address": f"127.0.0.1:{data_ipc}",
        "dfs.datanode.hostname": "127.0.0.1",
    }


def _xml(settings: dict[str, str]) -> str:
    found = "".join(
        f"<property><name>{name}</name><value>{value}</value></property>" for name, value in settings.items()
    )
    return f"<configuration>{found}</configuration>"


class Hdfs(Kind[HdfsServer]):
    """The kind of server that HDFS is."""

    name = "hdfs"
    image = ""

    def at(self, address: str) -> HdfsServer:
        server = HdfsServer(address)
        return self.answering(server, server.is_ready, address, "HDFS")

    def in_container(self) -> HdfsServer:
        # Clients are sent to the data node by its name, which has a meaning inside the container only.
        raise UnavailableError("its data node cannot be reached from outside a container")

    def as_process(self) -> HdfsServer:
        return OwnHdfs()


class HdfsFolder:
    """What a test does with a folder.

    Args:
        address: ``host:port`` of the name node's HTTP.
        folder: Its path.
    """

    def __init__(self, address: str, folder: str) -> None:
        import fsspec

        host, _, port = address.rpartition(":")
        self.address = address
        self.folder = folder
        self.files: Any = fsspec.filesystem("webhdfs", host=host, port=int(port), user=_USER)

    def uri(self, path: str = "") -> str:
        """The URI of a file or folder."""
        return f"webhdfs://{_USER}@{self.address}{self.folder}/{path}"

    def put(self, path: str, data: bytes) -> None:
        """Write a file."""
        self.files.pipe_file(f"{self.folder}/{path}", data)

    def lines(self, path: str = "") -> list[str]:
        """The lines of the files in a folder, but for hidden ones."""
        found = self.files.find(f"{self.folder}/{path}".rstrip("/"))
        visible = [each for each in found if not any(part.startswith(".") for part in each.split("/"))]
        return [line for each in visible for line in self.files.cat_file(each).decode().splitlines()]
