"""Elasticsearch for the tests.

def test_copy(elasticsearch):               # shared by the whole run
    index = elasticsearch.index()           # new, with a name of its own
    ...
    assert elasticsearch.documents(index) == {"1": {"name": "ada"}}

def test_it_dies(own_elasticsearch):        # this test's own
    own_elasticsearch.kill()
    own_elasticsearch.start()               # same port, same data

The process is of the zip that Elastic publishes for integration tests: the real server without scripts, reindexing,
update and delete by query, and without ``GET /``, so that a client's `info` and `ping` do not work.
"""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import uuid
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elastic_transport import ApiError, TransportError
from elasticsearch import Elasticsearch as Client
from elasticsearch.helpers import scan

from tests.support.servers.choice import Kind
from tests.support.servers.containers import ServerContainer, find_image
from tests.support.servers.jars import Artifact, installed, java
from tests.support.servers.processes import ServerProcess, free_ports, listens
from tests.support.servers.unavailable import UnavailableError

# 9 is not published as one archive.
VERSION = "8.19.21"
IMAGE = f"elasticsearch:{VERSION}"
USER, PASSWORD = "tester", "of-the-tests"
#: A user with the same password, who may only write to indices whose names begin with the user's.
LIMITED = "limited"

#: Of `PASSWORD`, by bcrypt.
_HASH = "$2a$04$abcdefghijklmnopqrstuu8m01/OKKeqe.KVCwALriSagTRDKwHHe"
_USERS = {
    "users": f"{USER}:{_HASH}\n{LIMITED}:{_HASH}\n",
    "users_roles": f"superuser:{USER}\n{LIMITED}:{LIMITED}\n",
    "roles.yml": f"{LIMITED}: {{indices: [{{names: ['{LIMITED}-*'], privileges: [write]}}]}}\n",
}
_SETTINGS = {
    "discovery.type": "single-node",
    "xpack.security.enabled": "true",
    "xpack.security.http.ssl.enabled": "false",
    "xpack.security.transport.ssl.enabled": "false",
    "xpack.security.enrollment.enabled": "false",
    "xpack.security.authc.api_key.enabled": "true",
    "cluster.routing.allocation.disk.threshold_enabled": "false",
}
_HEAP = "-Xms256m -Xmx512m"
_ARTIFACT = Artifact("org.elasticsearch.distribution.integ-test-zip", "elasticsearch", VERSION, transitive=False)
#: It refuses to run as root.
_NOBODY = 65534
_START_S = 180.0
#: Documents of an answer.
_PAGE = 5000


class ElasticsearchServer:
    """An Elasticsearch that runs.

    Attributes:
        address: ``host:port``.
        user: None: it wants no password.
        password: Of the user.
    """

    def __init__(self, address: str, user: str | None = USER, password: str | None = PASSWORD) -> None:
        self.address, self.user, self.password = address, user, password
        self._client: Client | None = None

    def client(self) -> ElasticsearchServer:
        """The same server for another process."""
        return ElasticsearchServer(self.address, self.user, self.password)

    @property
    def api(self) -> Client:
        """Elastic's client, which may do everything."""
        if self._client is None:
            auth = (self.user, self.password or "") if self.user else None
            self._client = Client(f"http://{self.address}", basic_auth=auth, request_timeout=60)
        return self._client

    def index(self, prefix: str = "test", **properties: Any) -> str:
        """Make an index; its name.

        Args:
            prefix: What the name begins with.
            properties: Types of fields, such as ``age="integer"``.
        """
        name = f"{prefix}-{uuid.uuid4().hex[:12]}"
        self.create(name, **properties)
        return name

    def create(self, name: str, shards: int = 1, **properties: Any) -> None:
        """Make an index of a given name; otherwise like `index`."""
        self.api.indices.create(
            index=name,
            settings={"number_of_shards": shards, "number_of_replicas": 0, "refresh_interval": "-1"},
            mappings={"properties": {field: {"type": kind} for field, kind in properties.items()}},
        )

    def documents(self, index: str) -> dict[str, Any]:
        """All documents of an index by their ids, up to 10,000."""
        self.api.indices.refresh(index=index)
        found = self.api.search(index=index, size=10_000)
        return {hit["_id"]: hit["_source"] for hit in found["hits"]["hits"]}

    def contents(self, index: str) -> Iterator[dict[str, Any]]:
        """All documents of an index, without their ids."""
        self.api.indices.refresh(index=index)
        for hit in scan(self.api, index=index, size=_PAGE):
            yield hit["_source"]

    def count(self, index: str) -> int:
        """How many documents an index has."""
        self.api.indices.refresh(index=index)
        return int(self.api.count(index=index)["count"])

    def clear(self, index: str) -> None:
        """Delete all documents of an index, up to 10,000: much quicker than to make another one."""
        found = self.documents(index)
        if found:
            self.api.bulk(index=index, operations=[{"delete": {"_id": key}} for key in found])

    def needs_password(self) -> None:
        """See that the server lets nobody in without a password.

        Raises:
            UnavailableError: It does.
        """
        try:
            with Client(f"http://{self.address}") as stranger:
                stranger.cluster.health()
        except ApiError as error:
            if error.meta.status == 401:
                return
            raise
        raise UnavailableError(f"the server at {self.address} wants no password; unset DATASTREAM_TEST_ELASTICSEARCH")

    def is_ready(self) -> bool:
        """Whether it answers, and takes documents."""
        try:
            return bool(self.api.cluster.health(wait_for_status="yellow", timeout="2s")["status"] != "red")
        except (ApiError, TransportError):
            return False

    def stop(self) -> None:
        """End the server, if this run started it."""


