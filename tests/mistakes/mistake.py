"""A mistake: the script that makes it, and what users are told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import dedent

#: Stands before each script.
IMPORTS = """\
from datetime import datetime, timezone

from pyflink.common import Configuration, Duration, Row, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import *
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
words = env.from_collection(["to", "be", "to"])
readings = env.from_collection([("a", 1), ("b", 2), ("a", 12)])
"""

#: Begins a script that is to be warned of early: small epochs, and no waiting.
EAGER = """\
from datastream.connectors.datagen import DataGeneratorSource

settings = Configuration()
settings.set_integer("datastream.epoch.max-records", 5_000)
settings.set_integer("datastream.warnings.after-ms", 1)
env = StreamExecutionEnvironment.get_execution_environment(settings)
env.set_parallelism(4)


class At(TimestampAssigner):
    def __init__(self, time):
        self.time = time

    def extract_timestamp(self, value, record_timestamp):
        return self.time(value)


def numbers(count):
    return env.from_source(DataGeneratorSource(lambda n: n, count), WatermarkStrategy.no_watermarks(), "numbers")


def timed(stream, time):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At(time))
    return stream.assign_timestamps_and_watermarks(strategy)


def sums(stream):
    windows = stream.key_by(lambda n: n % 7).window(TumblingEventTimeWindows.of(Time.seconds(10)))
    return windows.reduce(lambda a, b: a + b)


"""


@dataclass(frozen=True)
class Mistake:
    """One mistake.

    Attributes:
        name: Of the test.
        wrote: What the user wrote; as are the next two, a cell of the table.
        happens: What comes of it. What stands in backticks is printed so; … stands for anything.
        remedy: What to do.
        code: The script, without its imports. A line that ends with ``# here`` is to be named.
        says: More that the terminal says; ``{here}`` is the file and line.
        exit_code: Of ``datastream run``.
        before: A script that ran before, with the same checkpoint directory.
    """

    name: str
    wrote: str
    happens: str
    remedy: str
    code: str
    says: tuple[str, ...] = ()
    exit_code: int = 1
    before: str | None = None

    @property
    def row(self) -> str:
        """The row of the table."""
        return f"| {self.wrote} | {self.happens} | {self.remedy} |"

    @property
    def script(self) -> str:
        """The whole script."""
        return IMPORTS + dedent(self.code)

    def expected(self, script: str) -> list[str]:
        """What the terminal must say, piece by piece.

        Args:
            script: The script's path.
        """
        quoted = [part for quote in re.findall(r"`([^`]+)`", self.happens) for part in quote.split("…")]
        lines = self.script.splitlines()
        here = next((i for i, line in enumerate(lines, 1) if line.endswith("# here")), 0)
        said = [text.replace("{here}", f"{script}:{here}") for text in self.says]
        return [text for text in (*quoted, *said) if text]
