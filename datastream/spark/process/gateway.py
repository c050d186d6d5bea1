"""Starts the Java process that Spark's driver runs in, and stops it.

For a local master Java is started directly: `spark-submit` takes a shell script and a Java of its own (1 s) to
find out a command line that is known beforehand. Other masters go through PySpark's own way.
"""

from __future__ import annotations

import ctypes
import logging
import os
import secrets
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import IO

from datastream.errors import JavaError
from datastream.logs import job_log

from . import archive, java_log
from .java import Java, find_java
from .run_folder import RunFolder
from .worker_words import WorkerWords
from .zygote_process import Outputs, Zygote, python_path

_LOGGER = logging.getLogger("datastream")

_OPENS = [
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.io",
    "java.net",
    "java.nio",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "jdk.internal.ref",
    "sun.nio.ch",
    "sun.nio.cs",
    "sun.security.action",
    "sun.util.calendar",
]

_START_LIMIT_S = 120
_ON_DEATH_OF_PARENT = 1  # PR_SET_PDEATHSIG
_CRASHES = {-signal.SIGABRT, -signal.SIGBUS, -signal.SIGSEGV}


class Gateway:
    """A Java process with Spark in it.

    Args:
        heap: Java's memory.
        java_options: The user's options of Java.
        log_file: Where Spark's log goes; None: into the run's folder.
        local: Whether workers run beside it.
        whole_class_path: Whether all of Spark's jars are wanted.
        log_format: Of Spark's log.
        own_jars: The user's jars, after those of Spark.

    Attributes:
        own_jars: As above.
        folder: The run's folder: sockets, Spark's local files, logs; deleted with the gateway.
        log: Spark's own log.
    """

    def __init__(
        self,
        heap: str,
        java_options: str,
        log_file: str | None,
        local: bool,
        whole_class_path: bool = False,
        log_format: str | None = None,
        own_jars: Sequence[str] = (),
    ) -> None:
        self.own_jars = tuple(own_jars)
        self._owner = os.getpid()
        self._folder = RunFolder()
        self.folder = self._folder.path
        self.log = log_file or os.path.join(self.folder, "spark.log")
        self._log_format = log_format
        self.outputs = Outputs()
        self.zygote = Zygote(self.folder, "zygote", self.outputs) if local and os.name == "posix" else None
        #: What Spark starts as Python, in Java and for the workers.
        self.python = self.zygote.launcher if self.zygote else sys.executable
        self._info = os.path.join(self.folder, "gateway")
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = threading.Event()
        try:
            self._java = find_java()
            self._start_java = partial(
                self._start, self._java, heap, java_options, [*archive.jars(whole_class_path), *self.own_jars]
            )
            self._start_java()
        except BaseException:
            self.stop()
            raise

    def _start(self, java: Java, heap: str, java_options: str, jars: list[str]) -> None:
        secret = Path(self.folder, "log4j2.properties")
        secret.write_text(java_log.configuration(self.log, self._log_format, local=True))
        command = [
            java.executable,
            *archive.options(java, java_options),
            *java_options.split(),
            *(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENS),
            "--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
            "-Djdk.reflect.useDirectMethodHandle=false",
            "-Dio.netty.tryReflectionSetAccessible=true",
            "-Dio.netty.allocator.type=pooled",
            # Starts `chmod` and Python fastest; later Javas warn of it.
            *(["-Djdk.lang.Process.launchMechanism=VFORK"] if java.version <= 21 else []),
            "-XX:+IgnoreUnrecognizedVMOptions",
            "-Dfile.encoding=UTF-8",
            "-Dsun.jnu.encoding=UTF-8",
            # Of Java 23 and 22; older ones ignore it, as they do all that they do not know.
            "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED",
            f"-Dlog4j2.configurationFile={secret}",
            f"-Djava.io.tmpdir={self.folder}",
            f"-Xmx{heap}",
            "-cp",
            os.pathsep.join(jars),
            "org.apache.spark.api.python.PythonGatewayServer",
        ]
        environment = {
            **os.environ,
            "SPARK_HOME": str(Path(jars[0]).parent.parent),
            "SPARK_SCALA_VERSION": "2.13",
            "SPARK_CONNECT_MODE": "0",
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": self.folder,
            "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON") or self.python,
            "_PYSPARK_DRIVER_CONN_INFO_PATH": self._info,
            "PYTHONPATH": python_path(self.folder),
        }
        self._process = self._begin(command, environment)
        self._tail: list[str] = []
        for stream in (self._process.stdout, self._process.stderr):
            threading.Thread(target=self._relay, args=(stream,), daemon=True).start()

    def _begin(self, command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        """Start Java in a thread that lasts as long as it does: to Linux, its parent is the thread that started it."""
        begun: Future[subprocess.Popen[bytes]] = Future()
        becomes_java = _ends_with_parent()

        def begin_and_stay() -> None:
            try:
                begun.set_result(
                    subprocess.Popen(
                        command,
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE,
                        env=environment,
                        preexec_fn=becomes_java,
                    )
                )
            except BaseException as error:  # handed on through the future
                begun.set_exception(error)
                return
            self._stopped.wait()

        threading.Thread(target=begin_and_stay, daemon=True, name="datastream-java").start()
        return begun.result()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def is_whole(self) -> bool:
        """Whether the folder has what new workers are started with: some programs tidy temporary folders."""
        return self._folder.is_whole and (self.zygote is None or os.path.exists(self.zygote.launcher))

    def exit_code(self, within_s: float) -> int | None:
        """Java's exit code, or None if it does not end within some seconds."""
        if self._process is None:
            return None
        try:
            return self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            return None

    def discard_archive(self) -> bool:
        """If Java crashed, delete its class-data archive, which may be the cause; whether there was one."""
        return self.exit_code(within_s=0) in _CRASHES and archive.discard(self._java)

    def connect(self) -> None:
        """Wait for Java, and tell PySpark how to reach it."""
        assert self._process is not None
        deadline = time.monotonic() + _START_LIMIT_S
        while not os.path.exists(self._info):
            if self.discard_archive():
                _LOGGER.warning("Java crashed as it started; it starts again without its class-data archive")
                self._start_java()
            if self._process.poll() is not None or time.monotonic() > deadline:
                said = "".join(self._tail[-20:]).strip() or "nothing"
                raise JavaError(f"Java ended before Spark was up; it said: {said}")
            time.sleep(0.005)
        data = Path(self._info).read_bytes()
        port, size = struct.unpack("!ii", data[:8])
        os.environ["PYSPARK_GATEWAY_PORT"] = str(port)
        os.environ["PYSPARK_GATEWAY_SECRET"] = data[8 : 8 + size].decode()

    def stop(self, graceful: bool = False) -> None:
        """End Java and everything that it started. Safe to call twice."""
        for name in ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"):
            os.environ.pop(name, None)
        java, self._process = self._process, None
        zygote, self.zygote = self.zygote, None
        if self._owner == os.getpid():
            if java is not None:
                assert java.stdin is not None
                java.stdin.close()
                if graceful:
                    java.wait()
                java.kill()
            if zygote is not None:
                zygote.stop()
            self.outputs.close()
            if java is not None:
                java.wait()
            self._stopped.set()
        self._folder.remove()

    def _relay(self, stream: IO[bytes]) -> None:
        """Pass on Spark's log, and what workers write to their standard error; keep the end for error messages."""
        words = WorkerWords(job_log.show_other)
        with stream:
            for raw in stream:
                line = raw.decode("utf-8", "replace")
                self._tail = [*self._tail[-50:], line]
                if raw.startswith(java_log.JSON_START):
                    job_log.pass_on(line)
                else:
                    words.take(line)


def _ends_with_parent() -> Callable[[], None]:
    """What Java's process does first, so that it ends when its driver is killed, at any moment.

    Java reads its standard input to hear of it, but not before it has told its port, and not at all if it could not: it
    tells it in the run's folder, which is swept once the driver has died.
    """
    driver = os.getpid()
    call = ctypes.CDLL(None).prctl if sys.platform == "linux" else None

    def begin() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if call is not None:
            call(_ON_DEATH_OF_PARENT, signal.SIGTERM)
            if os.getppid() != driver:
                os._exit(1)

    return begin


def new_authkey() -> bytes:
    return secrets.token_bytes(32)
