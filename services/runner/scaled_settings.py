"""The settings of a job that is scaled: its parallelism is the one that was decided last, and what follows from it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from datastream.errors import CheckpointError

from .settings import Effective

NOTE = "generations.json"
_SCALING = "scaling"
_INSTANCES, _CORES = "spark.executor.instances", "spark.executor.cores"


def scaled(effective: Effective) -> Effective:
    """The settings with the parallelism that was decided last, if the job is to be scaled.

    Threads of a local master follow it, and so do executors in Kubernetes.

    Raises:
        CheckpointError: The note of it is damaged.
    """
    own = effective.runner
    if own.scaling_min is None or own.scaling_max is None:
        return effective
    parallelism = noted_parallelism(own.checkpoint_dir or "") or own.parallelism or own.scaling_min
    parallelism = max(own.scaling_min, min(own.scaling_max, parallelism))
    origins, properties, master = dict(effective.origins), dict(effective.properties), own.master
    origins["parallelism"] = _SCALING
    if master is not None and re.fullmatch(r"local\[\d+\]", master):
        master, origins["master"] = f"local[{parallelism}]", _SCALING
    if (master or properties.get("spark.master", "")).startswith("k8s://"):
        properties[_INSTANCES] = str(executors(parallelism, properties))
        origins[_INSTANCES] = _SCALING
    return Effective(replace(own, parallelism=parallelism, master=master), properties, origins)


def executors(parallelism: int, properties: Mapping[str, str]) -> int:
    """How many executors have a core for each subtask."""
    cores = properties.get(_CORES, "1")
    return math.ceil(parallelism / (int(cores) if cores.isdecimal() and int(cores) else 1))


def noted_parallelism(directory: str) -> int | None:
    """The parallelism that was decided last for the job of a directory of generations; None: none was."""
    found = read_note(Path(directory.removeprefix("file://"))).get("parallelism")
    return found if isinstance(found, int) else None


def read_note(folder: Path) -> dict[str, Any]:
    """What is noted beside the generations.

    Raises:
        CheckpointError: The note is damaged.
    """
    file = folder / NOTE
    try:
        found = json.loads(file.read_text("utf-8"))
        if not isinstance(found, dict):
            raise ValueError("it holds no object")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{file} is damaged ({type(error).__name__}: {error}); delete it") from error
    return found
