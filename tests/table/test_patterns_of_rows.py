"""MATCH_RECOGNIZE: random patterns against a plain matcher, what is kept, restarts, and what is refused."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from datastream import Row, StreamExecutionEnvironment, Types
from datastream.api.step import node_of
from datastream.config.settings import settings
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.graph.operators import MatchRecognize
from datastream.graph.operators.patterns import PatternPart, Skip
from datastream.graph.slots import ROWS_OF_MATCHES
from datastream.runtime.hosts.host import Setting
from datastream.runtime.hosts.relational.choices import match_host
from datastream.runtime.hosts.relational.pattern_matcher import PatternMatcher
from datastream.table import DataTypes, EnvironmentSettings, Schema, StreamTableEnvironment, TableEnvironment
from datastream.table.catalogs.errors import TableException
from datastream.table.udf import AggregateFunction, ScalarFunction, udaf, udf
from tests.support.kept_jobs import counted
from tests.support.keyed_harness import MemoryStore
from tests.support.savepoints import Part as JobPart
from tests.table import plain_patterns
from tests.table.plain_patterns import Part
from tests.table.test_table_state import changes as changes_of
from tests.table.test_table_state import tables as tables_of

#: Patterns of the quick run, and of the long one.
QUICK, LONG = 15, 300
NAMES = "PQRS"


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture
def small_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "3"})


def _second(number: int) -> datetime.datetime:
    return datetime.datetime(2024, 1, 1) + datetime.timedelta(seconds=number)


def streaming(rows: Iterable[tuple[str, str, int]], late: int = 1) -> StreamTableEnvironment:
    """A table `t` of rows (key, letter, second of event time), in the order in which they come."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    tables = StreamTableEnvironment.create(env)
    kind = Types.ROW_NAMED(["k", "s", "v", "ts"], [Types.STRING(), Types.STRING(), Types.INT(), Types.SQL_TIMESTAMP()])
    schema = Schema.new_builder().column("k", "STRING").column("s", "STRING").column("v", "INT")
    schema = schema.column("ts", "TIMESTAMP(3)").column_by_expression("p", "PROCTIME()")
    schema = schema.watermark("ts", f"ts - INTERVAL '{late}' SECOND").build()
    made = [Row(k, s, second, _second(second)) for k, s, second in rows]
    stream = env.from_collection(made, kind).set_parallelism(1)
    tables.create_temporary_view("t", tables.from_data_stream(stream, schema))
    return tables


def batch(rows: Iterable[tuple[str, str, int]]) -> TableEnvironment:
    """The same in batch mode."""
    tables = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    kinds = [DataTypes.STRING(), DataTypes.STRING(), DataTypes.INT(), DataTypes.TIMESTAMP(3)]
    kind = DataTypes.ROW([DataTypes.FIELD(n, of) for n, of in zip(("k", "s", "v", "ts"), kinds, strict=True)])
    made = [(k, s, second, _second(second)) for k, s, second in rows]
    tables.create_temporary_view("t", tables.from_elements(made, kind))
    return tables


def collected(tables: Any, query: str) -> list[tuple[Any, ...]]:
    with tables.sql_query(query).execute().collect() as rows:
        return [tuple(row) for row in rows]


def match(clauses: str, measures: str = "FIRST(v) AS f, LAST(v) AS l, COUNT(*) AS n") -> str:
    return f"SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES {measures} {clauses})"


# -- random patterns -----------------------------------------------------------------------------------


def written(parts: tuple[Part, ...], past_last: bool) -> str:
    """A pattern in SQL."""
    skip = "PAST LAST ROW" if past_last else "TO NEXT ROW"
    pattern = " ".join(f"{name}{part.quantifier()}" for name, part in zip(NAMES, parts, strict=False))
    defined = (
        f"{n} AS {n}.s IN ({', '.join(map(repr, sorted(p.letters)))})" for n, p in zip(NAMES, parts, strict=False)
    )
    return f"AFTER MATCH SKIP {skip} PATTERN ({pattern}) DEFINE {', '.join(defined)}"


