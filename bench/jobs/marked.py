"""The job of four records, with marks of the time at the steps of its start: one ``name seconds`` a line.

Written to the file that the environment names; the clock is the system's monotonic one.
"""

import functools
import importlib
import os
import runpy
import time
from pathlib import Path

_lines = []


def mark(name):
    """Note that a step has been reached, the first time."""
    if all(not line.startswith(name + "\t") for line in _lines):
        _lines.append(f"{name}\t{time.monotonic()}")


def around(module, path, before, after):
    """Mark the call and the return of a function, if it exists under this name."""
    try:
        owner = importlib.import_module(module)
        *parents, name = path.split(".")
        for parent in parents:
            owner = getattr(owner, parent)
        function = getattr(owner, name)
    except (ImportError, AttributeError):
        return

    @functools.wraps(function)
    def marked(*args, **kwargs):
        mark(before)
        result = function(*args, **kwargs)
        mark(after)
        return result

    setattr(owner, name, marked)


class Marks:
    """Listens to the job."""

    def on_start(self, graph):
        mark("plan made")

    def on_epoch(self, summary):
        mark("first epoch committed")

    def on_restart(self, restart):
        mark("restart")

    def on_end(self, status, error):
        mark("query ended")


mark("script started")
around("datastream.spark.process.session", "Session._make", "session wanted", "session up")
around("datastream.spark.process.gateway", "Gateway.connect", "Java wanted", "Java up")
around("datastream.spark", "execute", "graph built", "query started")
importlib.import_module("datastream.config.settings").settings().listeners.append(Marks())
try:
    runpy.run_path(str(Path(__file__).with_name("four_records.py")), run_name="__main__")
finally:
    mark("script ended")
    Path(os.environ["DATASTREAM_BENCH_MARKS"]).write_text("\n".join(_lines))
