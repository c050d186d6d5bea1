"""Cores and memory that this process may use: those of the machine, or of its container where that has limits."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

_MOUNT = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")


def cores(mount: Path = _MOUNT, own: Path = _OWN) -> int:
    """How many cores, at least one; a limit of 1.5 counts as 2, as in Java."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for folder in _folders(mount, own, "cpu"):
        quota, period = _read(folder / "cpu.max").split() or ("max", "0")  # version 2
        if quota == "max":  # version 1, or no limit
            quota, period = _read(folder / "cpu.cfs_quota_us") or "-1", _read(folder / "cpu.cfs_period_us") or "0"
        if int(quota) > 0 and int(period) > 0:
            allowed = min(allowed, math.ceil(int(quota) / int(period)))
    return max(1, allowed)


def memory(mount: Path = _MOUNT, own: Path = _OWN) -> int:
    """How many bytes."""
    allowed: int = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for folder in _folders(mount, own, "memory"):
        limit = _read(folder / "memory.max") or _read(folder / "memory.limit_in_bytes")
        if limit.isdigit():
            allowed = min(allowed, int(limit))
    return allowed


def _folders(mount: Path, own: Path, controller: str) -> Iterator[Path]:
    """The process's group and those around it: each of them may set a limit. None where there are no groups."""
    for line in _read(own).splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0":
            root = mount
        elif controller in controllers.split(","):
            root = mount / controller
        else:
            continue
        folder = root / path.lstrip("/")
        # In a container the path may be the host's, of which only the root is there.
        yield from (place for place in (folder, *folder.parents) if place == root or root in place.parents)


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
