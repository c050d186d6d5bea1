"""Python processes that have imported the project when they begin, which takes a new one most of a second."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        "datastream.cli.run",
        "datastream.driver.run",
        "datastream.driver.script",
        "datastream.driver.progress",
        "datastream.compat.names",
        "datastream.local.executor",
        "datastream.runtime.task",
        "datastream.table.api.stream_table_environment",
        "datastream.table.execution.jobs",
        "datastream.table.connectors",
        "datastream.table.functions.library",
        "doctest",
        __name__,
    ]
)


def run(do: Callable[..., None], *args: str, folder: Path, environment: Mapping[str, str]) -> tuple[int, str, str]:
    """Call a function in a process of its own, whose standard streams are files; exit code, stdout and stderr.

    Raises:
        TimeoutExpired: It had not ended after 200 s.
    """
    out, err = folder / ".out", folder / ".err"
    process = _CONTEXT.Process(target=_begin, args=(do, args, str(folder), dict(environment)))
    process.start()
    process.join(200)
    if process.is_alive():
        process.kill()
        raise subprocess.TimeoutExpired(args, 200, out.read_bytes(), err.read_bytes())
    texts = out.read_text(), err.read_text()
    out.unlink()
    err.unlink()
    return process.exitcode or 0, *texts


def run_job(name: str) -> None:
    """As ``datastream run --executor local NAME``."""
    from datastream.cli.run import command

    sys.argv = ["datastream", "run", "--executor", "local", name]
    command.main(sys.argv[2:], prog_name="datastream run")


def run_session(name: str) -> None:
    """What a file shows of an interactive session is what is shown."""
    import doctest

    from datastream.config.settings import settings

    settings().executor = "local"
    sys.exit(bool(doctest.testfile(name, module_relative=False).failed))


def _begin(do: Callable[..., None], args: tuple[str, ...], folder: str, environment: Mapping[str, str]) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, mode, name in ((0, os.O_RDONLY, os.devnull), (1, os.O_WRONLY, ".out"), (2, os.O_WRONLY, ".err")):
        opened = os.open(name, mode | (os.O_CREAT if number else 0), 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, "w" if n else "r", closefd=False) for n in range(3))
    code = 0
    try:
        do(*args)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    atexit._run_exitfuncs()  # multiprocessing ends a process without them
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
