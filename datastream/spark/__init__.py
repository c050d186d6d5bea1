"""The only package that imports PySpark: how a job graph becomes one Structured Streaming query.

java        finds a Java
run_folder  the run's temporary folder, and what dead runs left
archive     Java's loaded classes, kept for faster starts
gateway     starts the Java process, and stops it
zygote      a process from which Spark's Python processes fork, everything imported
launcher    what Spark starts as Python: asks the zygote
session     the Spark session and its settings
shipping    the project's and the user's modules for other machines
wire        blocks as Arrow batches
reporting   from the committer's process to the driver
source      JobSource: all sources of the job, and the chains behind them
level       an exchange and the stage behind it
state       pages in Spark's state store
sink        JobSink: all sinks of the job
checkpoint  who owns a checkpoint folder, and whether it fits
query       the life of a query
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datastream.config.settings import Settings


def execute(graph: Any, job: Any) -> Any:
    """Start a job; see `datastream.spark.query.start`."""
    from .query import start

    return start(graph, job)


def prewarm(settings: Settings) -> None:
    """Start the Java process now, so that it boots while the user's script builds its graph."""
    from .session import prewarm as start

    start(settings)


def warm() -> str:
    """Make the class-data archive that shortens every later start; say where it is."""
    from .archive import make

    return make()
