"""How each of them is killed: by SIGKILL, amid its work."""

from __future__ import annotations

import time

import psutil

from tests.chaos.trial import Victim
from tests.support.processes import Run

#: A job that lost a process of its own ends within this time.
END_S = 120.0

_LOOK_S = 0.03
_AGAIN_S = 1.0


def strike_job(run: Run, victim: Victim) -> None:
    """Kill one of the processes of a job.

    Raises:
        AssertionError: the job did not end.
    """
    if victim == "driver":
        run.process.kill()
    elif victim == "java":
        run.java().kill()
    else:
        _kill_worker(run)
    run.wait(END_S)


def _kill_worker(run: Run) -> None:
    """Kill the worker that works hardest. One that was idle after all is not missed: then it is the next one's turn."""
    deadline = time.monotonic() + END_S
    while run.process.poll() is None and time.monotonic() < deadline:
        worker = _busiest(run)
        if worker is None:
            continue
        worker.kill()
        wait_until = time.monotonic() + _AGAIN_S
        while run.process.poll() is None and time.monotonic() < wait_until:
            time.sleep(_LOOK_S)


def _busiest(run: Run) -> psutil.Process | None:
    workers = run.python_workers()
    before = {worker.pid: _cpu_s(worker) for worker in workers}
    time.sleep(_LOOK_S)
    worked = {worker: _cpu_s(worker) - before[worker.pid] for worker in workers}
    best = max(worked, key=lambda worker: worked[worker], default=None)
    return best if best is not None and worked[best] > 0 else None


def _cpu_s(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)