def drawn(seed: int) -> tuple[tuple[Part, ...], bool, dict[str, str]]:
    """A pattern, whether the search goes on behind the last row, and the letters of keys."""
    draw = random.Random(seed)
    texts = {key: "".join(draw.choices("abc", k=draw.randint(0, 16))) for key in ("x", "y", "z")}
    return plain_patterns.draw(draw), draw.random() < 0.5, texts


def rows_of(texts: dict[str, str]) -> list[tuple[str, str, int]]:
    rows = [(key, letter, place) for key, text in texts.items() for place, letter in enumerate(text)]
    return sorted(rows, key=lambda row: row[2])


@pytest.mark.parametrize("count", [QUICK, pytest.param(LONG, marks=pytest.mark.long)])
@pytest.mark.parametrize("make", [streaming, batch])
@pytest.mark.usefixtures("small_epochs")
def test_random_patterns_in_sql(make: Any, count: int) -> None:
    for seed in range(count):
        parts, past_last, texts = drawn(seed)
        found = collected(make(rows_of(texts)), match(written(parts, past_last)))
        for key, text in texts.items():
            ours = [(first, last) for of, first, last, _ in found if of == key]
            plain_patterns.check(parts, text, past_last, ours)
        assert all(count == last - first + 1 for _, first, last, count in found)


def test_random_patterns_of_the_matcher() -> None:
    for seed in range(300):
        parts, past_last, texts = drawn(1000 + seed)
        for text in texts.values():
            plain_patterns.check(parts, text, past_last, matches_in(parts, text, past_last))


def matches_in(parts: tuple[Part, ...], text: str, past_last: bool) -> list[tuple[int, int]]:
    """(first row, last row) of the matches in a text."""
    conditions = [lambda rows, bounds, place, of=part.letters: rows[place][0] in of for part in parts]
    pattern = [PatternPart(n, p.least, p.most, p.greedy) for n, p in zip(NAMES, parts, strict=False)]
    matcher = PatternMatcher(pattern, conditions, Skip("past_last" if past_last else "next"), None)
    key, found = matcher.new(), []
    for place, letter in enumerate(text):
        for bounds in matcher.take(key, (letter, place), place):
            found.append((key.rows[bounds[0]][1], key.rows[bounds[-1] - 1][1]))
        key.trim()
    return found


# -- time and state ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small_epochs")
def test_a_match_comes_with_the_watermark_and_late_rows_are_dropped() -> None:
    rows = [("x", "a", 1), ("x", "c", 6), ("x", "b", 4), ("y", "b", 7), ("y", "a", 8), ("y", "c", 8), ("x", "b", 2)]
    found = collected(streaming(rows, 3), match("PATTERN (A B+? C) DEFINE A AS s = 'a', B AS s = 'b', C AS s = 'c'"))
    assert found == [("x", 1, 6, 3)]


def operator(tables: Any, query: str) -> MatchRecognize:
    """The operator of a query."""
    stream = tables.to_data_stream(tables.sql_query(query))
    (found,) = (op for op in node_of(stream).builder.operators.values() if isinstance(op, MatchRecognize))
    return found


def row_of(op: MatchRecognize, second: int) -> tuple[Any, ...]:
    """A row with v = 1 and a time; the operator reads nothing else."""
    condition = op.program.conditions[0]
    assert condition is not None
    row: list[Any] = [None] * 8
    row[condition.rows[0].column] = 1
    row[op.order[0][0]] = second * 1_000_000
    return tuple(row)


