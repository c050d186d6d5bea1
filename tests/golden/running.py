"""Runs the jobs of golden checkpoints."""

from __future__ import annotations

import importlib
from collections import Counter
from pathlib import Path
from typing import Any

from datastream import Configuration, StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.errors import DataStreamError

from .jobs import halted

#: The jobs, and where each one's first half ends.
JOBS = dict.fromkeys(
    ("keyed", "windows", "streams", "keys", "loops", "tables", "patterns", "functions", "crowd", "rows"), halted.HALF
) | {"lanes": 70}

#: Results that come in pieces, which depend on when: only the sums of their last two fields are sure.
IN_PIECES = ("counted",)


def run(
    job: str,
    checkpoint: Path | None,
    executor: str = "spark",
    first_half: bool = False,
    more: dict[str, str] | None = None,
) -> Counter[str]:
    """Run a job to its end, or to the middle of its input; its results.

    Args:
        job: Its name.
        checkpoint: The checkpoint directory; None: without.
        executor: ``local`` or ``spark``.
        first_half: The job fails in the middle, which is expected.
        more: More of the configuration.
    """
    before, settings().executor = settings().executor, executor
    configuration = Configuration()
    configuration.set_string("datastream.epoch.max-records", "1500")
    if checkpoint is not None:
        configuration.set_string("execution.checkpointing.dir", str(checkpoint))
    for key, value in (more or {}).items():
        configuration.set_string(key, value)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    stream = importlib.import_module(f"{__package__}.jobs.{job}").build(env, JOBS[job] if first_half else None)
    found: list[Any] = []
    try:
        with stream.uid("results").execute_and_collect() as results:
            found.extend(results)
    except DataStreamError as error:
        if not first_half or halted.MESSAGE not in str(error):
            raise
    finally:
        settings().executor = before
    return lines(found)


def lines(results: list[Any]) -> Counter[str]:
    """Results as lines of text."""
    return Counter(map(repr, results))


def settled(results: Counter[str]) -> Counter[str]:
    """Results without what hangs on the clock or on where epochs were cut; of changes what they come to."""
    whole: Counter[str] = Counter()
    for line, times in results.items():
        name = line.partition(",")[0].strip("('")
        if name == "clock":
            continue
        if name == "change":
            change, of, added, columns = line.split(", ", 3)
            whole[f"{change}, {of}, {columns}"] += times if added == "True" else -times
            continue
        if name in IN_PIECES:
            start, count, _ = line.rsplit(",", 2)
            whole[start] += times * int(count)
        else:
            whole[line] += times
    return Counter({line: times for line, times in whole.items() if times})
