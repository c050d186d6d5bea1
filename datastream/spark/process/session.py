"""The Spark session: one a process, made when the first job starts or before."""

from __future__ import annotations

import atexit
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from datastream.config.settings import Settings, settings
from datastream.errors import JavaError, UnsupportedOperation, ValidationError
from datastream.spark.java_objects import java_classes, java_context, java_gateway, java_session

from . import archive, authentication, kubernetes, warming
from .run_folder import RunFolder
from .session_start import (
    DEFAULTS,
    absolute,
    forget_session,
    heap,
    is_local,
    launch_in,
    load_pyspark_sql,
    log_to,
    our_path,
    own_interrupts,
    own_jars,
    preload,
    quieten_accumulators,
    reason_of,
)
from .shipping import forget, ship_packages

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from .gateway import Gateway

_LOGGER = logging.getLogger("datastream")


class Session:
    """The Spark session of a process, made on first use, with the Java and the folder that belong to it."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._lock = threading.RLock()
        #: Held while a query is put together: the context knows one Python at a time.
        self._building = threading.Lock()
        self._gateway: Gateway | None = None
        self._session: SparkSession | None = None
        #: Java that PySpark has started for us, for a master elsewhere.
        self._launched: subprocess.Popen[bytes] | None = None
        self._folder: RunFolder | None = None
        self._archived = False
        #: What Spark starts as Python for jobs without an environment of their own.
        self._python = sys.executable

    def prewarm(self, given: Settings) -> None:
        """Start Java now, unless the master is remote or a session is there already."""
        master = given.master or given.properties.get("spark.master") or "local[*]"
        if is_local(master) and self._session is None and self._gateway is None and _foreign() is None:
            self._start_gateway(given.properties, given.log_file)

    def for_job(self, master: str, properties: dict[str, str], log_file: str | None = None) -> SparkSession:
        """A session for one job in the process's Spark: settings, data sources and query names are its own."""
        with self._lock:
            shared = self.shared(master, properties, log_file)
            own = shared.newSession()
            load_pyspark_sql(own)
        _activate(own)
        return own

    def shared(self, master: str, properties: dict[str, str], log_file: str | None = None) -> SparkSession:
        """The process's session, made on first use; an active session of the user's own is taken as it is."""
        if os.getpid() != self._owner:
            raise UnsupportedOperation(
                "a forked process cannot start jobs on Spark, since Java answers to its parent: start the job in the "
                "parent, perhaps in a thread, or start a process of its own (multiprocessing.get_context('spawn'))"
            )
        if self._session is not None and (self._exit_code(within_s=0) is not None or not self.is_whole()):
            self.close()  # Java was killed, or no worker could be started any more
        if self._session is not None and java_context(self._session) is not None:
            running = self._session.sparkContext.master
            if running != master and not (is_local(running) and is_local(master)):
                raise ValidationError(
                    f"this process already has a Spark session on {running}; one on {master} needs a process of its own"
                )
        else:
            self._session = _foreign() or self._make(master, properties, log_file)
            self._python = str(getattr(self._session.sparkContext, "pythonExec", sys.executable))
        return self._session

    def current(self) -> SparkSession | None:
        """The process's session, if there is one whose Java lives as far as we know."""
        return self._session if self._session is not None and java_context(self._session) is not None else None

    def close(self) -> None:
        """End the session and every process of it; no Java or Python process stays."""
        if os.getpid() != self._owner:
            return  # a fork of the driver ends; the job is not its own
        ended = self._exit_code(within_s=0) is not None
        gateway, self._gateway = self._gateway, None
        spark, self._session = self._session, None
        self._launched = None
        forget()
        if gateway is not None:
            graceful = bool(os.environ.get(archive.DUMP))
            if spark is not None:
                forget_session(spark)
            gateway.stop(graceful)
        elif spark is not None and ended:
            forget_session(spark)
        elif spark is not None:
            spark.stop()
        if self._folder is not None:
            self._folder.remove()
            self._folder = None
        if self._archived:
            self._archived = False
            warming.make_later()

    def show_printed(self) -> None:
        """Wait until what user functions have printed and logged by now is shown."""
        if self._gateway is not None and self._gateway.zygote is not None:
            self._gateway.outputs.drain()

    def java_pid(self) -> int | None:
        if self._launched is not None:
            return self._launched.pid
        return self._gateway.pid if self._gateway else None

    def java_exit_code(self) -> int | None:
        """How the Java process that we started ended; None while it lives. Waits a second for one about to end."""
        return self._exit_code(within_s=1)

    def _exit_code(self, within_s: float) -> int | None:
        if self._launched is not None:
            try:
                return self._launched.wait(within_s)
            except subprocess.TimeoutExpired:
                return None
        return self._gateway.exit_code(within_s) if self._gateway else None

    def discard_archive(self) -> bool:
        """After a crash of Java: delete its class-data archive, which may be damaged; whether there was one."""
        return self._gateway is not None and self._gateway.discard_archive()

    def run_folder(self) -> str:
        """A folder for this run's sockets, archives and temporary checkpoints; deleted by `close`."""
        if self._gateway is not None:
            return self._gateway.folder
        if self._folder is None:
            self._folder = RunFolder()
            atexit.register(self.close)  # a session of the user's own may do without us in `_make`
        return self._folder.path

    def is_whole(self) -> bool:
        """Whether the run's folder has what new workers are started with."""
        return self._gateway is None or self._gateway.is_whole

    def gateway(self) -> Gateway | None:
        """Java with a zygote beside it, as we started it; None: the master is elsewhere, or the session the user's."""
        return self._gateway

    def python(self) -> str:
        """What Spark starts as Python for jobs without an environment of their own."""
        return self._python

    @contextmanager
    def python_of(self, spark: SparkSession, executable: str | None) -> Iterator[None]:
        """Within the block, what becomes part of a query runs in a Python of its own.

        Args:
            spark: The session.
            executable: What Spark starts as Python; None: what it starts for all jobs.
        """
        context: Any = spark.sparkContext
        with self._building:
            _activate(spark)  # again: after a long wait another thread of Java's serves this one
            before = context.pythonExec
            context.pythonExec = executable or before
            try:
                yield
            finally:
                context.pythonExec = before

    @staticmethod
    def job_folder() -> RunFolder:
        """A folder of one job's own, which outlives a Java process that was killed; deleted when this process ends."""
        return RunFolder()

    def _start_gateway(self, properties: dict[str, str], log_file: str | None) -> Gateway:
        from .gateway import Gateway

        atexit.register(self.close)
        self._gateway = Gateway(
            heap=properties.get("spark.driver.memory", heap()),
            java_options=properties.get("spark.driver.extraJavaOptions", ""),
            log_file=log_file,
            local=True,
            log_format=settings().log_format,
            whole_class_path=properties.get("spark.sql.catalogImplementation") == "hive",
            own_jars=own_jars(properties),
        )
        return self._gateway

    def _make(self, master: str, properties: dict[str, str], log_file: str | None) -> SparkSession:
        conf = dict(DEFAULTS)
        conf["spark.app.name"] = "datastream"
        conf.update(authentication.defaults(master))
        if master.startswith(kubernetes.MASTER) and kubernetes.in_pod():
            conf.update(kubernetes.settings_in_pod(Path(self.run_folder())))
        conf.update(absolute({k: v for k, v in properties.items() if k.startswith("spark.")}))
        ours = ["PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"]
        if "PYSPARK_PYTHON" not in os.environ:
            ours.append("PYSPARK_PYTHON")
        if is_local(master):
            if self._gateway is not None and self._gateway.own_jars != own_jars(properties):
                self._gateway.stop()  # started before the script has named its jars
                self._gateway = None
            gateway = self._gateway or self._start_gateway(properties, log_file)
            self._archived = warming.wanted(properties)
            conf.setdefault("spark.local.dir", gateway.folder)
            os.environ.setdefault("PYSPARK_PYTHON", gateway.python)
        else:
            os.environ.setdefault("PYSPARK_PYTHON", conf.get("spark.pyspark.python", "python3"))
            from .java import find_java, java_home

            os.environ["JAVA_HOME"] = java_home(find_java(), Path(self.run_folder()))
            atexit.register(self.close)
            logging = f"-Dlog4j2.configurationFile={log_to(self.run_folder(), log_file)}"
            conf["spark.driver.extraJavaOptions"] = f"{conf.get('spark.driver.extraJavaOptions', '')} {logging}".strip()
        from pyspark.conf import SparkConf
        from pyspark.sql import SparkSession

        try:
            if self._gateway is not None:
                preload()
                self._gateway.connect()
            builder = SparkSession.builder.config(
                conf=SparkConf(loadDefaults=not is_local(master)).setMaster(master).setAll(list(conf.items()))
            )
            with own_interrupts(), nullcontext() if is_local(master) else our_path(self.run_folder()):
                if not is_local(master):
                    launch_in(self.run_folder(), master, conf)
                spark = builder.getOrCreate()
        except JavaError:
            self.close()  # or else whoever tries again gets the same Java
            raise
        except Exception as error:
            reason = reason_of(error)
            if master.startswith(kubernetes.MASTER):
                log = Path(log_file or os.path.join(self.run_folder(), "spark.log"))
                reason = kubernetes.refusal(str(error), log) or reason
            self.close()
            raise JavaError(f"the Spark session did not start on master {master}: {reason}") from error
        finally:
            for name in ours:
                os.environ.pop(name, None)  # the user's child processes need nothing of our Java and its workers
        quieten_accumulators(spark)
        if not is_local(master):
            if warning := authentication.warning(master, dict(spark.sparkContext.getConf().getAll())):
                _LOGGER.warning("%s", warning)
            self._launched = getattr(java_gateway(), "proc", None)
            ship_packages(spark, self.run_folder())
        return spark


def _activate(spark: SparkSession) -> None:
    """Make a session the one of this thread, in Java."""
    java_classes(spark).org.apache.spark.sql.classic.SparkSession.setActiveSession(java_session(spark))


def _foreign() -> SparkSession | None:
    """A session that the user made."""
    if "pyspark" not in sys.modules:
        return None
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


#: The session of this process.
session = Session()
