"""What the start of a Spark session takes: settings, and Java for a master elsewhere."""

from __future__ import annotations

import importlib
import logging
import os
import re
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from datastream.config import machine
from datastream.config.settings import settings
from datastream.environments.secret_values import is_secret
from datastream.spark.java_objects import forget_java, java_gateway, start_gateway

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_STATE = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_FILES = "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"

#: Spark settings that every job gets unless the user sets them.
DEFAULTS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.python.worker.reuse": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(64 << 20),
    "spark.sql.streaming.stateStore.providerClass": _STATE,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.stateStore.encodingFormat": "unsaferow",
    "spark.sql.streaming.checkpointFileManagerClass": _FILES,
    "spark.sql.streaming.checkpoint.fileChecksum.enabled": "false",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    # What Spark remembers of finished work, by default for 1,000 executions and 100,000 tasks, is memory of the driver:
    # it grew for days. A progress update holds the offsets of all partitions three times.
    "spark.sql.streaming.numRecentProgressUpdates": "10",
    "spark.sql.ui.retainedExecutions": "20",
    "spark.ui.retainedJobs": "50",
    "spark.ui.retainedStages": "100",
    "spark.ui.retainedTasks": "2000",
    "spark.sql.streaming.metricsEnabled": "false",
    "spark.cleaner.referenceTracking.cleanCheckpoints": "false",
    "spark.shuffle.compress": "false",
    # Each task's sort and queue takes a page to begin with: 64 MB of zeros by default. Larger rows get larger pages.
    "spark.buffer.pageSize": "4m",
    # Above this size a function goes by broadcast, which the process that prepares transformWithState never loads.
    "spark.broadcast.UDFCompressionThreshold": "1g",
}

#: Settings that name files, with commas between several.
_PATHS = ("spark.jars", "spark.files", "spark.archives", "spark.submit.pyFiles", "spark.eventLog.dir")


def is_local(master: str | None) -> bool:
    return master is not None and re.match(r"local(\[|$)", master) is not None


def heap() -> str:
    """A quarter of the memory, from 1 to 4 GiB."""
    return f"{max(1024, min(4096, machine.memory() // 4 >> 20))}m"


@contextmanager
def _submitted_with(secret: Mapping[str, str], folder: str) -> Iterator[None]:
    """Give settings to `spark-submit` in a file: those of its command line are in the list of processes."""
    if not secret:
        yield
        return
    before = os.environ.get("PYSPARK_SUBMIT_ARGS")
    file = Path(folder, "secret.properties")
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as out:
        out.writelines(f"{_property(key)}={_property(value)}\n" for key, value in secret.items())
    own = f"--load-spark-defaults --properties-file {shlex.quote(str(file))}"
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{own} {before or 'pyspark-shell'}"
    try:
        yield
    finally:
        file.unlink(missing_ok=True)
        if before is None:
            del os.environ["PYSPARK_SUBMIT_ARGS"]
        else:
            os.environ["PYSPARK_SUBMIT_ARGS"] = before


def _property(text: str) -> str:
    """A key or value in a file of Java's properties."""
    units = text.encode("utf-16-be", "surrogatepass")
    codes = (int.from_bytes(units[i : i + 2]) for i in range(0, len(units), 2))
    return "".join(chr(code) if chr(code).isascii() and chr(code).isalnum() else f"\\u{code:04x}" for code in codes)


def absolute(conf: dict[str, str]) -> dict[str, str]:
    """Settings whose relative paths are those of this process, and not of Java's."""
    found = dict(conf)
    for key, value in conf.items():
        if key in _PATHS or key.endswith(".podTemplateFile"):
            parts = [part.strip() for part in value.split(",")]
            found[key] = ",".join(os.path.abspath(part) if os.path.exists(part) else part for part in parts)
    return found


