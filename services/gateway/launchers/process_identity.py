"""Which process a number means: numbers are given again, and a clock may jump."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

_BOOT = Path("/proc/sys/kernel/random/boot_id")
#: Fields of a process's line after its name: its state, and when it was started, in ticks since the boot.
_STATE, _STARTED = 0, 19
#: Where there is no /proc, two times of a start that differ by less are the same one, in s.
_SAME_S = 1.0


def identity(pid: int) -> dict[str, Any]:
    """What distinguishes a process from all others, also later ones with its number.

    Raises:
        psutil.NoSuchProcess: It has gone.
    """
    fields = _fields(pid)
    if fields is not None:
        return {"pid": pid, "boot": _BOOT.read_text().strip(), "started": int(fields[_STARTED])}
    return {"pid": pid, "created": psutil.Process(pid).create_time()}


def lives(known: dict[str, Any]) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        now = identity(known["pid"])
        if "created" in now:
            same = abs(now["created"] - known["created"]) < _SAME_S
            return same and bool(psutil.Process(known["pid"]).status() != psutil.STATUS_ZOMBIE)
        fields = _fields(known["pid"])
        return now == {name: known[name] for name in now} and fields is not None and fields[_STATE] not in "ZX"
    except (psutil.NoSuchProcess, KeyError):
        return False


def of_session(session: int) -> list[psutil.Process]:
    """The processes of a session, whose leader may have gone."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == session:
                found.append(process)
        except OSError:
            continue
    return found


def memory_of(pid: int) -> int | None:
    """The memory of a process and of those that it has started, in bytes; None: it has gone."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        first = psutil.Process(pid)
        for process in (first, *first.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                memory = process.memory_info()
                total += memory.rss - memory.shared  # forks share most of theirs
    return total or None


def _fields(pid: int) -> list[str] | None:
    """What the system reports of a process after its name; None where there is no /proc."""
    if not _BOOT.exists():
        return None
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        raise psutil.NoSuchProcess(pid) from None