def test_what_is_kept_stays_flat_for_a_day() -> None:
    clauses = "PATTERN (A B* C) WITHIN INTERVAL '1' MINUTE DEFINE A AS v > 0, B AS v > 0, C AS v < 0"
    op = operator(streaming([]), match(clauses))
    host, store, keys = match_host(op, Setting(max_parallelism=8, timed=False)), MemoryStore(), ["x", "y", "z"]
    most = watermark = 0
    for second in range(10, 86_400, 10):
        host.begin(store, range(8), watermark)
        host.process(0, [row_of(op, second)] * 3, keys, None)
        watermark = second * 1000
        assert not [each for out, _ in host.advance(watermark) for each in out]
        most = max(most, *(kept(host, key) for key in keys))
        host.flush()
    assert 0 < most <= 20
    host.begin(store, range(8), watermark)
    assert not list(host.advance(watermark + 60_000))
    host.flush()
    host.begin(store, range(8), watermark)
    host.states.load(set(keys))
    assert not any(kept(host, key) for key in keys)


def kept(host: Any, key: str) -> int:
    """How many rows and matches are kept of a key."""
    return sum(map(len, host.states.values[key].get(ROWS_OF_MATCHES, ())))


FALLS = (
    "SELECT * FROM numbers MATCH_RECOGNIZE (PARTITION BY MODULO ORDER BY at "
    "MEASURES FIRST(A.n) AS f, LAST(B.n) AS l, COUNT(B.n) AS c, MATCH_ROWTIME() AS rt {skip} PATTERN (A B{{20,}}? C) "
    "WITHIN INTERVAL '5' MINUTE DEFINE A AS MOD(A.n, 3) = 0, B AS B.n > A.n, C AS MOD(C.n, 7) = 0)"
)


def falls(env: Any, numbers: Any) -> Any:
    """Matches of some 20 to 40 rows that overlap, by key."""
    t_env = tables_of(env, numbers)
    t_env.create_temporary_view("keyed", t_env.sql_query("SELECT n, at, MOD(n, 5) AS modulo FROM numbers"))
    first, *others = [
        changes_of(t_env, skip, FALLS.format(skip=skip).replace("numbers", "keyed").replace("MODULO", "modulo"))
        for skip in ("AFTER MATCH SKIP TO NEXT ROW", "AFTER MATCH SKIP PAST LAST ROW")
    ]
    return first.union(*others)


@pytest.mark.parametrize(("parallelism", "key_groups"), [(2, 128), (3, 40)])
def test_a_restored_query_goes_on(parallelism: int, key_groups: int, tmp_path: Path) -> None:
    whole = JobPart(falls)
    parts = [JobPart(falls, epochs=1)]
    parts[-1].handle.savepoint(tmp_path / "one")
    more = {"pipeline.max-parallelism": str(key_groups)}
    parts.append(JobPart(falls, epochs=1, savepoint=tmp_path / "one", parallelism=parallelism, more=more))
    parts[-1].handle.savepoint(tmp_path / "two")
    parts.append(JobPart(falls, savepoint=tmp_path / "two", parallelism=2, more=more))
    assert all(part.results for part in parts)
    assert counted([result for part in parts for result in part.results]) == counted(whole.results)
    assert len(whole.results) > 100


# -- functions, plans, mistakes ------------------------------------------------------------------------

ABC = [("x", letter, second) for second, letter in enumerate("abbcabc")]


def test_functions_of_users() -> None:
    """Functions of single rows, also those with state of their own, and aggregates."""

    class Shifted(ScalarFunction):
        def open(self, function_context: Any) -> None:
            self.by = 100

        def eval(self, value: int) -> int:
            return value + self.by

    class Total(AggregateFunction):
        def create_accumulator(self) -> Any:
            return [0]

        def accumulate(self, accumulator: Any, value: int) -> None:
            accumulator[0] += value

        def get_value(self, accumulator: Any) -> int:
            return int(accumulator[0])

    for tables in (streaming(ABC, 1), batch(ABC)):
        tables.create_temporary_function("shifted", udf(Shifted(), result_type=DataTypes.INT()))
        total = udaf(Total(), result_type=DataTypes.INT(), accumulator_type=DataTypes.ARRAY(DataTypes.INT()))
        tables.create_temporary_function("total", total)
        define = "DEFINE A AS s = 'a', B AS s = 'b' AND total(B.v) < 4, C AS shifted(C.v) = 103"
        assert collected(tables, match(f"PATTERN (A B* C) {define}", "shifted(A.v) AS x, total(v + 1) AS y")) == [
            ("x", 100, 10)
        ]


