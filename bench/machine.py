"""What a reader of the figures must know of the machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from typing import Any

import psutil

from datastream.errors import JavaError
from datastream.spark.process import archive
from datastream.spark.process.java import find_java


def facts() -> dict[str, Any]:
    """Cores, memory, versions, and how busy it is."""
    found: dict[str, Any] = {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory": f"{psutil.virtual_memory().total / (1 << 30):.0f} GiB",
        "Python": platform.python_version(),
        "PySpark": version("pyspark"),
    }
    try:
        java = find_java()
        found["Java"] = java.full_version
        found["class-data archive"] = "yes" if archive.path(java).exists() else "no (datastream warm)"
    except JavaError:
        found["Java"] = "none"
    found["load before"] = f"{os.getloadavg()[0]:.1f}"
    return found
