"""Trying again while brokers are away."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .errors import KafkaFailure, explain, is_passing, kafka_error
from .log import LOGGER

T = TypeVar("T")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.5

#: Seconds after which the client stops waiting for an answer, and is asked again: so that a wrong password or a
#: fenced producer is noticed while brokers are away.
CALL_SECONDS = 5.0


def retry(
    call: Callable[[], T],
    doing: str,
    properties: Mapping[str, Any],
    seconds: float,
    refused: Callable[[], KafkaFailure | None] = lambda: None,
) -> T:
    """The result of a call of the Kafka client, tried again while it fails for reasons that pass.

    Args:
        call: Should itself wait for `CALL_SECONDS` at most.
        doing: For errors and the log, such as ``commit a transaction``.
        properties: Of the client; for errors.
        seconds: How long to try.
        refused: Called with an error of the connection that will not pass.

    Raises:
        KafkaFailure: it failed for good, or for too long.
    """
    deadline = time.monotonic() + seconds
    pause, warned = _FIRST_PAUSE, False
    while True:
        try:
            return call()
        except Exception as exception:
            error = kafka_error(exception)
            if error is None:
                raise
            stop = None if error.fatal() else refused()
            if stop is not None:
                raise stop from None
            # A transaction that must be aborted is lost with its records: the task has to write them again.
            if error.txn_requires_abort() or not is_passing(error) or time.monotonic() + pause > deadline:
                raise KafkaFailure(explain(error, doing, properties)) from None
            if pause >= _LONGEST_PAUSE and not warned:
                LOGGER.warning("%s; trying again for %.0f s", explain(error, doing, properties), seconds)
                warned = True
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
