"""A driver of `processes`: makes Java and a Spark session ready, waits for a job, and becomes its runner.

Standard input brings the job as one line of JSON, ``{"config": the runner's settings file, "log": file}``; at its end
the gateway has gone and this driver is not needed. With a job it lives on without the gateway.
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from datastream.config.settings import settings

#: A log that is larger is cut: the file before it is kept as ``.1``.
LOG_BYTES = 32 << 20
_LOOK_S = 5.0


def main(warm: bool) -> None:
    """Wait for a job, then run it. Never returns.

    Args:
        warm: Start Spark before there is a job.
    """
    settings().log_format = "json"
    if warm:
        _warm_up()
        from datastream.services.runner import process  # noqa: F401 - the command imports it while Java starts
    from datastream.services.runner.command import command

    with suppress(OSError):  # the gateway may have gone, and a job be here all the same
        os.write(1, b"ready\n")
    line = sys.stdin.buffer.readline()
    if not line.endswith(b"\n"):
        sys.exit(0)
    order = json.loads(line)
    _write_to(Path(order["log"]))
    command.main(args=["--config", order["config"]], prog_name="datastream-runner")


def _ordered() -> bool:
    """Whether a job, or the end, has come."""
    return bool(select.select([sys.stdin.buffer], [], [], 0)[0])


def _warm_up() -> None:
    """Do what every job would have to do, until a job comes."""
    from datastream.compat import install
    from datastream.driver.run import prewarm
    from datastream.errors import DataStreamError

    given = settings()
    install()
    prewarm(given)
    if _ordered():
        return
    try:
        _run_small_job()
    except DataStreamError as error:  # the job itself will say so
        print(f"warm-up: {error}", file=sys.stderr)
    given.jobs_started = 0


def _run_small_job() -> None:
    from datastream import StreamExecutionEnvironment
    from datastream.connectors.discard_sink import DiscardingSink

    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    pairs = env.from_sequence(1, 100).map(lambda number: (number % 7, 1))
    counts = pairs.key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1]))
    counts.sink_to(DiscardingSink())
    env.execute("warm-up")


def _write_to(log: Path) -> None:
    """Let all that this process and its children write go to a file that does not grow without end."""
    _open(log)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    threading.Thread(target=_keep_short, args=(log,), daemon=True, name="datastream-log").start()


def _open(log: Path) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)


def _keep_short(log: Path) -> None:
    while True:
        time.sleep(_LOOK_S)
        try:
            if log.stat().st_size > LOG_BYTES:
                os.replace(log, log.with_name(log.name + ".1"))
                _open(log)
        except OSError:  # its folder has gone, or the disk is full; the job goes on
            continue


if __name__ == "__main__":
    main(sys.argv[1:] == ["warm"])
