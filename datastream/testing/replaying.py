"""Epochs of production in tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from datastream.connectors.collect_sink import CollectSink
from datastream.replay import Replay, replaying


def replay(
    main: Callable[[], Any], checkpoint: str | os.PathLike[str], epoch: int | None = None
) -> dict[str, list[Any]]:
    """Run one epoch of a checkpoint again, in this process: with the state from before it, and what it read.

    Nothing is written: neither to the checkpoint nor by sinks, and no offset is committed to a source. Processing time
    stands where it was when the epoch began.

    Args:
        main: Builds the job and executes it, as its script does.
        checkpoint: The checkpoint directory of the job, which may be running, or a copy.
        epoch: Number of the epoch. Default: the last one that began; where a job has failed, the one in which it did.

    Returns:
        The records that each sink would have got, by its name; those of a table as texts such as ``+I[1, a]``.

    Raises:
        CheckpointError: The checkpoint is damaged.
        CheckpointMismatch: It is of another job.
        DataStreamError: The epoch failed.
        ValidationError: The checkpoint does not hold the epoch, or `main` executes no job.
    """
    kept: dict[str, CollectSink] = {}
    wanted = Replay(os.fspath(checkpoint), epoch, kept)
    with replaying(wanted):
        main()
        wanted.wait()
    return {name: sink.take() for name, sink in kept.items()}
