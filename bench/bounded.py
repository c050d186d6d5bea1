"""A job over so many numbers, from its submission to its end, and the same work as plain loops."""

from __future__ import annotations

import time
from typing import Any

from bench.engine import environment, parts_of, progress_of
from bench.functions import WIDTH, first, keep, last
from bench.plain import drop_all, together
from bench.work import temporary_folder
from datastream.api.job_client import handle_of
from datastream.config.settings import settings
from datastream.connectors.discard_sink import DiscardingSink

#: A job of so few records takes the time of a start and an end.
_FEW = 4


def run(numbers: int, epoch_s: int | None = None) -> dict[str, Any]:
    """Records/s of the second such job of a process, without the time that a job of four records takes after it.

    Args:
        numbers: How many.
        epoch_s: The length of epochs aimed at, which hold as many records as go by in it; None: no setting.
    """
    if epoch_s is not None:
        settings().properties["datastream.epoch.target-ms"] = str(1000 * epoch_s)
        settings().properties["datastream.epoch.max-records"] = str(numbers)
    _seconds(numbers)
    took, durations = _seconds(numbers)
    start, _ = _seconds(_FEW)
    return {
        "value": numbers / (took - start),
        "records": numbers,
        "seconds": took,
        "parts": {"start": 1000 * start, "epochs": len(durations), **parts_of(durations)},
    }


def plain(numbers: int) -> dict[str, Any]:
    """The same functions in two loops at once."""
    return together(_share, numbers)


def _share(number: int, numbers: int) -> tuple[int, float]:
    each = numbers // WIDTH
    began = time.monotonic()
    drop_all(number * each, (number + 1) * each)
    return each, time.monotonic() - began


def _seconds(numbers: int) -> tuple[float, list[dict[str, int]]]:
    env = environment(None)
    env.from_sequence(0, numbers - 1).map(first).filter(keep).map(last).sink_to(DiscardingSink())
    with temporary_folder() as checkpoint:
        settings().checkpoint_dir = checkpoint
        began = time.monotonic()
        client = env.execute_async("bounded")
        client.get_job_execution_result().result()
        return time.monotonic() - began, progress_of(handle_of(client))
