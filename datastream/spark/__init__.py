"""The only package that imports PySpark: how a job graph becomes one Structured Streaming query.

process     the processes of a run: Java, zygote, session, what is shipped to workers
stages      the stages of a query: source, levels, sink
checkpoint  who owns a checkpoint directory, and whether it fits
start       what is checked before a job starts
query       the life of a query
frames      DataFrames as sources and sinks: what the driver does for them
stop_order  the order that it is to stop
state_view  reading a checkpoint's state
types       Spark's data types for ours
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datastream.config.settings import Settings


def execute(graph: Any, job: Any) -> Any:
    """Start a job; see `datastream.spark.start`."""
    from .start import start

    return start(graph, job)


def prewarm(settings: Settings) -> None:
    """Start the Java process now, so that it boots while the user's script builds its graph."""
    from .process.session import session

    session.prewarm(settings)


def warm() -> str:
    """Make the class-data archive that shortens every later start; say where it is."""
    from .process.warming import make

    return make()
