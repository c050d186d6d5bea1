"""The Spark session: one a process, made when the first job starts or before."""

from __future__ import annotations

import atexit
import importlib
import logging
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from datastream.config import machine
from datastream.config.settings import Settings, settings
from datastream.environments.secret_values import is_secret
from datastream.errors import JavaError, UnsupportedOperation, ValidationError
from datastream.spark.java_objects import (
    forget_java,
    java_classes,
    java_context,
    java_gateway,
    java_session,
    start_gateway,
)

from . import archive, authentication, kubernetes, warming
from .run_folder import RunFolder
from .shipping import forget, ship_packages

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from .gateway import Gateway

_LOGGER = logging.getLogger("datastream")
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

_owner = os.getpid()
_lock = threading.RLock()
#: Held while a query is put together: the context knows one Python at a time.
_building = threading.Lock()
_gateway: Gateway | None = None
_session: SparkSession | None = None
#: Java that PySpark has started for us, for a master elsewhere.
_launched: subprocess.Popen[bytes] | None = None
_folder: RunFolder | None = None
_archived = False
#: What Spark starts as Python for jobs without an environment of their own.
_python = sys.executable


def is_local(master: str | None) -> bool:
    return master is not None and re.match(r"local(\[|$)", master) is not None


def prewarm(given: Settings) -> None:
    """Start Java now, unless the master is remote or a session is there already."""
    master = given.master or given.properties.get("spark.master") or "local[*]"
    if is_local(master) and _session is None and _gateway is None and _foreign() is None:
        _start_gateway(given.properties, given.log_file)


def for_job(master: str, properties: dict[str, str], log_file: str | None = None) -> SparkSession:
    """A session for one job in the process's Spark: settings, data sources and query names are its own."""
    with _lock:
        shared = session(master, properties, log_file)
        own = shared.newSession()
        _load_pyspark_sql(own)
    _activate(own)
    return own


def _activate(spark: SparkSession) -> None:
    """Make a session the one of this thread, in Java."""
    java_classes(spark).org.apache.spark.sql.classic.SparkSession.setActiveSession(java_session(spark))


def session(master: str, properties: dict[str, str], log_file: str | None = None) -> SparkSession:
    """The process's session, made on first use; an active session of the user's own is taken as it is."""
    global _session, _python
    if os.getpid() != _owner:
        raise UnsupportedOperation(
            "a forked process cannot start jobs on Spark, since Java answers to its parent: start the job in the "
            "parent, perhaps in a thread, or start a process of its own (multiprocessing.get_context('spawn'))"
        )
    if _session is not None and (_exit_code(within_s=0) is not None or not is_whole()):
        stop()  # Java was killed, or no worker could be started any more
    if _session is not None and java_context(_session) is not None:
        running = _session.sparkContext.master
        if running != master and not (is_local(running) and is_local(master)):
            raise ValidationError(
                f"this process already has a Spark session on {running}; one on {master} needs a process of its own"
            )
    else:
        _session = _foreign() or _make(master, properties, log_file)
        _python = str(getattr(_session.sparkContext, "pythonExec", sys.executable))
    return _session


def current() -> SparkSession | None:
    """The process's session, if there is one whose Java lives as far as we know."""
    return _session if _session is not None and java_context(_session) is not None else None


def stop() -> None:
    """End the session and every process of it; no Java or Python process stays."""
    global _session, _gateway, _launched, _folder, _archived
    if os.getpid() != _owner:
        return  # a fork of the driver ends; the job is not its own
    ended = _exit_code(within_s=0) is not None
    gateway, _gateway = _gateway, None
    spark, _session = _session, None
    _launched = None
    forget()
    if gateway is not None:
        graceful = bool(os.environ.get(archive.DUMP))
        if spark is not None:
            _forget(spark)
        gateway.stop(graceful)
    elif spark is not None and ended:
        _forget(spark)
    elif spark is not None:
        spark.stop()
    if _folder is not None:
        _folder.remove()
        _folder = None
    if _archived:
        _archived = False
        warming.make_later()


def show_printed() -> None:
    """Wait until what user functions have printed and logged by now is shown."""
    if _gateway is not None and _gateway.zygote is not None:
        _gateway.outputs.drain()


def java_pid() -> int | None:
    if _launched is not None:
        return _launched.pid
    return _gateway.pid if _gateway else None


