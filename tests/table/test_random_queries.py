"""Random queries on random rows: batch mode against DuckDB, and folded changelogs against it, also over restarts."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from datastream import Types
from datastream.config.settings import settings
from datastream.table import EnvironmentSettings, StreamTableEnvironment, TableEnvironment
from datastream.table.types.data_types import DataTypes
from datastream.types import Row, RowKind
from tests.support.savepoints import Part

#: Queries of the quick run, and of the long one.
QUICK, LONG = 20, 2000
COLUMNS = {"t": ("a", "b", "s", "d"), "u": ("a", "c", "s")}
_ROWS = {
    "t": [DataTypes.INT(), DataTypes.BIGINT(), DataTypes.STRING(), DataTypes.DOUBLE()],
    "u": [DataTypes.INT(), DataTypes.BIGINT(), DataTypes.STRING()],
}
_DUCK = {"t": "a INTEGER, b BIGINT, s VARCHAR, d DOUBLE", "u": "a INTEGER, c BIGINT, s VARCHAR"}


class Queries:
    """Draws queries whose results do not depend on the order of rows."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def rows(self, table: str) -> list[tuple[Any, ...]]:
        """Some rows of a table, with NULLs."""
        draw = self.random
        made = []
        for _ in range(draw.choice([0, 1, 5, 20])):
            row: list[Any] = [draw.randint(-3, 5), draw.randint(-10, 10), draw.choice(["", "x", "yy", "Zed", "x%"])]
            if table == "t":
                row.append(draw.choice([0.5, -1.25, 2.0, 8.0]))
            made.append(tuple(None if draw.random() < 0.15 else value for value in row))
        return made

    def number(self, names: Sequence[str], depth: int = 2) -> str:
        """An expression of whole numbers."""
        draw = self.random
        whole = [name for name in names if name.split(".")[-1] in ("a", "b", "c")]
        if depth == 0 or draw.random() < 0.3:
            return draw.choice([*whole, str(draw.randint(0, 4))])
        one, two = self.number(names, depth - 1), self.number(names, depth - 1)
        return draw.choice(
            [
                f"({one} + {two})",
                f"({one} - {two})",
                f"({one} * {two})",
                f"ABS({one})",
                f"COALESCE({one}, {two})",
                f"NULLIF({one}, {two})",
                f"CASE WHEN {self.condition(names, depth - 1)} THEN {one} ELSE {two} END",
                f"CHAR_LENGTH({self.text(names, depth - 1)})",
            ]
        )

    def text(self, names: Sequence[str], depth: int = 2) -> str:
        """An expression of text."""
        draw = self.random
        texts = [name for name in names if name.split(".")[-1] == "s"]
        if depth == 0 or draw.random() < 0.4:
            return draw.choice([*texts, "'x'", "'Ab'"])
        one = self.text(names, depth - 1)
        return draw.choice(
            [
                f"UPPER({one})",
                f"LOWER({one})",
                f"({one} || {self.text(names, depth - 1)})",
                f"SUBSTRING({one}, 1, 2)",
                f"REVERSE({one})",
                f"REPLACE({one}, 'x', 'q')",
            ]
        )

    def condition(self, names: Sequence[str], depth: int = 2) -> str:
        """A condition."""
        draw = self.random
        if depth == 0:
            return f"{draw.choice(names)} IS NULL"
        one, two = self.number(names, depth - 1), self.number(names, depth - 1)
        return draw.choice(
            [
                f"{one} {draw.choice(['<', '<=', '>', '>=', '=', '<>'])} {two}",
                f"({self.condition(names, depth - 1)} AND {self.condition(names, depth - 1)})",
                f"({self.condition(names, depth - 1)} OR {self.condition(names, depth - 1)})",
                f"NOT ({self.condition(names, depth - 1)})",
                f"{one} BETWEEN 0 AND 3",
                f"{one} IN (1, 2, {draw.randint(0, 9)})",
                f"{self.text(names, depth - 1)} LIKE '{draw.choice(['x%', '%e%', '_'])}'",
                f"{one} IS NOT NULL",
            ]
        )

    def aggregate(self, names: Sequence[str]) -> str:
        """An aggregate."""
        draw = self.random
        return draw.choice(
            [
                "COUNT(*)",
                f"COUNT({draw.choice(names)})",
                f"COUNT(DISTINCT {draw.choice(names)})",
                f"SUM({self.number(names, 1)})",
                f"MIN({self.number(names, 1)})",
                f"MAX({self.text(names, 1)})",
                f"SUM({self.number(names, 1)}) FILTER (WHERE {self.condition(names, 1)})",
            ]
        )

    def source(self) -> tuple[str, list[str]]:
        """What stands behind FROM, and the names of its columns."""
        draw = self.random
        kind = draw.random()
        if kind < 0.5:
            table = draw.choice(list(COLUMNS))
            return table, list(COLUMNS[table])
        if kind < 0.7:
            kind_of_join = draw.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
            names = [f"{table}.{name}" for table, columns in COLUMNS.items() for name in columns]
            return f"t {kind_of_join} u ON t.a = u.a", names
        inner = f"SELECT a, s FROM t WHERE {self.condition(COLUMNS['t'])} UNION ALL SELECT a, s FROM u"
        return f"({inner}) AS w", ["a", "s"]

    def set_operation(self) -> str:
        """A query of two or three others, of columns with few values."""
        draw = self.random
        parts = []
        for table in draw.choices(list(COLUMNS), k=draw.choice([2, 2, 3])):
            number = draw.choice(["a", "ABS(a)", "NULLIF(a, 1)"])
            parts.append(f"SELECT {number} AS x, UPPER(s) AS y FROM {table} WHERE {self.condition(COLUMNS[table], 1)}")
        whole = parts[0]
        for part in parts[1:]:
            kind = draw.choice(["INTERSECT ALL", "EXCEPT ALL", "EXCEPT ALL", "INTERSECT", "EXCEPT", "UNION"])
            whole = f"({whole}) {kind} ({part})"
        return whole if draw.random() < 0.6 else f"SELECT x, COUNT(*) AS n FROM ({whole}) AS w GROUP BY x"

    def query(self) -> str:
        """A query."""
        draw = self.random
        if draw.random() < 0.1:
            return self.set_operation()
        source, names = self.source()
        where = f" WHERE {self.condition(names)}" if draw.random() < 0.6 else ""
        if draw.random() < 0.5:
            made = [self.number(names), self.text(names), self.condition(names)]
            distinct = draw.choice(["", "DISTINCT "])
            return f"SELECT {distinct}{made[0]} AS x, {made[1]} AS y, {made[2]} AS z FROM {source}{where}"
        keys = draw.choice([[], [self.number(names, 1)], [draw.choice(names), self.text(names, 1)]])
        keys = [key for key in keys if not key.isdigit() and not key.startswith("'")]
        calls = [self.aggregate(names) for _ in range(2)]
        group = f" GROUP BY {', '.join(keys)}" if keys else ""
        having = f" HAVING {calls[0]} IS NOT NULL" if draw.random() < 0.3 and keys else ""
        columns = [f"{each} AS c{i}" for i, each in enumerate([*keys, *calls])]
        return f"SELECT {', '.join(columns)} FROM {source}{where}{group}{having}"