class Elasticsearch(Kind[ElasticsearchServer]):
    """The kind of server that Elasticsearch is. An address may hold a user: ``user:password@host:port``."""

    name = "elasticsearch"
    image = IMAGE

    def at(self, address: str) -> ElasticsearchServer:
        login, _, place = address.rpartition("@")
        user, _, password = login.partition(":")
        server = ElasticsearchServer(place, user, password) if login else ElasticsearchServer(place)
        return self.answering(server, server.is_ready, place, "Elasticsearch")

    def in_container(self) -> ElasticsearchServer:
        find_image(self.image)
        return ContainerElasticsearch(self.image)

    def as_process(self) -> ElasticsearchServer:
        return OwnElasticsearch()


class ContainerElasticsearch(ElasticsearchServer):
    """A server in a container."""

    def __init__(self, image: str) -> None:
        files = " && ".join(f"printf '%s' {shlex.quote(text)} > config/{name}" for name, text in _USERS.items())
        settings = " ".join(f"-E {name}={value}" for name, value in _SETTINGS.items())
        run = f"{files} && ES_JAVA_OPTS='{_HEAP}' exec bin/elasticsearch -E network.host=0.0.0.0 {settings}"
        command = ["sh", "-c", f"cd /usr/share/elasticsearch && {run}"]
        self._container = ServerContainer("elasticsearch", image, command, [9200])
        super().__init__(f"{self._container.host}:{self._container.ports[9200]}")
        self._container.wait_until(self.is_ready, _START_S)

    def stop(self) -> None:
        self._container.stop()


class OwnElasticsearch(ElasticsearchServer):
    """A server as a process of this machine, which a test may kill, start again and pause.

    Raises:
        UnavailableError: It cannot be had, or does not start.
    """

    def __init__(self) -> None:
        program = installed(f"elasticsearch-{VERSION}", (_ARTIFACT,), unpack_archive) / f"elasticsearch-{VERSION}"
        http, transport = free_ports(2)
        super().__init__(f"127.0.0.1:{http}")
        self._port = http
        self._process = ServerProcess("elasticsearch")
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
        """Start it again after `kill` or `shut_down`: same port, same data. Returns when it is ready."""
        self._process.start(self._command, lambda: listens("127.0.0.1", self._port) and self.is_ready(), _START_S)

    def kill(self) -> None:
        """End it at once, as ``kill -9`` does; its data stays."""
        self._process.kill()

    def pause(self) -> None:
        """Stop it in its tracks: connections stay open, nothing is answered."""
        self._process.pause()

    def resume(self) -> None:
        """Let it go on after `pause`."""
        self._process.resume()

    def stop(self) -> None:
        self._process.stop()


def unpack_archive(folder: Path) -> None:
    """Unpack the server, and make its configuration one's own."""
    (archive,) = (folder / "lib").glob("*.zip")
    with zipfile.ZipFile(archive) as unpacked:
        for entry in unpacked.infolist():
            path = unpacked.extract(entry, folder)
            mode = stat.S_IMODE(entry.external_attr >> 16)
            if mode:
                os.chmod(path, mode)
    archive.unlink()


def linked(program: Path, folder: Path) -> Path:
    """The program's files in another folder: the user that it runs as may not be let into the cache folder."""
    made: Path = shutil.copytree(program, folder, copy_function=_link)
    return made


def open_to_nobody(folder: Path, config: Path) -> None:
    """Make a server's folders, and give them to the user that it runs as."""
    for name in ("data", "logs", "tmp"):
        (folder / name).mkdir()
    if os.geteuid() == 0:
        for path in (folder, config, *config.rglob("*"), *(folder / name for name in ("data", "logs", "tmp"))):
            os.chown(path, _NOBODY, _NOBODY)


def as_nobody(command: list[str]) -> list[str]:
    """A command as a user that is not root."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", *command]


def _link(source: str, target: str) -> None:
    """The file under another name too, or a copy of it on another file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _configure(config: Path, folder: Path, http: int, transport: int) -> None:
    own = {"path.data": folder / "data", "path.logs": folder / "logs", "network.host": "127.0.0.1"}
    settings: dict[str, Any] = {**_SETTINGS, **own, "http.port": http, "transport.port": transport}
    (config / "elasticsearch.yml").write_text("".join(f"{name}: {value}\n" for name, value in settings.items()))
    (config / "jvm.options").write_text(
        f"-Djava.io.tmpdir={folder / 'tmp'}\n-XX:+UseSerialGC\n-XX:+ExitOnOutOfMemoryError\n"
    )
    for name, text in _USERS.items():
        (config / name).write_text(text)
    open_to_nobody(folder, config)


def _command(home: Path, folder: Path) -> list[str]:
    java_home = Path(os.path.realpath(shutil.which(java()) or java())).parent.parent
    environment = {
        "ES_JAVA_HOME": java_home,
        "ES_PATH_CONF": folder / "config",
        "ES_JAVA_OPTS": _HEAP,
        # It gives its modules this folder to read, so the server itself may not lie in it.
        "ES_TMPDIR": folder / "tmp",
        "CLI_JAVA_OPTS": "-Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    }
    command = ["env", *(f"{name}={value}" for name, value in environment.items()), str(home / "bin/elasticsearch")]
    return as_nobody(command)