def test_functions_of_pandas_are_refused() -> None:
    tables = streaming([])
    function = udf(lambda values: values * 2, result_type=DataTypes.INT(), func_type="pandas")
    tables.create_temporary_function("doubled", function)
    with pytest.raises(UnsupportedOperation, match="column 70: DOUBLED: pandas functions are not supported"):
        tables.sql_query(match("PATTERN (A) DEFINE A AS TRUE", "doubled(A.v) AS x"))


def test_partition_and_order_take_columns() -> None:
    for by, clause in (("PARTITION BY UPPER(k) ORDER BY ts", "PARTITION BY"), ("ORDER BY ts, v * 2", "ORDER BY")):
        query = f"SELECT * FROM t MATCH_RECOGNIZE ({by} MEASURES A.v AS x PATTERN (A) DEFINE A AS TRUE)"
        with pytest.raises(ValidationError, match=f"{clause} of MATCH_RECOGNIZE takes columns"):
            streaming([]).sql_query(query)


def test_explain_has_flinks_text() -> None:
    query = match(
        "AFTER MATCH SKIP TO LAST B PATTERN (A B+? C{2}) DEFINE A AS A.s = 'a', B AS LAST(v, 1) > SUM(A.v)",
        "A.v AS x, LAST(v) AS y, FIRST(B.v, 2) AS z",
    )
    text = streaming([]).sql_query(query).explain()
    assert (
        "Match(partitionBy=[k], orderBy=[ts ASC], measures=[FINAL(A.v) AS x, FINAL(LAST(*.v, 0)) AS y, "
        "FINAL(FIRST(B.v, 2)) AS z], rowsPerMatch=[ONE ROW PER MATCH], after=[SKIP TO LAST 'B'], "
        "pattern=[(('A', PATTERN_QUANTIFIER('B', 1, -1, true)), PATTERN_QUANTIFIER('C', 2, 2, false))], "
        "define=[{A=equals(A.s, 'a'), B=greaterThan(LAST(*.v, 1), sum(A.v))}])"
    ) in text


def test_a_compiled_plan_gives_the_same(tmp_path: Path) -> None:
    tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    tables.get_config().set("parallelism.default", "1")
    (tmp_path / "t").mkdir()
    lines = "".join(f"{k},{s},{v},1970-01-01 00:00:{v:02d}\n" for k, s, v in ABC)
    (tmp_path / "t" / "rows").write_text(lines)
    tables.execute_sql(
        "CREATE TABLE t (k STRING, s STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH "
        f"('connector' = 'filesystem', 'path' = '{tmp_path / 't'}', 'format' = 'csv')"
    )
    tables.execute_sql(
        "CREATE TABLE found (k STRING, f INT, n BIGINT, rt TIMESTAMP(3)) WITH "
        f"('connector' = 'filesystem', 'path' = '{tmp_path / 'found'}', 'format' = 'csv')"
    )
    query = match(
        "AFTER MATCH SKIP PAST LAST ROW PATTERN (A B{1,3} C) WITHIN INTERVAL '1' HOUR "
        "DEFINE A AS s = 'a', B AS s = 'b' AND (LAST(B.v, 1) IS NULL OR B.v > SUM(A.v)), C AS s = 'c'",
        "A.v AS f, COUNT(*) AS n, MATCH_ROWTIME() AS rt",
    )
    plan = tables.compile_plan_sql(f"INSERT INTO found {query}")
    assert '"node": "Match"' in plan.as_json_string()
    plan.write_to_file(str(tmp_path / "plan.json"))
    tables.execute_sql(f"EXECUTE PLAN '{tmp_path / 'plan.json'}'").wait()
    rows = [line for file in (tmp_path / "found").glob("[!.]*") for line in file.read_text().splitlines()]
    assert [row.split(",")[:3] for row in rows] == [["x", "0", "4"], ["x", "4", "3"]]


