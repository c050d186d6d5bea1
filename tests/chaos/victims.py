"""Processes of a job, killed or stopped amid their work."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from contextlib import suppress

import psutil

from tests.chaos.trial import Strike
from tests.support.processes import Run
from tests.support.waiting import wait_until

_LOOK_S = 0.03

#: Processes are watched for so long, and so often: the system counts their time in steps of 10 ms.
_WATCH_S = 1.0
_TICK_S = 0.005

_FIND_S = 30.0

#: A job that misses a process ends within this time, as a rule.
_END_S = 1.0
_TRIES = 5


def kill(run: Run, strike: Strike) -> str | None:
    """Kill a process of a job; which one, or None: the job ended before there was one.

    A worker or committer that was idle after all is not missed: Spark starts another one, whose turn it is then.
    """
    for attempt in range(_TRIES if strike.fault in ("worker", "committer") else 1):
        victim = _found(run, _FINDERS[strike.fault])
        if victim is None and attempt and run.process.returncode:
            break  # a slow machine: the job has taken longer to end
        if victim is None:
            return None
        before = _restarts(run)
        with suppress(psutil.NoSuchProcess):
            victim.kill()
        with suppress(subprocess.TimeoutExpired):
            run.process.wait(_END_S)
            break
        if _restarts(run) > before:
            break
    return f"killed {strike.fault}"


def _restarts(run: Run) -> int:
    """How often the job has restarted in its process."""
    return run.err.count('"event": "restart"')


def pause(run: Run, strike: Strike, seconds: float) -> str | None:
    """Stop one process of a job, or all, for a while; which, or None: the job ended before there was one."""
    whom = strike.chance.choice(("driver", "java", "worker", "all"))
    if whom == "all":
        stopped = run.living()
    else:
        victim = _found(run, _FINDERS[whom])
        stopped = [] if victim is None else [victim]
    try:
        for process in stopped:
            with suppress(psutil.NoSuchProcess):
                process.suspend()
        time.sleep(seconds if stopped else 0)
    finally:
        for process in stopped:
            with suppress(psutil.NoSuchProcess):
                process.resume()
    return f"stopped {whom} for {seconds:g} s" if stopped else None


def _found(run: Run, find: Callable[[Run], psutil.Process | None]) -> psutil.Process | None:
    """A process, as soon as there is one."""

    def look() -> tuple[psutil.Process | None] | None:
        if run.process.poll() is not None:
            return (None,)
        process = find(run)
        return process and (process,)

    return wait_until(look, "such process", _FIND_S, _LOOK_S)[0]  # type: ignore[index]


def _driver(run: Run) -> psutil.Process | None:
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(run.process.pid)
    return None


def _named(name: str) -> Callable[[Run], psutil.Process | None]:
    def find(run: Run) -> psutil.Process | None:
        with suppress(psutil.NoSuchProcess):
            return next(iter(run.named(name)), None)
        return None

    return find


def _at_work(name: str, or_idle: bool = False) -> Callable[[Run], psutil.Process | None]:
    """The first of that name that is seen to work; else, if it may be idle, any."""

    def find(run: Run) -> psutil.Process | None:
        workers = [worker for worker in run.python_workers() if _name(worker) == name]
        before = {worker.pid: _cpu_s(worker) for worker in workers}
        deadline = time.monotonic() + _WATCH_S
        while time.monotonic() < deadline:
            for worker in workers:
                if _cpu_s(worker) > before[worker.pid]:
                    return worker
            time.sleep(_TICK_S)
        return workers[0] if workers and or_idle else None

    return find


def _name(process: psutil.Process) -> str | None:
    with suppress(psutil.NoSuchProcess):
        return str(process.name())
    return None


def _cpu_s(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


_FINDERS: dict[str, Callable[[Run], psutil.Process | None]] = {
    "driver": _driver,
    "java": _named("java"),
    "worker": _at_work("ds-worker"),
    "planner": _named("ds-planner"),
    # It works for less than the system can see, and is missed when it is gone.
    "committer": _at_work("ds-committer", or_idle=True),
}
