"""A program in parts, each of which can be left out."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from tests.parity.cases import ANY_ORDER

T = TypeVar("T")

_IMPORTS = """\
from pyflink.common import Duration, Row, RowKind, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import *
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *
from pyflink.table import DataTypes, EnvironmentSettings, Schema, StreamTableEnvironment
from pyflink.table.expressions import *
from pyflink.table.expressions import coalesce
from pyflink.table.expression import TimeIntervalUnit, TimePointUnit
from pyflink.table.udf import ScalarFunction, TableFunction, udaf, udf, udtaf, udtf
from pyflink.table.window import Over, Session, Slide, Tumble

import datetime
from decimal import Decimal

import pandas as pd
"""
_STREAMS = """\
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.get_config().set_auto_watermark_interval(1000000)
"""


@dataclass(frozen=True)
class Program:
    """A program of the grammar.

    Attributes:
        name: Seed and number, which draw it again.
        parts: Statements that use ``env``, ``label`` and, where it has tables, ``tables``.
        batch: Whether it runs in batch mode.
        order: ``lines`` if lines come in order; ``any`` if not; ``net`` if they are changes whose sum counts.
        alone: It runs jobs of its own, so that others cannot share one with it.
    """

    name: str
    parts: tuple[str, ...]
    batch: bool = False
    order: str = "lines"
    alone: bool = False

    def script(self) -> str:
        """The program on its own."""
        begin = ("" if self.order == "lines" else ANY_ORDER) + _IMPORTS + "\n" + _STREAMS + self._mode()
        end = "" if self.alone else "env.execute()\n"
        return "\n".join([begin + 'label = "out"', *self.parts, end])

    def only(self, kept: list[int]) -> Program:
        """The program with some of its parts."""
        return replace(self, parts=tuple(self.parts[i] for i in kept))

    def _mode(self) -> str:
        if not self.batch:
            return "tables = StreamTableEnvironment.create(env)\n" if self._has_tables() else ""
        mode = "env.set_runtime_mode(RuntimeExecutionMode.BATCH)\n"
        settings = "EnvironmentSettings.in_batch_mode()"
        return mode + (f"tables = StreamTableEnvironment.create(env, {settings})\n" if self._has_tables() else "")

    def _has_tables(self) -> bool:
        return any("tables." in part for part in self.parts)


def joined(programs: list[Program]) -> str:
    """Programs of one mode as one job: each prints with its place as label, or says that it could not be built."""
    lines = [_IMPORTS, _STREAMS]
    for i, program in enumerate(programs):
        mode = program._mode() if i == 0 or "tables = " in program._mode() else ""
        body = textwrap.indent("\n".join([mode.rstrip("\n"), *program.parts]), "    ")
        call = f'try:\n    program_{i}("p{i}")\nexcept Exception as error:\n    print("p{i}!", type(error).__name__)'
        lines += [f"def program_{i}(label):\n    pass\n{body}\n", call]
    return "\n".join([*lines, "env.execute()\n"])


class Draw:
    """What the grammar draws from."""

    def __init__(self, seed: str) -> None:
        self.random = Random(seed)
        self.chance = self.random.random
        self.whole = self.random.randint
        self.made = 0

    def one(self, options: list[T]) -> T:
        return self.random.choice(options)

    def weighted(self, options: dict[T, float]) -> T:
        return self.random.choices(list(options), list(options.values()))[0]

    def some(self, options: list[T], least: int = 1, most: int | None = None) -> list[T]:
        """Different ones, in order."""
        count = self.whole(min(least, len(options)), min(most or len(options), len(options)))
        return [options[i] for i in sorted(self.random.sample(range(len(options)), count))]

    def name(self, prefix: str) -> str:
        """A new name."""
        self.made += 1
        return f"{prefix}{self.made}"
