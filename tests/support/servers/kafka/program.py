"""Kafka's jars, and the command that runs a broker."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.support.servers.jars import Artifact, installed, java
from tests.support.servers.unavailable import UnavailableError

# 4.4.0 cannot be resolved: it needs a library that was not published.
VERSION = "4.3.1"
#: Of the broker's Java.
HEAP = "512m"
#: Names the cluster; each broker is one of its own.
CLUSTER = "5L6g3nShT-eMCtK--X86sw"

_ARTIFACTS = (
    Artifact("org.apache.kafka", "kafka_2.13", VERSION),
    # Without a logger of its own Kafka is silent, also about why it does not start.
    Artifact("org.slf4j", "slf4j-simple", "1.7.36", transitive=False),
)


def install() -> Path:
    """The folder of the jars.

    Raises:
        UnavailableError: There is no Java, or Maven Central did not give them.
    """
    return installed(f"kafka-{VERSION}", _ARTIFACTS, _format)


def make_data_folder(data: Path) -> None:
    """Make the folder of a new broker's data; one that is there is left as it is."""
    if not data.exists():
        shutil.copytree(install() / "formatted", data)


def broker_command(properties: Path, quick: bool) -> list[str]:
    """The command that runs a broker.

    Args:
        properties: Its settings.
        quick: Start in half the time; but Java compiles less, so that the broker is slower under load.
    """
    return [
        *_java(install() / "lib", HEAP),
        *(["-XX:TieredStopAtLevel=1"] if quick else []),
        "kafka.Kafka",
        str(properties),
    ]


def _format(folder: Path) -> None:
    """Format a data folder once for all brokers: it takes Java as long as half a start."""
    properties = folder / "format.properties"
    properties.write_text(
        "process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@127.0.0.1:9093\n"
        "listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093\ncontroller.listener.names=CONTROLLER\n"
        f"log.dirs={folder / 'formatted'}\n"
    )
    command = [
        *_java(folder / "lib", "128m"),
        "kafka.tools.StorageTool",
        "format",
        "-t",
        CLUSTER,
        "-c",
        str(properties),
    ]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120, check=False)
    if done.returncode:
        raise UnavailableError(f"Kafka {VERSION} cannot format a data folder: {(done.stderr or done.stdout)[-1000:]}")


def _java(lib: Path, heap: str) -> list[str]:
    return [
        java(),
        f"-Xmx{heap}",
        "-XX:+UseSerialGC",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
        "-Dorg.slf4j.simpleLogger.showDateTime=true",
        "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
        "-cp",
        f"{lib}/*",
    ]
