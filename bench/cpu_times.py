"""CPU time of a job's processes, by what they do."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")

#: How the names of Java's threads begin, in the 15 characters that Linux keeps, and what they do.
_JAVA_THREADS = {
    "Executor task": "Java: tasks",
    "stream executio": "Java: query thread",
    "C1 Compiler": "Java: compiler",
    "C2 Compiler": "Java: compiler",
}


def cpu_times() -> Counter[str]:
    """Seconds of user and system time that this process and those below it have taken until now.

    By ``driver``, ``workers`` (they run the tasks), ``planner and committer`` (Spark's Python processes beside the
    driver), and parts of Java by its threads; threads that have ended count as ``Java: others``.
    """
    found: Counter[str] = Counter({"driver": sum(os.times()[:2])})
    driver = psutil.Process()
    for process in driver.children(recursive=True):
        with suppress(psutil.Error, OSError):  # it has ended
            spent = process.cpu_times()
            seconds = spent.user + spent.system
            if "java" in process.name():
                threads = _java_threads(process.pid)
                found.update(threads)
                found["Java: others"] += seconds - threads.total()
            else:
                found[_role(process, driver)] += seconds
    return found


def _role(process: psutil.Process, driver: psutil.Process) -> str:
    """The driver starts the zygote, which forks the planner, the committer and Spark's daemon, which forks workers."""
    above = [parent.pid for parent in process.parents()]
    return "workers" if above.index(driver.pid) > 1 else "planner and committer"


def _java_threads(pid: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # it has ended
            name, _, rest = (task / "stat").read_text().partition("(")[2].rpartition(")")
            what = next((what for start, what in _JAVA_THREADS.items() if name.startswith(start)), "Java: others")
            ticks = rest.split()[11:13]
            found[what] += sum(map(int, ticks)) * _TICK_S
    return found