def java_exit_code() -> int | None:
    """How the Java process that we started ended; None while it lives. Waits a second for one about to end."""
    return _exit_code(within_s=1)


def _exit_code(within_s: float) -> int | None:
    if _launched is not None:
        try:
            return _launched.wait(within_s)
        except subprocess.TimeoutExpired:
            return None
    return _gateway.exit_code(within_s) if _gateway else None


def discard_archive() -> bool:
    """After a crash of Java: delete its class-data archive, which may be damaged; whether there was one."""
    return _gateway is not None and _gateway.discard_archive()


def run_folder() -> str:
    """A folder for this run's sockets, archives and temporary checkpoints; deleted by `stop`."""
    global _folder
    if _gateway is not None:
        return _gateway.folder
    if _folder is None:
        _folder = RunFolder()
        atexit.register(stop)  # a session of the user's own may do without us in `_make`
    return _folder.path


def is_whole() -> bool:
    """Whether the run's folder has what new workers are started with."""
    return _gateway is None or _gateway.is_whole


def gateway() -> Gateway | None:
    """Java with a zygote beside it, as we started it; None: the master is elsewhere, or the session the user's."""
    return _gateway


def python() -> str:
    """What Spark starts as Python for jobs without an environment of their own."""
    return _python


@contextmanager
def python_of(spark: SparkSession, executable: str | None) -> Iterator[None]:
    """Within the block, what becomes part of a query runs in a Python of its own.

    Args:
        spark: The session.
        executable: What Spark starts as Python; None: what it starts for all jobs.
    """
    context: Any = spark.sparkContext
    with _building:
        _activate(spark)  # again: after a long wait another thread of Java's serves this one
        before = context.pythonExec
        context.pythonExec = executable or before
        try:
            yield
        finally:
            context.pythonExec = before


def job_folder() -> RunFolder:
    """A folder of one job's own, which outlives a Java process that was killed; deleted when this process ends."""
    return RunFolder()


def _foreign() -> SparkSession | None:
    """A session that the user made."""
    if "pyspark" not in sys.modules:
        return None
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


def _start_gateway(properties: dict[str, str], log_file: str | None) -> Gateway:
    global _gateway
    from .gateway import Gateway

    atexit.register(stop)
    _gateway = Gateway(
        heap=properties.get("spark.driver.memory", _heap()),
        java_options=properties.get("spark.driver.extraJavaOptions", ""),
        log_file=log_file,
        local=True,
        log_format=settings().log_format,
        whole_class_path=properties.get("spark.sql.catalogImplementation") == "hive",
    )
    return _gateway


def _heap() -> str:
    """A quarter of the memory, from 1 to 4 GiB."""
    return f"{max(1024, min(4096, machine.memory() // 4 >> 20))}m"


def _make(master: str, properties: dict[str, str], log_file: str | None) -> SparkSession:
    global _archived, _launched
    conf = dict(DEFAULTS)
    conf["spark.app.name"] = "datastream"
    conf.update(authentication.defaults(master))
    if master.startswith(kubernetes.MASTER) and kubernetes.in_pod():
        conf.update(kubernetes.settings_in_pod(Path(run_folder())))
    conf.update(_absolute({k: v for k, v in properties.items() if k.startswith("spark.")}))
    ours = ["PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"]
    if "PYSPARK_PYTHON" not in os.environ:
        ours.append("PYSPARK_PYTHON")
    if is_local(master):
        gateway = _gateway or _start_gateway(properties, log_file)
        _archived = warming.wanted(properties)
        conf.setdefault("spark.local.dir", gateway.folder)
        os.environ.setdefault("PYSPARK_PYTHON", gateway.python)
    else:
        os.environ.setdefault("PYSPARK_PYTHON", conf.get("spark.pyspark.python", "python3"))
        from .java import find_java, java_home

        os.environ["JAVA_HOME"] = java_home(find_java(), Path(run_folder()))
        atexit.register(stop)
        logging = f"-Dlog4j2.configurationFile={_log_to(log_file)}"
        conf["spark.driver.extraJavaOptions"] = f"{conf.get('spark.driver.extraJavaOptions', '')} {logging}".strip()
    from pyspark.conf import SparkConf
    from pyspark.sql import SparkSession

    try:
        if _gateway is not None:
            _preload()
            _gateway.connect()
        builder = SparkSession.builder.config(
            conf=SparkConf(loadDefaults=not is_local(master)).setMaster(master).setAll(list(conf.items()))
        )
        with _own_interrupts(), nullcontext() if is_local(master) else _our_path():
            if not is_local(master):
                _launch_in(run_folder(), master, conf)
            spark = builder.getOrCreate()
    except JavaError:
        stop()  # or else whoever tries again gets the same Java
        raise
    except Exception as error:
        reason = _reason(error)
        if master.startswith(kubernetes.MASTER):
            log = Path(log_file or os.path.join(run_folder(), "spark.log"))
            reason = kubernetes.refusal(str(error), log) or reason
        stop()
        raise JavaError(f"the Spark session did not start on master {master}: {reason}") from error
    finally:
        for name in ours:
            os.environ.pop(name, None)  # child processes of the user's have no business with our Java and its workers
    _quieten_accumulators(spark)
    if not is_local(master):
        if warning := authentication.warning(master, dict(spark.sparkContext.getConf().getAll())):
            _LOGGER.warning("%s", warning)
        _launched = getattr(java_gateway(), "proc", None)
        ship_packages(spark, run_folder())
    return spark


