"""The REST catalog of Apache Iceberg: its own server, in Java, over a catalog in SQLite."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from tests.support.servers.installs import install_once
from tests.support.servers.jars import java
from tests.support.servers.processes import ServerProcess, free_ports, listens
from tests.support.servers.unavailable import UnavailableError

_CENTRAL = "https://repo1.maven.org/maven2"
_ICEBERG, _JETTY = "1.10.1", "11.0.24"
#: Folder of Maven Central -> jars in it. What Hadoop, Jackson and logs need is among PySpark's.
_JARS = {
    **{
        f"org/apache/iceberg/{name}/{_ICEBERG}": [f"{name}-{_ICEBERG}.jar"]
        for name in ("iceberg-api", "iceberg-common")
    },
    f"org/apache/iceberg/iceberg-bundled-guava/{_ICEBERG}": [f"iceberg-bundled-guava-{_ICEBERG}.jar"],
    f"org/apache/iceberg/iceberg-core/{_ICEBERG}": [
        f"iceberg-core-{_ICEBERG}.jar",
        f"iceberg-core-{_ICEBERG}-tests.jar",
    ],
    f"org/apache/iceberg/iceberg-open-api/{_ICEBERG}": [f"iceberg-open-api-{_ICEBERG}-test-fixtures.jar"],
    **{
        f"org/eclipse/jetty/jetty-{name}/{_JETTY}": [f"jetty-{name}-{_JETTY}.jar"]
        for name in ("http", "io", "security", "server", "servlet", "util")
    },
    "org/eclipse/jetty/toolchain/jetty-jakarta-servlet-api/5.0.2": ["jetty-jakarta-servlet-api-5.0.2.jar"],
    "com/github/ben-manes/caffeine/caffeine/2.9.3": ["caffeine-2.9.3.jar"],
    "org/apache/httpcomponents/client5/httpclient5/5.4.3": ["httpclient5-5.4.3.jar"],
    "org/apache/httpcomponents/core5/httpcore5/5.3.4": ["httpcore5-5.3.4.jar"],
    "org/apache/httpcomponents/core5/httpcore5-h2/5.3.4": ["httpcore5-h2-5.3.4.jar"],
    "org/xerial/sqlite-jdbc/3.46.0.0": ["sqlite-jdbc-3.46.0.0.jar"],
}
_OF_SPARK = ("jackson-*", "avro-1*", "hadoop-client-*", "slf4j-api*", "log4j-*", "commons-*", "RoaringBitmap*")


@contextmanager
def rest_catalog() -> Iterator[str]:
    """A server without tables: its URL.

    Raises:
        UnavailableError: There is no Java, or Maven Central did not give the server.
    """
    folder = install_once(f"iceberg-rest-{_ICEBERG}", _fetch)
    pyspark = find_spec("pyspark")
    assert pyspark is not None and pyspark.origin is not None
    jars = [*folder.glob("*.jar")]
    for pattern in _OF_SPARK:
        jars += Path(pyspark.origin).parent.glob(f"jars/{pattern}.jar")
    (port,) = free_ports(1)
    server = ServerProcess("iceberg-rest")
    settings = {
        "CATALOG_REST_PORT": str(port),
        "CATALOG_URI": f"jdbc:sqlite:{server.folder}/catalog.db",
        "CATALOG_WAREHOUSE": f"{server.folder}/warehouse",
    }
    command = ["env", *(f"{name}={value}" for name, value in settings.items()), java(), "-XX:+UseSerialGC"]
    command += ["-cp", ":".join(map(str, jars)), "org.apache.iceberg.rest.RESTCatalogServer"]
    try:
        server.start(command, lambda: listens("127.0.0.1", port))
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop()


def _fetch(folder: Path) -> None:
    for place, names in _JARS.items():
        for name in names:
            try:
                with urllib.request.urlopen(f"{_CENTRAL}/{place}/{name}", timeout=60) as answer:
                    (folder / name).write_bytes(answer.read())
            except (urllib.error.URLError, TimeoutError) as error:
                raise UnavailableError(f"Maven Central did not give {name}: {error}") from None
