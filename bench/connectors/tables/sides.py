"""Our side of a table: a statement of SQL on the local executor; and what a case is."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, NamedTuple, TypeVar

from bench.ready_rows import COLUMNS, DECLARED, register
from datastream.config.settings import EpochSummary, settings
from datastream.table import EnvironmentSettings, TableEnvironment
from tests.support.servers import choice

ServerT = TypeVar("ServerT")

#: Rows as both sides have them.
Rows = list[tuple[Any, ...]]
_LIMIT_S = 300


class Pair(NamedTuple):
    """What both sides do.

    Attributes:
        what: Such as ``write``.
        ours: Does it; returns the seconds.
        bare: The same with the client library alone.
        count: Rows of it; None: those of the case.
    """

    what: str
    ours: Callable[[], float]
    bare: Callable[[], object]
    count: int | None = None


class Systems:
    """The servers of a run: each begins when a case asks for it, and ends with the run."""

    def __init__(self) -> None:
        self._stack, self._begun = ExitStack(), dict[Any, Any]()

    def __enter__(self) -> Systems:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def get(self, kind: Callable[[], AbstractContextManager[ServerT]]) -> ServerT:
        """The server that a function begins."""
        if kind not in self._begun:
            self._begun[kind] = self._stack.enter_context(kind())
        found: ServerT = self._begun[kind]
        return found


def server_of(kind: type[choice.Kind[ServerT]]) -> Callable[[], AbstractContextManager[ServerT]]:
    """A function that begins a server of this kind, for `Systems.get`."""

    @contextmanager
    def run() -> Iterator[ServerT]:
        server: Any = choice.begin(kind())
        try:
            yield server
        finally:
            server.stop()

    return run


class Case(NamedTuple):
    """A table.

    Attributes:
        pairs: What is measured; each round calls it. Between two of them it prepares the next one.
        rows: How many by default.
    """

    pairs: Callable[[Systems, Rows], Iterator[Pair]]
    rows: int


#: Name -> case.
CASES: dict[str, Case] = {}


def case(name: str, rows: int) -> Callable[[Callable[[Systems, Rows], Iterator[Pair]]], Any]:
    """Add a case."""

    def add(pairs: Callable[[Systems, Rows], Iterator[Pair]]) -> Any:
        CASES[name] = Case(pairs, rows)
        return pairs

    return add


class Table:
    """A table ``t`` of a connector, for one round.

    Args:
        options: Of the WITH clause.
        columns: Of the table.
        picked: The columns of the rows at hand that are written.
    """

    def __init__(self, options: dict[str, str], columns: str = DECLARED, picked: tuple[str, ...] = COLUMNS) -> None:
        self._options, self._columns, self._picked = options, columns, picked

    def write(self, rows: Rows) -> float:
        """INSERT the rows; the seconds."""
        return self._run(f"INSERT INTO t SELECT {', '.join(self._picked)} FROM given", len(rows), True)

    def read(self, count: int, ends: bool = True) -> float:
        """SELECT so many rows; the seconds.

        Args:
            count: How many there are.
            ends: Whether the table ends; else the job is cancelled when it has them.
        """
        return self._run(f"INSERT INTO dropped SELECT {', '.join(self._picked)} FROM t", count, ends)

    def look_up(self, rows: Rows, key: str = "id") -> float:
        """Join the rows with the table, each a lookup; the seconds."""
        query = (
            f"INSERT INTO dropped SELECT {', '.join(f't.{name}' for name in self._picked)} FROM "
            f"(SELECT *, PROCTIME() AS now FROM given) AS g JOIN t FOR SYSTEM_TIME AS OF g.now ON g.{key} = t.{key}"
        )
        return self._run(query, len(rows), True)

    def _kept(self) -> str:
        """The declarations of the columns that are picked."""
        return ", ".join(each for each in self._columns.split(", ") if each.split()[0] in self._picked)

    def _run(self, statement: str, count: int, ends: bool) -> float:
        tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        tables.get_config().set("parallelism.default", "1")
        tables.get_config().set("table.local-time-zone", "UTC")
        given = f"{DECLARED}, PRIMARY KEY (id) NOT ENFORCED"
        for name, columns, options in (
            ("t", self._columns, self._options),
            ("given", given, {"connector": "ready", "keys": str(KEYS), "rows": str(count)}),
            ("dropped", self._kept(), {"connector": "blackhole"}),
        ):
            listed = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
            tables.execute_sql(f"CREATE TEMPORARY TABLE {name} ({columns}) WITH ({listed})")
        watch = _Watch(count)
        settings().listeners.append(watch)
        try:
            result = tables.execute_sql(statement)
            watch.reached.wait(_LIMIT_S)
            client = result.get_job_client()
            assert client is not None
            if not ends:
                client.cancel()
                return watch.seconds
            client.get_job_execution_result().result()
        finally:
            settings().listeners.remove(watch)
        assert watch.read >= count, f"{watch.read} of {count} rows were read"
        return watch.seconds


#: Rows have different ids.
KEYS = 2**32


class _Watch:
    """Notes when a job has begun, and when it committed the last rows: planning and the clean-up do not count."""

    def __init__(self, count: int) -> None:
        self.read, self.seconds, self.reached = 0, 0.0, threading.Event()
        self._count, self._began = count, 0.0

    def on_start(self, graph: Any) -> None:
        self._began = time.perf_counter()

    def on_epoch(self, summary: EpochSummary) -> None:
        self.read += summary.records_in
        self.seconds = time.perf_counter() - self._began
        if self.read >= self._count:
            self.reached.set()

    def on_restart(self, restart: Any) -> None:
        return None

    def on_end(self, status: str, error: BaseException | None) -> None:
        self.reached.set()


def begin() -> None:
    """Let jobs of this process run on the local executor, with the rows at hand as the connector ``ready``."""
    settings().executor = "local"
    register()
