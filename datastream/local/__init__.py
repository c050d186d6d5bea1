"""Runs a job in this process: the same levels, tasks, sources and sinks, but no Spark.

For tests, and for a debugger that steps into a user function. Nothing is kept: state lives in dicts, and a
checkpoint directory is refused.
"""

from .executor import LocalJob, execute

__all__ = ["LocalJob", "execute"]