def own_jars(properties: Mapping[str, str]) -> tuple[str, ...]:
    """The files of ``spark.jars``. Spark itself gives them to executors; a driver has them on its class path."""
    parts = [part.strip().removeprefix("file://") for part in properties.get("spark.jars", "").split(",")]
    return tuple(os.path.abspath(part) for part in parts if part and os.path.exists(part))


def quieten_accumulators(spark: SparkSession) -> None:
    """Keep PySpark's server of accumulators, which we do not use, from printing a stack when Java ends or dies."""
    server = getattr(spark.sparkContext, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda *_: None


def preload() -> None:
    """Import, while Java boots, what PySpark and we would otherwise import one by one later."""
    ours = ("datastream.spark.stages.level", "datastream.spark.stages.sink")
    for name in ("pyspark.testing.utils", "pyspark.sql.streaming.query", *ours):
        importlib.import_module(name)


def _not_py4j_interrupt(record: logging.LogRecord) -> bool:
    """py4j logs a Ctrl-C with a stack, on the root logger; the interrupt itself is raised all the same."""
    return not str(record.msg).startswith("KeyboardInterrupt while sending command")


@contextmanager
def own_interrupts() -> Iterator[None]:
    """Keep PySpark from replacing our handling of Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.getsignal(signal.SIGINT)
    root = logging.getLogger()
    root.addFilter(_not_py4j_interrupt)
    logging.getLogger("py4j").setLevel(logging.WARNING)
    try:
        yield
    finally:
        root.removeFilter(_not_py4j_interrupt)
        signal.signal(signal.SIGINT, handler)


def reason_of(error: Exception) -> str:
    """The line of an error of Java's that says why, without its stack."""
    lines = str(error).splitlines()
    return next((line[2:] for line in lines if line.startswith(": ")), lines[0] if lines else repr(error))


def load_pyspark_sql(spark: SparkSession) -> None:
    for key, value in DEFAULTS.items():
        if key.startswith("spark.sql.streaming.") and spark.conf.get(key, None) is None:
            spark.conf.set(key, value)


def forget_session(spark: SparkSession) -> None:
    """End PySpark's connection, and drop its own references: Java must not be called any more."""
    gateway = java_gateway()
    forget_java(spark)
    if gateway is not None:
        try:
            gateway.shutdown()
        except Exception:  # py4j raises whatever its sockets do; Java ends all the same
            return


def launch_in(folder: str, master: str, conf: dict[str, str]) -> None:
    """Start the Java of a master elsewhere, with the run's folder as its working directory.

    Executors have the files that Spark hands out in theirs: so a relative path means the same file on both sides.
    """
    from pyspark.conf import SparkConf
    from pyspark.java_gateway import launch_gateway

    if java_gateway() is None:
        secret = {key: value for key, value in conf.items() if is_secret(key)}
        given = SparkConf(loadDefaults=True).setMaster(master)
        given.setAll([(key, value) for key, value in conf.items() if key not in secret])
        launch: Any = launch_gateway
        with _submitted_with(secret, folder):
            start_gateway(launch(given, {"cwd": folder}))


@contextmanager
def our_path(folder: str) -> Iterator[None]:
    """Let Spark's Python processes beside the driver, which are no workers, find us and the job's modules."""
    from datastream import package

    before = os.environ.get("PYTHONPATH")
    own = [p for p in sys.path if p and not Path(p).is_relative_to(sys.prefix)]
    own = [p for p in own if not Path(p).is_relative_to(sys.base_prefix)]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [package.link_into(folder), *own, before]))
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def log_to(folder: str, log_file: str | None) -> Path:
    """A configuration of Spark's log for a Java that PySpark starts, written to the run's folder."""
    from .java_log import configuration as log4j

    configuration = Path(folder, "log4j2.properties")
    file = log_file or "spark.log"
    if file != "-":
        file = os.path.join(os.getcwd() if log_file else folder, file)
    configuration.write_text(log4j(file, settings().log_format, local=False))
    return configuration
