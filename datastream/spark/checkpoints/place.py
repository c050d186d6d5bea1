"""Where a process runs, so that a later one knows whether it can look it up by its number, and whether it lives."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from typing import Any


def place() -> dict[str, Any]:
    """This process: on which start of which machine, with whose numbers of processes.

    The host's name alone says little: containers of one name have numbers of their own, and use them again.
    """
    found: dict[str, Any] = {"host": platform.node(), "pid": os.getpid()}
    with suppress(OSError):
        with open("/proc/sys/kernel/random/boot_id") as boot:
            found["boot"] = boot.read().strip()
        found["pids"] = os.readlink("/proc/self/ns/pid")
        found["born"] = born(os.getpid())
    return found


def is_beside(other: dict[str, Any]) -> bool:
    """Whether the numbers of processes that another one noted mean the same here."""
    own = place()
    return "born" in own and all(other.get(name) == own[name] for name in ("host", "boot", "pids"))


def born(pid: int) -> str:
    """When a process began, by the machine's own count.

    Raises:
        OSError: There is none of this number, or one that has ended and has not been waited for.
    """
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    if fields[0] in "ZX":
        raise ProcessLookupError(f"process {pid} has ended")
    return fields[19]