class NestedQueries(Queries):
    """Draws queries with others inside, most of which name columns of the one around them."""

    def inside(self, depth: int = 1) -> str:
        """A condition or a number with a query in it, over the columns of ``o``."""
        draw = self.random
        table = draw.choice(list(COLUMNS))
        names = [f"i.{name}" for name in COLUMNS[table]]
        outer = [f"o.{name}" for name in COLUMNS["t"]]
        conditions = [
            f"i.{draw.choice(['a', 's'])} = o.{draw.choice(['a', 's'])}".replace("i.a = o.s", "i.a = o.a").replace(
                "i.s = o.a", "i.s = o.s"
            ),
            f"i.a {draw.choice(['<', '>', '<>'])} o.a",
            f"i.{COLUMNS[table][1]} + o.b > {draw.randint(-3, 3)}",
            self.condition(names, 1),
            self.condition([*names, *outer], 1),
        ]
        chosen = draw.sample(conditions, draw.choice([0, 1, 1, 2, 2]))
        if depth and draw.random() < 0.3:  # within that one: of `j`, beside columns of `i` or `o`
            nested = re.sub(r"\bi\b", "j", self.inside(0))
            nested = re.sub(r"\bo\b", "i", nested) if table == "t" and draw.random() < 0.6 else nested
            chosen.append(f"{nested} > 0" if nested.startswith("(") else nested)
        where = f" WHERE {' AND '.join(chosen)}" if chosen else ""
        number = self.number(names, 1)
        rows = f"FROM {table} AS i{where}"
        call = draw.choice(["COUNT(*)", f"SUM({number})", f"MAX({number}) + 1", f"MIN({number})", "COUNT(i.a) * 2"])
        sign, word = draw.choice(["<", "<=", ">", ">=", "=", "<>"]), draw.choice(["ANY", "ALL"])
        return draw.choice(
            [
                f"EXISTS (SELECT 1 {rows})",
                f"NOT EXISTS (SELECT {number} {rows})",
                f"o.a IN (SELECT {number} {rows})",
                f"o.b NOT IN (SELECT {number} {rows})",
                f"o.a {sign} {word} (SELECT {number} {rows})",
                f"(SELECT {call} {rows})",
                f"(SELECT {call} {rows})",
            ]
        )

    def query(self) -> str:
        """A query."""
        draw = self.random
        one, two = self.inside(), self.inside()
        number = draw.random() < 0.3
        where = f"{two} > 0" if two.startswith("(") else two
        where = draw.choice([where, f"({where}) IS NOT TRUE", f"{where} OR o.a > 2", f"{where} AND o.s <> 'x'"])
        if number:
            return f"SELECT o.s AS k, COUNT(*) AS n, SUM(o.a) AS x FROM t AS o WHERE {where} GROUP BY o.s"
        return f"SELECT o.a AS x, o.s AS y, {one} AS z FROM t AS o{draw.choice(['', f' WHERE {where}'])}"


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal) and value == value.to_integral_value():
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return round(value, 9)
    return value


