"""What the processes of a job import to run its tables: what makes jobs stays with the driver."""

from __future__ import annotations

import subprocess
import sys

#: What jobs of SQL refer to when they are sent to workers.
_REFERRED = (
    "datastream.runtime.program",
    "datastream.table.lowering.selectors",
    "datastream.table.codegen.shown_rows",
    "datastream.table.connectors.files_reading",
    "datastream.table.connectors.formats.json_format",
    "datastream.table.connectors.printing",
    "datastream.table.functions.accumulation",
    "datastream.table.functions.temporal",
    "datastream.table.types.row_type",
)
#: Parts of the driver's work, the function library as a whole, and libraries that are slow to import.
_OF_DRIVERS = (
    "datastream.table.lowering.lowering",
    "datastream.table.planner",
    "datastream.table.functions.library",
    "datastream.api",
    "httpx",
    "rich",
    "click",
)


def test_a_worker_does_not_import_what_makes_jobs() -> None:
    code = f"import importlib, sys\nfor name in {_REFERRED}: importlib.import_module(name)\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(_OF_DRIVERS) & set(done.stdout.split())
