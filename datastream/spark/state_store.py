"""The pages of a checkpoint's state, by Spark's state data source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from datastream.errors import CheckpointDamaged

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def stores(folder: Path) -> list[int]:
    """Spark's numbers of the stateful stages of a checkpoint directory."""
    return sorted(int(path.name) for path in (folder / "state").glob("*") if path.name.isdecimal())


def pages(spark: SparkSession, folder: Path, store: int, batch: int | None = None) -> DataFrame:
    """What a stage keeps: ``part``, the subtask, ``page``, the key of an entry, and ``content``.

    Args:
        spark: The session to read with.
        folder: The checkpoint directory, or what stands for one that was moved.
        store: The stage, one of `stores`.
        batch: As of the end of this batch; None: of the last one that was committed.
    """
    reader = spark.read.format("statestore").option("path", str(folder)).option("operatorId", store)
    if batch is not None:
        reader = reader.option("batchId", batch)
    return (
        reader.option("stateVarName", "pages")
        .load()
        .selectExpr("partition_id AS part", "user_map_key.page AS page", "user_map_value.content AS content")
    )


@contextmanager
def readable_state(folder: Path) -> Iterator[None]:
    """Within the block, state is read: what Spark cannot read is an error of the checkpoint.

    Raises:
        CheckpointDamaged: So.
    """
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise CheckpointDamaged(f"the state in {folder} cannot be read: {reason(error)}") from error


def reason(error: Exception) -> str:
    """The first line of what Spark says, without its place in Java."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return re.sub(r"^\[[A-Z_.]+\] ", "", lines[0]) if lines else type(error).__name__
