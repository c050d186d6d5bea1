"""Cassandra's jars, its settings, and the command that runs a node."""

from __future__ import annotations

from pathlib import Path

from tests.support.servers.jars import Artifact, installed, java

VERSION = "5.0.9"
#: Of the node's Java.
HEAP = "512m"

_ARTIFACTS = (Artifact("org.apache.cassandra", "cassandra-all", VERSION),)

_EXPORTS = (
    "java.base/jdk.internal.misc",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.management.rmi/com.sun.jmx.remote.internal.rmi",
    "java.rmi/sun.rmi.registry",
    "java.rmi/sun.rmi.server",
    "java.sql/java.sql",
    "jdk.attach/sun.tools.attach",
)
_OPENS = (
    "java.base/java.io",
    "java.base/java.lang",
    "java.base/java.lang.module",
    "java.base/java.lang.reflect",
    "java.base/java.math",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.loader",
    "java.base/jdk.internal.math",
    "java.base/jdk.internal.module",
    "java.base/jdk.internal.ref",
    "java.base/jdk.internal.reflect",
    "java.base/jdk.internal.util.jar",
    "java.base/sun.nio.ch",
    "java.rmi/java.rmi",
    "jdk.management/com.sun.management.internal",
)

_SETTINGS = """\
cluster_name: tests
num_tokens: {tokens}
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
commitlog_sync: periodic
commitlog_sync_period: 1000ms
data_file_directories: [{folder}/data]
commitlog_directory: {folder}/commitlog
saved_caches_directory: {folder}/saved_caches
hints_directory: {folder}/hints
cdc_raw_directory: {folder}/cdc
listen_address: 127.0.0.1
rpc_address: 127.0.0.1
storage_port: {storage_port}
native_transport_port: {port}
endpoint_snitch: SimpleSnitch
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters: [{{seeds: "127.0.0.1:{storage_port}"}}]
commitlog_segment_size: 8MiB
commitlog_total_space: 64MiB
memtable_heap_space: 64MiB
memtable_offheap_space: 64MiB
concurrent_reads: 8
concurrent_writes: 8
auto_snapshot: false
authenticator: {authenticator}
"""

_LOGBACK = """\
<configuration><appender name="S" class="ch.qos.logback.core.ConsoleAppender">
<encoder><pattern>%d %-5level %logger{20} %msg%n</pattern></encoder></appender>
<root level="WARN"><appender-ref ref="S"/></root></configuration>
"""


def install() -> Path:
    """The folder of the jars.

    Raises:
        UnavailableError: There is no Java, or Maven Central did not give them.
    """
    return installed(f"cassandra-{VERSION}", _ARTIFACTS)


def node_command(folder: Path, port: int, storage_port: int, jmx_port: int, passwords: bool, quick: bool) -> list[str]:
    """The command that runs a node, whose settings are written to its folder.

    Args:
        folder: Of the node's settings and data.
        port: That clients connect to.
        storage_port: That other nodes would connect to.
        jmx_port: For Cassandra's own tools, on the loopback interface.
        passwords: Whether clients need a user and a password; the first user is cassandra, with the same password.
        quick: Start sooner; but Java compiles less, so that the node is slower under load.
    """
    lib = install() / "lib"
    (folder / "cassandra.yaml").write_text(
        _SETTINGS.format(
            folder=folder,
            port=port,
            storage_port=storage_port,
            tokens=4,
            authenticator="PasswordAuthenticator" if passwords else "AllowAllAuthenticator",
        )
    )
    (folder / "logback.xml").write_text(_LOGBACK)
    return [
        java(),
        *(f"-Xms{HEAP}", f"-Xmx{HEAP}", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError"),
        *(["-XX:TieredStopAtLevel=1"] if quick else []),
        "-Djdk.attach.allowAttachSelf=true",
        *(part for name in _EXPORTS for part in ("--add-exports", f"{name}=ALL-UNNAMED")),
        *(part for name in _OPENS for part in ("--add-opens", f"{name}=ALL-UNNAMED")),
        f"-javaagent:{next(lib.glob('jamm-*.jar'))}",
        f"-Dcassandra.config=file:{folder}/cassandra.yaml",
        f"-Dlogback.configurationFile={folder}/logback.xml",
        f"-Dcassandra.storagedir={folder}",
        # There are no other nodes to wait for.
        "-Dcassandra.skip_wait_for_gossip_to_settle=0",
        "-Dcassandra.ring_delay_ms=0",
        "-Dcassandra.superuser_setup_delay_ms=0",
        f"-Dcassandra.jmx.local.port={jmx_port}",
        "-Djava.net.preferIPv4Stack=true",
        *("-cp", f"{lib}/*", "org.apache.cassandra.service.CassandraDaemon"),
    ]
