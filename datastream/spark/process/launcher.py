"""Run as Spark's Python: asks the zygote for a ready process and stands in for it until it ends.

Started with ``-I -S``, so it imports next to nothing (10 ms). Where there is no zygote it becomes an ordinary
Python without ``pyspark.zip``, whose uncompiled modules cost every process half a second; but not where the zygote is
in a container, which nothing on this machine can stand in for.

Its arguments: the interpreter, the zygote's socket, the file of the environment that a fork of the zygote enters, the
file of that which the zygote is in, the number of the zygote's process while it may still be starting, ``container``
where the zygote is in one; each may be empty; and then what Spark gives.
"""

import os
import sys

_EXECUTABLE, _SOCKET, _ENTER, _ENTERED, _PROCESS, _CONTAINER = sys.argv[1:7]
_ARGUMENTS = sys.argv[7:]
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _plain() -> None:
    if _CONTAINER and _ARGUMENTS[:1] == ["-m"]:
        sys.exit("the container of the job's workers has ended")
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(p for p in path if "pyspark.zip" not in p and "py4j-" not in p)
    quick = ["-S", "-E"] if _ARGUMENTS[:1] == ["-c"] else []  # Spark asks for the version so
    environment = _ENTER or _ENTERED
    if environment and not quick:
        os.execv(_EXECUTABLE, [_EXECUTABLE, os.path.join(_PACKAGE, "environments/enter.py"), environment, *_ARGUMENTS])
    os.execv(_EXECUTABLE, [_EXECUTABLE, *quick, *_ARGUMENTS])


def _starting() -> bool:
    """Whether the zygote has no socket yet, but lives."""
    if not _PROCESS or os.path.exists(_SOCKET):
        return False
    try:
        with open(f"/proc/{_PROCESS}/stat") as facts:
            return facts.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _main() -> None:
    if _ARGUMENTS[:1] != ["-m"]:
        _plain()
    import _socket
    import array
    import json
    import signal
    import struct
    import time

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    while True:
        try:
            connection.connect(_SOCKET)
            break
        except OSError:
            if not _starting():
                _plain()
            time.sleep(0.02)
    request = json.dumps(
        {
            "arguments": _ARGUMENTS,
            "environment": dict(os.environ),
            "folder": os.getcwd(),
            "enter": _ENTER,
        }
    ).encode("utf-8", "surrogateescape")
    standard = array.array("i", [0, 1, 2])
    connection.sendmsg([struct.pack("!i", len(request))], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, standard)])
    connection.sendall(request)
    answer = connection.recv(4)
    if len(answer) < 4:
        sys.exit(1)
    pid = struct.unpack("!i", answer)[0]
    signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
    os.close(0)
    os.close(1)
    try:
        while connection.recv(1):
            pass
    except OSError:
        pass


_main()