def _bag(rows: Iterable[Sequence[Any]]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(map(_plain, row)) for row in rows)


def _environment(batch: bool, rows: dict[str, list[tuple[Any, ...]]], at_once: bool = False) -> TableEnvironment:
    chosen = EnvironmentSettings.in_batch_mode() if batch else EnvironmentSettings.in_streaming_mode()
    env = TableEnvironment.create(chosen)
    env.get_config().set("table.exec.mini-batch.enabled", str(at_once).lower())
    for table, given in rows.items():
        fields = zip(COLUMNS[table], _ROWS[table], strict=True)
        kind = DataTypes.ROW([DataTypes.FIELD(name, each) for name, each in fields])
        env.create_temporary_view(table, env.from_elements(given, kind))
    return env


def _batch(rows: dict[str, list[tuple[Any, ...]]], query: str) -> Counter[tuple[Any, ...]]:
    with _environment(True, rows).execute_sql(query).collect() as results:
        return _bag(list(results))


def _folded(rows: dict[str, list[tuple[Any, ...]]], query: str, at_once: bool) -> Counter[tuple[Any, ...]]:
    found: Counter[tuple[Any, ...]] = Counter()
    with _environment(False, rows, at_once).execute_sql(query).collect() as results:
        for row in results:
            one = tuple(map(_plain, row))
            found[one] += 1 if row.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER) else -1
            assert found[one] >= 0, f"{one} is taken back, and was never there"
    return +found


