"""A process that has imported everything, and forks Spark's Python processes on request.

A query starts eight Python processes one after the other, each of which spends half a second on imports.
Spark starts them through `launcher` (its PYSPARK_PYTHON), which asks the zygote for a fork that takes over the
launcher's arguments, environment and standard streams. Started by the driver; ends when the driver does.

A job that brings packages or an interpreter of its own may have a zygote of its own, in a container perhaps.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import select
import signal
import socket
import struct
import sys
import threading
import traceback
import warnings
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from datastream.environments.enter import ENTERED, enter, own_variables
from datastream.logs.worker import log_to

_MODULES = (
    "pyspark.daemon",
    "pyspark.worker",
    "pyspark.sql.worker.lookup_data_sources",
    "pyspark.sql.worker.create_data_source",
    "pyspark.sql.worker.plan_data_source_read",
    "pyspark.sql.worker.write_into_data_source",
    "pyspark.sql.worker.python_streaming_sink_runner",
    "pyspark.sql.streaming.python_streaming_source_runner",
    "pyspark.sql.streaming.transform_with_state_driver_worker",
    "pyspark.sql.streaming.stateful_processor",
    "pyspark.sql.streaming.proto.StateMessage_pb2",
    "pyarrow",
    "pyarrow.pandas_compat",
    "pandas",  # the first records make pyarrow import it
    "cloudpickle",
    "datastream.spark.stages.source",
    "datastream.spark.stages.level",
    "datastream.spark.stages.sink",
    "datastream.spark.stages.state",
    "datastream.connectors",
    "multiprocessing.connection",
)

#: How ``ps -o comm`` and ``top`` show those that last, by their last argument: all have the zygote's command line.
_NAMES = {
    "pyspark.sql.streaming.python_streaming_source_runner": "ds-planner",
    "pyspark.sql.worker.python_streaming_sink_runner": "ds-committer",
    "pyspark.worker": "ds-worker",
}
#: What a request of the driver asks for, in place of arguments: to take over the outputs that come with it.
OUTPUTS = "outputs"
#: After the socket's path: the file of the modules that were imported, which nothing may replace any more.
MODULES = ".modules"
#: How long a driver may take to end after it has removed its folder.
_ENDING_S = 10.0
#: Variables of Spark's processes that are meant for a container too; others are of the machine.
_FOR_CONTAINERS = ("PYTHON", "PYSPARK", "SPARK_", "ARROW_", "OMP_", "LC_", "LANG", "TZ", "DATASTREAM_CACHED")


def main(path: str, printed: int, logged: int) -> None:
    """Listen on a Unix socket until standard input closes.

    Args:
        path: The socket's.
        printed: Descriptor that takes what user functions print; -1: it comes with the first request.
        logged: Descriptor that takes what they log.
    """
    contained = printed < 0
    if not contained:
        log_to(logged)
    listener = socket.socket(socket.AF_UNIX)
    new = f"{path}.new"
    listener.bind(new)
    listener.listen(64)
    os.chmod(new, 0o600)
    os.rename(new, path)
    _import_modules()
    for name in _MODULES:  # they are run again as __main__; runpy warns of modules it finds loaded
        if name.startswith("pyspark.sql.") and name.endswith(("_runner", "_worker", "_source", "_sources", "_read")):
            sys.modules.pop(name, None)
    _tell_modules(path + MODULES)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        connection = _accept(listener)
        if connection is None:
            os._exit(0)
        request, descriptors = _receive(connection)
        if request["arguments"] == [OUTPUTS]:
            printed, logged = descriptors
            log_to(logged)
            connection.close()
            continue
        if _fork() == 0:
            listener.close()
            _become(connection, request, descriptors, printed, contained)
        connection.close()
        for fd in descriptors:
            os.close(fd)


def _import_modules() -> None:
    try:
        for name in _MODULES:
            __import__(name)
    except (ImportError, OSError):
        # A driver that ends meanwhile removes the folder that has them; standard input closes then.
        if select.select([0], [], [], _ENDING_S)[0]:
            os._exit(0)
        raise


def _tell_modules(file: str) -> None:
    """Let the driver know what was imported."""
    Path(f"{file}.new").write_text(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
    os.rename(f"{file}.new", file)


def _fork() -> int:
    """Fork, without the warning of Python 3.12 and later: no thread of the imported libraries holds a lock here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _accept(listener: socket.socket) -> socket.socket | None:
    ready, _, _ = select.select([listener.fileno(), 0], [], [])
    if 0 in ready:
        return None
    return listener.accept()[0]


def _receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    data, descriptors, _, _ = socket.recv_fds(connection, 4, 3)
    size = struct.unpack("!i", data)[0]
    content = bytearray()
    while len(content) < size:
        content += connection.recv(size - len(content))
    return json.loads(content.decode("utf-8", "surrogateescape")), descriptors


def _become(
    connection: socket.socket, request: dict[str, Any], descriptors: list[int], printed: int, contained: bool
) -> None:
    """Turn this fork into the process that was asked for. Never returns."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, fd in enumerate(descriptors):
            os.dup2(fd, number)
            os.close(fd)
        _take_over(request, contained)
        connection.sendall(struct.pack("!i", os.getpid()))
        module, arguments = request["arguments"][1], request["arguments"][2:]
        sys.argv = [module, *arguments]
        _name(_NAMES.get(request["arguments"][-1]))
        # Not Spark's own: its modules are imported already, and the index of its jar would be read at each import.
        path = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p and p not in sys.path]
        sys.path[:0] = [p for p in path if "py4j-" not in p and not p.endswith(("pyspark.zip", ".jar"))]
        if request["enter"]:
            enter(json.loads(Path(request["enter"]).read_text()))
        if module == "pyspark.daemon":
            from pyspark.daemon import manager

            # The daemon's own standard output tells Java its port; the workers are its forks.
            os.register_at_fork(after_in_child=partial(_print_to, printed))
            manager()
        else:
            runpy.run_module(module, run_name="__main__", alter_sys=False)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            pass  # whoever read our output has gone
        if threading.active_count() > 1 or code:
            os._exit(code & 255)
        os._exit(0)


def _take_over(request: dict[str, Any], contained: bool) -> None:
    """Take over variables and folder of the process that Spark has started."""
    variables: dict[str, str] = request["environment"]
    file = os.environ.get(ENTERED)
    entered = json.loads(Path(file).read_text()) if file else None
    if contained:
        os.environ.update({name: text for name, text in variables.items() if name.startswith(_FOR_CONTAINERS)})
    else:
        os.environ.clear()
        os.environ.update(variables)
        if entered:
            os.environ.update(own_variables(entered))
    with suppress(FileNotFoundError):  # in a container there may be no such folder
        os.chdir(request["folder"])


def _name(name: str | None) -> None:
    """Give this process a name of its own, where the system has names."""
    with suppress(OSError):
        if name is not None:
            Path("/proc/self/comm").write_text(name)


def _print_to(descriptor: int) -> None:
    os.dup2(descriptor, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
