"""The table that q13 looks rows up in: in SQLite here, in Derby for Flink, which needs jars of Maven Central for it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

#: As many keys as Nexmark's side input has.
KEYS = 10_000
_MAVEN = "https://repo1.maven.org/maven2"
_DERBY = (
    "org/apache/derby/derby/10.14.2.0/derby-10.14.2.0.jar",
    "org/apache/derby/derbytools/10.14.2.0/derbytools-10.14.2.0.jar",
)
_FLINK = "org/apache/flink/flink-connector-jdbc-core/4.0.0-2.0/flink-connector-jdbc-core-4.0.0-2.0.jar"


def rows() -> Iterator[tuple[int, str]]:
    """The table's rows."""
    return ((key, f"value of {key}") for key in range(KEYS))


def in_sqlite(folder: Path) -> str:
    """Write the table; the URL of its database."""
    path = folder / "side_input.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE side_input (k BIGINT PRIMARY KEY, v VARCHAR(40))")
        database.executemany("INSERT INTO side_input VALUES (?, ?)", rows())
    return f"jdbc:sqlite:{path}"


def in_derby(folder: Path, java: str) -> tuple[str, list[Path]]:
    """Write the table; the URL of its database, and the jars that Flink needs for it.

    Args:
        folder: Where the database is written.
        java: The program.
    """
    jars = [_jar(each) for each in (*_DERBY, _FLINK)]
    url = f"jdbc:derby:{folder / 'side_input'}"
    texts = [f"({key}, '{text}')" for key, text in rows()]
    # Derby's parser is recursive: a statement of all rows is too deep for it.
    parts = (", ".join(texts[first : first + 100]) for first in range(0, KEYS, 100))
    inserts = "".join(f"INSERT INTO side_input VALUES {part};\n" for part in parts)
    script = folder / "side_input.sql"
    script.write_text(
        f"CONNECT '{url};create=true';\nCREATE TABLE side_input (k BIGINT PRIMARY KEY, v VARCHAR(40));\n{inserts}"
        "DISCONNECT;\nEXIT;\n"
    )
    path = os.pathsep.join(map(str, jars[:2]))
    log = f"-Dderby.stream.error.file={folder / 'derby.log'}"
    command = [java, log, "-cp", path, "org.apache.derby.tools.ij", str(script)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    if "ERROR" in done.stdout:
        raise RuntimeError(f"Derby: {done.stdout[done.stdout.index('ERROR') :][:300]}")
    return url, [jars[0], jars[2]]


def _jar(path: str) -> Path:
    """A jar, downloaded once into the user's cache folder."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "datastream" / "flink-jars"
    cache.mkdir(parents=True, exist_ok=True)
    jar = cache / path.rpartition("/")[2]
    if not jar.exists():
        whole = jar.with_suffix(f".{os.getpid()}")
        with urllib.request.urlopen(f"{_MAVEN}/{path}", timeout=120) as answer:
            whole.write_bytes(answer.read())
        whole.replace(jar)
    return jar