def _launch_in(folder: str, master: str, conf: dict[str, str]) -> None:
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


def _absolute(conf: dict[str, str]) -> dict[str, str]:
    """Settings whose relative paths are those of this process, and not of Java's."""
    found = dict(conf)
    for key, value in conf.items():
        if key in _PATHS or key.endswith(".podTemplateFile"):
            parts = [part.strip() for part in value.split(",")]
            found[key] = ",".join(os.path.abspath(part) if os.path.exists(part) else part for part in parts)
    return found


def _quieten_accumulators(spark: SparkSession) -> None:
    """Keep PySpark's server of accumulators, which we do not use, from printing a stack when Java ends or dies."""
    server = getattr(spark.sparkContext, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda *_: None


def _preload() -> None:
    """Import, while Java boots, what PySpark and we would otherwise import one by one later."""
    ours = ("datastream.spark.stages.level", "datastream.spark.stages.sink")
    for name in ("pyspark.testing.utils", "pyspark.sql.streaming.query", *ours):
        importlib.import_module(name)


def _not_py4j_interrupt(record: logging.LogRecord) -> bool:
    """py4j logs a Ctrl-C with a stack, on the root logger; the interrupt itself is raised all the same."""
    return not str(record.msg).startswith("KeyboardInterrupt while sending command")


@contextmanager
def _own_interrupts() -> Iterator[None]:
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


@contextmanager
def _our_path() -> Iterator[None]:
    """Let Spark's Python processes beside the driver, which are no workers, find us and the job's modules."""
    from datastream import package

    before = os.environ.get("PYTHONPATH")
    own = [p for p in sys.path if p and not Path(p).is_relative_to(sys.prefix)]
    own = [p for p in own if not Path(p).is_relative_to(sys.base_prefix)]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [package.link_into(run_folder()), *own, before]))
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def _log_to(log_file: str | None) -> Path:
    """A configuration of Spark's log for a Java that PySpark starts."""
    from .java_log import configuration as log4j

    configuration = Path(run_folder(), "log4j2.properties")
    file = log_file or "spark.log"
    if file != "-":
        file = os.path.join(os.getcwd() if log_file else run_folder(), file)
    configuration.write_text(log4j(file, settings().log_format, local=False))
    return configuration


def _reason(error: Exception) -> str:
    """The line of an error of Java's that says why, without its stack."""
    lines = str(error).splitlines()
    return next((line[2:] for line in lines if line.startswith(": ")), lines[0] if lines else repr(error))


def _load_pyspark_sql(spark: SparkSession) -> None:
    for key, value in DEFAULTS.items():
        if key.startswith("spark.sql.streaming.") and spark.conf.get(key, None) is None:
            spark.conf.set(key, value)


def _forget(spark: SparkSession) -> None:
    """End PySpark's connection, and drop its own references: Java must not be called any more."""
    gateway = java_gateway()
    forget_java(spark)
    if gateway is not None:
        try:
            gateway.shutdown()
        except Exception:  # py4j raises whatever its sockets do; Java ends all the same
            return