def _duck(rows: dict[str, list[tuple[Any, ...]]], query: str) -> Counter[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        for table, given in rows.items():
            connection.execute(f"CREATE TABLE {table} ({_DUCK[table]})")
            if given:
                places = ", ".join("?" * len(COLUMNS[table]))
                connection.executemany(f"INSERT INTO {table} VALUES ({places})", given)
        return _bag(connection.execute(query).fetchall())


def check(seed: int, monkeypatch: pytest.MonkeyPatch, kind: type[Queries] = Queries) -> None:
    """Draw one query, and compare its results."""
    monkeypatch.setattr(settings(), "executor", "local")
    queries = kind(seed)
    rows = {table: queries.rows(table) for table in COLUMNS}
    query = queries.query()
    wanted, batch = _duck(rows, query), _batch(rows, query)
    assert batch == wanted, f"seed {seed}: {query}\n{rows}"
    if (
        kind is Queries
        and "GROUP BY" not in query
        and any(name in query for name in ("COUNT(", "SUM(", "MIN(", "MAX("))
        and not _any(rows, query)
    ):
        return  # of no rows at all there is one in batch mode and none in streaming mode, as in Flink
    for at_once in (False, True):
        found = _folded(rows, query, at_once)
        assert found == batch, f"seed {seed}: {query}\n{rows}{' in mini-batches' if at_once else ''}"


def _any(rows: dict[str, list[tuple[Any, ...]]], query: str) -> bool:
    """Whether a query without keys has a row to aggregate, or aggregates nothing."""
    if query.startswith("("):
        return True
    return _duck(rows, f"SELECT 1{query[query.index(' FROM ') :]}") != Counter()


# -- over restarts -------------------------------------------------------------------------------------------

_STREAMED = {
    "t": [Types.INT(), Types.LONG(), Types.STRING(), Types.DOUBLE()],
    "u": [Types.INT(), Types.LONG(), Types.STRING()],
}

#: A row that came or went: the kind and the values.
Change = tuple[RowKind, tuple[Any, ...]]


def _changes(draw: random.Random, rows: list[tuple[Any, ...]], table: str, changing: bool) -> list[Change]:
    """Changes that leave these rows; if `changing`, others come and go or are replaced between."""
    made: list[Change] = []
    for row in rows:
        other = draw.choice([*rows, tuple([0, 0, "", 0.5][: len(COLUMNS[table])])])
        if changing and draw.random() < 0.3:
            made += [(RowKind.INSERT, other), (RowKind.UPDATE_BEFORE, other), (RowKind.UPDATE_AFTER, row)]
        else:
            made.append((RowKind.INSERT, row))
        if changing and draw.random() < 0.3:
            at = draw.randint(0, len(made))
            made.insert(at, (RowKind.INSERT, other))
            made.insert(draw.randint(at + 1, len(made)), (RowKind.DELETE, other))
    return made


class Restarted:
    """A query over changes, which ends in the middle and goes on from a savepoint.

    Args:
        changes: Of each table.
        query: The query.
        options: Of the environment.
    """

    def __init__(self, changes: dict[str, list[Change]], query: str, options: dict[str, str]) -> None:
        self._changes, self._query, self._options = changes, query, options

    @property
    def length(self) -> int:
        """Of the longest table."""
        return max(map(len, self._changes.values()))

    def build(self, env: Any, numbers: Any) -> Any:
        """The changes of the query, as kinds and values."""
        t_env = StreamTableEnvironment.create(env)
        for key, value in self._options.items():
            t_env.get_config().set(key, value)
        for table, changes in self._changes.items():
            stream = numbers.flat_map(
                lambda n, changes=changes: [Row.of_kind(kind, *row) for kind, row in changes[n - 1 : n]],
                Types.ROW_NAMED(list(COLUMNS[table]), _STREAMED[table]),
            )
            t_env.create_temporary_view(table, t_env.from_changelog_stream(stream))
        stream = t_env.to_changelog_stream(t_env.sql_query(self._query))
        return stream.map(lambda row: (row.get_row_kind(), *row))


def check_restarts(seed: int, folder: Path, kind: type[Queries] = Queries) -> None:
    """Draw one query, and compare its results over a restart with those of DuckDB."""
    queries = kind(seed)
    draw = queries.random
    rows = {table: queries.rows(table) for table in COLUMNS}
    query = queries.query()
    if kind is Queries and "GROUP BY" not in query and not _any(rows, query):
        return  # see above
    changing = draw.random() < 0.6
    changes = {table: _changes(draw, given, table, changing) for table, given in rows.items()}
    made = Restarted(changes, query, {"table.exec.mini-batch.enabled": draw.choice(["false", "true"])})
    if not made.length:
        return
    # Rows that are taken out must not overtake those that come.
    widths = [1, 1] if changing else [draw.randint(1, 3), draw.randint(1, 3)]
    more = {"datastream.epoch.max-records": str(draw.randint(1, max(1, made.length // 2)))}
    savepoint = folder / str(seed)
    first = Part(made.build, epochs=draw.randint(1, 2), parallelism=widths[0], more=more, end=made.length)
    first.handle.savepoint(savepoint)
    rest = Part(made.build, savepoint=savepoint, parallelism=widths[1], more=more, end=made.length)
    found: Counter[tuple[Any, ...]] = Counter()
    for change, *row in first.results + rest.results:
        found[tuple(map(_plain, row))] += 1 if change in (RowKind.INSERT, RowKind.UPDATE_AFTER) else -1
    left = Counter({row: count for row, count in found.items() if count})
    assert left == _duck(rows, query), f"seed {seed}: {query}\n{changes}\n{made._options} {widths} {more}"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(QUICK))
def test_a_few(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check(seed, monkeypatch)


@pytest.mark.parametrize("seed", range(QUICK))
def test_a_few_over_restarts(seed: int, tmp_path: Path) -> None:
    check_restarts(seed, tmp_path)


@pytest.mark.parametrize("seed", range(QUICK))
def test_a_few_with_queries_inside(seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check(seed, monkeypatch, NestedQueries)
    check_restarts(seed, tmp_path, NestedQueries)


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_many_with_queries_inside(part: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for seed in range(QUICK + part, QUICK + LONG // 2, 10):
        check(seed, monkeypatch, NestedQueries)
        check_restarts(seed, tmp_path, NestedQueries)


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_many(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(QUICK + part, QUICK + LONG, 10):
        check(seed, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_many_over_restarts(part: int, tmp_path: Path) -> None:
    for seed in range(QUICK + part, QUICK + LONG, 10):
        check_restarts(seed, tmp_path)