@pytest.mark.parametrize(
    ("clauses", "message"),
    [
        ("PATTERN (A | B) DEFINE A AS TRUE", "line 1, column 90: alternatives are not supported"),
        ("PATTERN (PERMUTE(A, B)) DEFINE A AS TRUE", "PERMUTE is not supported"),
        ("PATTERN (A {- B -}) DEFINE A AS TRUE", "{- -} is not supported"),
        ("PATTERN ((A B)+ C) DEFINE A AS TRUE", "groups with a quantifier are not supported"),
        ("PATTERN (^ A B) DEFINE A AS TRUE", "^ is not supported"),
        ("PATTERN (A B $) DEFINE A AS TRUE", "$ is not supported"),
        ("PATTERN (A{,3} B) DEFINE A AS TRUE", "expected how many rows there are at least: write {0,n}"),
        ("PATTERN (A{3,2} B) DEFINE A AS TRUE", "must be at least 3, got 2"),
        ("PATTERN (A{0} B) DEFINE A AS TRUE", "must be at least 1, got 0"),
        ("PATTERN (A?? B) DEFINE A AS TRUE", "Reluctant optional variables"),
        ("PATTERN (A B+) DEFINE A AS TRUE", "column 90: Greedy quantifiers are not allowed as the last element"),
        ("PATTERN (A* B*?) DEFINE A AS TRUE", "empty matches"),
        ("PATTERN (A B A) DEFINE A AS TRUE", "Pattern variables must be unique: 'A' is there twice"),
        ("PATTERN (A+ B? C) DEFINE A AS TRUE", "Optional pattern cannot be preceded by greedy pattern"),
        ("ALL ROWS PER MATCH PATTERN (A) DEFINE A AS TRUE", "ALL ROWS PER MATCH is not supported"),
        ("PATTERN (A B) SUBSET U = (A, B) DEFINE A AS TRUE", "SUBSET is not supported"),
        ("AFTER MATCH SKIP TO FIRST Z PATTERN (A) DEFINE A AS TRUE", "No pattern variable 'Z'"),
        ("PATTERN (A) WITHIN INTERVAL '1' MONTH DEFINE A AS TRUE", "Only constant intervals"),
        ("PATTERN (A) WITHIN '1' DEFINE A AS TRUE", "an INTERVAL"),
        ("PATTERN (A) DEFINE A AS TRUE, A AS FALSE", "Pattern variable 'A' has already been defined"),
        ("PATTERN (A) DEFINE A AS A.v", "DEFINE clause must be a condition"),
        ("PATTERN (A) DEFINE A AS NULL", "Illegal use of 'NULL'"),
        ("PATTERN (A) DEFINE A AS Z.v > 1", "No pattern variable 'Z'; there are A"),
        ("PATTERN (A) DEFINE A AS A.v > PREV(A.v)", "physical offsets"),
        ("PATTERN (A) DEFINE A AS LAST(LAST(A.v, 1)) > 1", "Cannot nest"),
        ("PATTERN (A B) DEFINE A AS LAST(A.v + B.v, 1) > 1", "Multiple pattern variables"),
        ("PATTERN (A) DEFINE A AS LAST(A.v, -1) > 1", "must not be negative"),
        ("PATTERN (A) DEFINE A AS LAST(A.v, A.v) > 1", "is a whole number"),
        ("PATTERN (A) DEFINE A AS FIRST(SUM(A.v)) > 1", "Cannot use aggregation in navigation"),
        ("PATTERN (A) DEFINE A AS COUNT(DISTINCT A.v) > 1", "DISTINCT/ALL not allowed"),
        ("PATTERN (A) DEFINE A AS COUNT(A.v) FILTER (WHERE A.v > 1) > 1", "FILTER is not supported"),
        ("PATTERN (A) DEFINE A AS SUM(SUM(A.v)) > 1", "cannot be nested"),
        ("PATTERN (A) DEFINE A AS SUM(LAST(A.v)) > 1", "not supported in an aggregate"),
        ("PATTERN (A) DEFINE A AS COUNT(1) > 1", "No pattern variable specified in aggregate"),
        ("PATTERN (A) DEFINE A AS SUM(A.v) OVER (ORDER BY ts) > 1", "OVER is not supported"),
        ("PATTERN (A) DEFINE A AS ROW_NUMBER() > 1", "needs an OVER clause"),
        ("PATTERN (A) DEFINE A AS A.v IN (SELECT v FROM t)", "A query is not supported"),
        ("PATTERN (A) DEFINE A AS CLASSIFIER() = 'A'", "CLASSIFIER() is not supported"),
        ("PATTERN (A) DEFINE A AS CURRENT_WATERMARK(ts) IS NULL", "CURRENT_WATERMARK is not supported"),
        ("PATTERN (A) DEFINE A AS TRUE, Z AS w > 1", "No column 'w'"),
        ("PATTERN (A)", "expected"),
        ("DEFINE A AS TRUE", "expected"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(clauses: str, message: str) -> None:
    with pytest.raises((ValidationError, UnsupportedOperation), match=r"line 1, column \d+: ") as error:
        streaming([]).sql_query(match(clauses, "A.v AS x"))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ("PREV(A.v) AS x", "Cannot use PREV/NEXT in MEASURE"),
        ("RUNNING LAST(A.v) AS x", "RUNNING is not supported"),
        ("MATCH_NUMBER() AS x", "MATCH_NUMBER() is not supported"),
        ("MATCH_ROWTIME(v) AS x", "requires argument to be a row time attribute"),
        ("A.v AS k", "Columns ambiguously defined: 'k'"),
        ("A.v AS x, B.v AS x", "Columns ambiguously defined: 'x'"),
        ("A.v", "expected AS"),
        ("FIRST(MATCH_ROWTIME()) AS x", "takes an expression over columns of rows"),
    ],
)
def test_wrong_measures_are_refused_with_their_place(measures: str, message: str) -> None:
    with pytest.raises((ValidationError, UnsupportedOperation), match=r"line 1, column \d+: ") as error:
        streaming([]).sql_query(match("PATTERN (A B) DEFINE A AS TRUE", measures))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("make", "by", "message"),
    [
        (streaming, "PARTITION BY k", "You must specify either rowtime or proctime for order by."),
        (streaming, "ORDER BY v", "line 1, column 43: You must specify either rowtime or proctime for order by as the"),
        (streaming, "ORDER BY v, ts", "as the first one"),
        (streaming, "ORDER BY ts DESC", "Primary sort order of a streaming table must be ascending on time."),
        (batch, "PARTITION BY k", "You must specify non-empty order by."),
        (batch, "ORDER BY v", "You must specify time point for order by as the first one."),
        (batch, "ORDER BY ts DESC", "Primary sort order of a table must be ascending on time."),
    ],
)
def test_a_wrong_order_is_refused(make: Any, by: str, message: str) -> None:
    query = f"SELECT * FROM t MATCH_RECOGNIZE ({by} MEASURES A.v AS x PATTERN (A) DEFINE A AS TRUE)"
    with pytest.raises(TableException) as error:
        make([]).sql_query(query).execute()
    assert message in str(error.value)


def test_rows_that_change_are_refused() -> None:
    query = (
        "SELECT * FROM (SELECT k, MAX(ts) AS ts FROM t GROUP BY k) MATCH_RECOGNIZE "
        "(ORDER BY ts MEASURES A.k AS x PATTERN (A) DEFINE A AS TRUE)"
    )
    with pytest.raises(TableException, match="doesn't support consuming update changes"):
        streaming([]).sql_query(query).execute()


@pytest.mark.parametrize(("target", "message"), [("A", "first element of a match"), ("B", "Could not skip to B")])
def test_a_skip_to_nowhere_fails(target: str, message: str) -> None:
    query = match(f"AFTER MATCH SKIP TO FIRST {target} PATTERN (A B* C) DEFINE B AS FALSE")
    with pytest.raises(Exception, match=message):
        collected(batch(ABC), query)
