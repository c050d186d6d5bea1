"""What happens to a record that Cassandra refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.errors import UnsupportedOperation, cut


class CassandraFailureHandler:
    """Decides what happens when Cassandra refuses a record. Default: the job fails.

    A cluster that is away or has no room is no such case: the record is written again.

    Args:
        j_cassandra_failure_handler: A function that is called with the error, in the worker. If it returns, the record
            is dropped; what it raises fails the job. None: a subclass has its own `on_failure`.

    Raises:
        UnsupportedOperation: An object of Java is given.
    """

    def __init__(self, j_cassandra_failure_handler: Callable[[Exception], Any] | None = None) -> None:
        if j_cassandra_failure_handler is not None and not callable(j_cassandra_failure_handler):
            raise UnsupportedOperation(
                f"CassandraFailureHandler({cut(j_cassandra_failure_handler)}): objects of Java cannot be used; give a "
                "function that takes the error"
            )
        self._function = j_cassandra_failure_handler

    def on_failure(self, error: Exception) -> None:
        """Take the error of a record, which it names: return to drop the record, or raise."""
        if self._function is None:
            raise error
        self._function(error)

    @staticmethod
    def no_op() -> CassandraFailureHandler:
        """The default: every failure fails the job."""
        return CassandraFailureHandler()
