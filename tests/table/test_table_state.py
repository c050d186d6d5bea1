"""State of SQL jobs: restarts, savepoints, uids, and what does not fit."""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from datastream import StreamExecutionEnvironment, Types
from datastream.api.environment import graph_of
from datastream.cli.state import command
from datastream.config.settings import settings
from datastream.errors import CheckpointMismatch, ValidationError
from datastream.graph.operators import GroupAggregate, LocalAggregate, WindowAggregate
from datastream.spark.savepoint import take_savepoint
from datastream.spark.state_view import open_reader
from datastream.table import ChangelogMode, EnvironmentSettings, Schema, StreamTableEnvironment, TableEnvironment
from datastream.types import Row, RowKind
from tests.support.kept_jobs import counted
from tests.support.savepoints import END, Part

QUERIES = {
    "groups": "SELECT n / 7 * 0 + MOD(n, 97) AS k, COUNT(*) AS c, SUM(n) AS s, MAX(n) AS m FROM numbers GROUP BY "
    "n / 7 * 0 + MOD(n, 97)",
    "windows": "SELECT MOD(n, 5) AS k, window_start, COUNT(*) AS c, SUM(n) AS s FROM "
    "TABLE(TUMBLE(TABLE numbers, DESCRIPTOR(at), INTERVAL '90' SECOND)) GROUP BY MOD(n, 5), window_start, window_end",
    "joined": "SELECT a.n AS x, b.n AS y FROM numbers AS a JOIN (SELECT MOD(n, 400) AS r, n FROM numbers) AS b ON "
    "a.n = b.r",
}


def tables(env: Any, numbers: Any) -> StreamTableEnvironment:
    """An environment with the table ``numbers``."""
    t_env = StreamTableEnvironment.create(env)
    schema = (
        Schema.new_builder()
        .column("f0", "BIGINT")
        .column_by_expression("n", "f0")
        .column_by_expression("at", "TIMESTAMPADD(SECOND, CAST(f0 AS INT), TIMESTAMP '2020-01-01 00:00:00')")
        .watermark("at", "at - INTERVAL '10' SECOND")
        .build()
    )
    t_env.create_temporary_view("numbers", t_env.from_data_stream(numbers, schema))
    return t_env


def changes(t_env: StreamTableEnvironment, name: str, query: str) -> Any:
    """The changes of a query, as tuples."""
    stream = t_env.to_changelog_stream(t_env.sql_query(query))
    return stream.map(lambda row: (name, str(row.get_row_kind()), *row))


def build(env: Any, numbers: Any) -> Any:
    """A group aggregate, a window aggregate and a join."""
    t_env = tables(env, numbers)
    first, *others = [changes(t_env, name, query) for name, query in QUERIES.items()]
    return first.union(*others)


def mini_batches(env: Any, numbers: Any) -> Any:
    """A group aggregate in two phases."""
    t_env = tables(env, numbers)
    t_env.get_config().set("table.exec.mini-batch.enabled", "true")
    return changes(t_env, "groups", QUERIES["groups"])


def folded(results: list[Any]) -> Any:
    """The rows that changes leave."""
    found = counted([])
    for name, kind, *row in results:
        found[str((name, *row))] += 1 if kind in ("+I", "+U", "RowKind.INSERT", "RowKind.UPDATE_AFTER") else -1
    return +found


@pytest.mark.parametrize(("parallelism", "key_groups"), [(2, 128), (3, 40), (1, 128)])
def test_a_restored_query_goes_on(parallelism: int, key_groups: int, tmp_path: Path) -> None:
    whole = Part(build)
    parts = [Part(build, epochs=1)]
    parts[-1].handle.savepoint(tmp_path / "one")
    more = {"pipeline.max-parallelism": str(key_groups)}
    parts.append(Part(build, epochs=1, savepoint=tmp_path / "one", parallelism=parallelism, more=more))
    parts[-1].handle.savepoint(tmp_path / "two")
    parts.append(Part(build, savepoint=tmp_path / "two", parallelism=2, more=more))
    assert all(part.results for part in parts)
    assert counted([result for part in parts for result in part.results]) == counted(whole.results)


def changing_sides(env: Any, numbers: Any) -> Any:
    """A full join of rows that change."""
    sums = "(SELECT MOD(n, {0}) AS k, SUM(n) AS s FROM numbers GROUP BY MOD(n, {0}))"
    sides = f"{sums.format(97)} AS a FULL JOIN {sums.format(53)} AS b ON a.k = b.k"
    query = f"SELECT a.k AS x, a.s AS y, b.s AS z FROM {sides}"
    return changes(tables(env, numbers), "sides", query)


@pytest.mark.parametrize(("parallelism", "key_groups"), [(2, 128), (3, 40)])
def test_a_join_of_changing_rows_goes_on(parallelism: int, key_groups: int, tmp_path: Path) -> None:
    whole = Part(changing_sides)
    first = Part(changing_sides, epochs=2)
    first.handle.savepoint(tmp_path / "savepoint")
    more = {"pipeline.max-parallelism": str(key_groups)}
    rest = Part(changing_sides, savepoint=tmp_path / "savepoint", parallelism=parallelism, more=more)
    assert first.results and rest.results
    assert folded(first.results + rest.results) == folded(whole.results)
    assert len(folded(whole.results)) == 97


def test_two_phases_go_on(tmp_path: Path) -> None:
    whole = Part(mini_batches)
    first = Part(mini_batches, epochs=2)
    first.handle.savepoint(tmp_path / "savepoint")
    rest = Part(mini_batches, savepoint=tmp_path / "savepoint", parallelism=3)
    assert counted(first.results + rest.results) == counted(whole.results)
    assert folded(first.results + rest.results) == folded(Part(build).results) - folded(
        [each for each in Part(build).results if each[0] != "groups"]
    )


@pytest.mark.long
def test_a_query_goes_on_from_its_checkpoint_on_spark(tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    more = {"datastream.trigger.interval-ms": "4000"}
    first = Part(build, epochs=2, executor="spark", checkpoint=checkpoint, more=more)
    rows = open_reader(checkpoint).rows("table.stream.window")
    kept = [each for row in rows if row.state == "(windows)" for each in row.value]
    assert kept and all(end % 90_000_000 == 0 and 0 < accumulator[0] <= 18 for end, accumulator in kept)
    rest = Part(build, executor="spark", checkpoint=checkpoint)
    assert counted(first.results + rest.results) == counted(Part(build).results)
    names = {name.operator: (name.kind, keys) for name, keys in open_reader(checkpoint).names(None).items()}
    assert names["table.stream.aggregate"] == ("group_aggregate", 97)
    assert names["table.stream.window"][0] == "window_aggregate"
    assert names["table.stream.join"][0] == "table_join"
    done = CliRunner().invoke(command, ["show", "--operator", "table.stream.aggregate", str(checkpoint)])
    assert done.exit_code == 0, done.output
    assert len(done.stdout.splitlines()) == 21
    take_savepoint(checkpoint, tmp_path / "savepoint")
    sides = [kept_of_join(folder) for folder in (checkpoint, tmp_path / "savepoint")]
    assert sides[0] == sides[1] == {"(left)": END, "(right)": END}  # also what lies in chunks of logs


def kept_of_join(folder: Path) -> Counter[str]:
    """How many rows the sides of the join keep."""
    kept: Counter[str] = Counter()
    for row in open_reader(folder).rows("table.stream.join"):
        kept[row.state] += len(row.value)
    return kept


def other_aggregates(env: Any, numbers: Any) -> Any:
    """The group aggregate with another one in it."""
    t_env = tables(env, numbers)
    return changes(t_env, "groups", QUERIES["groups"].replace("MAX(n)", "AVG(n)"))


def with_a_filter(env: Any, numbers: Any) -> Any:
    """The group aggregate behind other steps over rows."""
    t_env = tables(env, numbers)
    t_env.create_temporary_view("unread", t_env.sql_query("SELECT n + 1 AS n FROM numbers"))
    return changes(
        t_env, "groups", QUERIES["groups"].replace("numbers", "numbers WHERE n <> -1") + " HAVING SUM(n) > 0"
    )


def only_groups(env: Any, numbers: Any) -> Any:
    """The group aggregate alone."""
    return changes(tables(env, numbers), "groups", QUERIES["groups"])


def test_other_aggregates_are_refused(tmp_path: Path) -> None:
    first = Part(only_groups, epochs=1)
    first.handle.savepoint(tmp_path / "savepoint")
    message = (
        r"'table.stream.aggregate' keeps count\(\), sum\(BIGINT\), max\(BIGINT\) by \(BIGINT\), but .*avg\(BIGINT\) by"
    )
    with pytest.raises(CheckpointMismatch, match=message):
        Part(other_aggregates, savepoint=tmp_path / "savepoint")
    rest = Part(with_a_filter, savepoint=tmp_path / "savepoint")
    assert counted(first.results + rest.results) == counted(Part(only_groups).results)


@pytest.mark.long
def test_other_aggregates_are_refused_on_spark(tmp_path: Path) -> None:
    Part(only_groups, epochs=1, executor="spark", checkpoint=tmp_path / "checkpoint")
    message = r"state of 'table.stream.aggregate' of 'values': the checkpoint has .*max.*, this job .*avg"
    with pytest.raises(CheckpointMismatch, match=message):
        Part(other_aggregates, executor="spark", checkpoint=tmp_path / "checkpoint")


# -- upserts -------------------------------------------------------------------------------------------------


def upserts(env: Any, numbers: Any) -> Any:
    """Rows that replace each other, counted by what is in them."""
    t_env = StreamTableEnvironment.create(env)
    kinds = Types.ROW_NAMED(["id", "size"], [Types.LONG(), Types.LONG()])
    rows = numbers.map(
        lambda n: Row.of_kind(RowKind.DELETE if n % 11 == 0 else RowKind.UPDATE_AFTER, n % 70, n % 13), kinds
    )
    schema = Schema.new_builder().column("id", "BIGINT NOT NULL").column("size", "BIGINT").primary_key("id").build()
    t_env.create_temporary_view("sizes", t_env.from_changelog_stream(rows, schema, ChangelogMode.upsert()))
    counts = changes(t_env, "counts", "SELECT size, COUNT(*) FROM sizes GROUP BY size")
    return counts.union(changes(t_env, "rows", "SELECT * FROM sizes"))


def test_upserts_go_on(tmp_path: Path) -> None:
    more = {"parallelism.default": "1"}
    first = Part(upserts, epochs=2, parallelism=1, more=more)
    first.handle.savepoint(tmp_path / "savepoint")
    rest = Part(upserts, savepoint=tmp_path / "savepoint", parallelism=1, more=more)
    left: dict[int, int] = {}
    for n in range(1, END + 1):
        left[n % 70] = n % 13
        if n % 11 == 0:
            del left[n % 70]
    sizes = [*left.values()]
    expected = [("rows", "+I", *pair) for pair in left.items()]
    expected += [("counts", "+I", size, sizes.count(size)) for size in set(sizes)]
    assert folded(first.results + rest.results) == folded(expected)
    assert counted(first.results + rest.results) == counted(Part(upserts, parallelism=1).results)


def test_upserts_need_a_primary_key() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    stream = env.from_collection([(1,)], type_info=Types.ROW_NAMED(["a"], [Types.INT()]))
    t_env = StreamTableEnvironment.create(env)
    for schema in (None, Schema.new_builder().column("a", "INT").build()):
        with pytest.raises(ValidationError, match="replace each other by a primary key"):
            t_env.from_changelog_stream(stream, schema, ChangelogMode.upsert())
    schema = Schema.new_builder().column("a", "INT").primary_key("b").build()
    with pytest.raises(ValidationError, match="column 'b'"):
        t_env.from_changelog_stream(stream, schema, ChangelogMode.upsert())


# -- time to live --------------------------------------------------------------------------------------------


def forgetting(ttl: str, mini_batch: bool = False) -> Any:
    """The group aggregate and the joins, with a time to live."""

    def build(env: Any, numbers: Any) -> Any:
        t_env = tables(env, numbers)
        t_env.get_config().set("table.exec.state.ttl", ttl)
        t_env.get_config().set("table.exec.mini-batch.enabled", str(mini_batch).lower())
        outer = QUERIES["joined"].replace("JOIN", "FULL JOIN")
        first, *others = [
            changes(t_env, name, query) for name, query in [*QUERIES.items(), ("outer", outer)] if name != "windows"
        ]
        return first.union(*others, numbers.map(lambda n: ("seen", n)))

    return build


def _changes(*parts: Part) -> list[Any]:
    return [each for part in parts for each in part.results if each[0] != "seen"]


@pytest.mark.parametrize("mini_batch", [False, True])
def test_what_did_not_change_for_its_time_is_forgotten(
    mini_batch: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Part(forgetting("2 h", mini_batch), epochs=1)
    first.handle.savepoint(tmp_path / "savepoint")
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + 3 * 3_600_000_000_000)
    rest = Part(forgetting("2 h", mini_batch), savepoint=tmp_path / "savepoint")
    seen = [each[1] for each in rest.results if each[0] == "seen"]
    assert 0 < len(seen) < END
    groups = [[n for n in seen if n % 97 == k] for k in range(97)]
    joined = [(n % 400, n) for n in seen if n % 400 in seen]
    alone = {n for n in seen if not any(n == x for x, _ in joined)}
    partners = {y for _, y in joined}
    expected = [
        *(("groups", "+I", n[0] % 97, len(n), sum(n), max(n)) for n in groups if n),
        *(("joined", "+I", x, y) for x, y in joined),
        *(("outer", "+I", x, y) for x, y in joined),
        *(("outer", "+I", n, None) for n in alone),
        *(("outer", "+I", None, n) for n in seen if n not in partners),
    ]
    assert folded(_changes(rest)) == folded(expected)


@pytest.mark.parametrize("mini_batch", [False, True])
def test_what_changed_within_its_time_is_kept(mini_batch: bool, tmp_path: Path) -> None:
    first = Part(forgetting("1 h", mini_batch), epochs=2)
    first.handle.savepoint(tmp_path / "savepoint")
    rest = Part(forgetting("2 h", mini_batch), savepoint=tmp_path / "savepoint", parallelism=3)
    whole = Part(forgetting("0 ms", mini_batch))
    assert folded(_changes(first, rest)) == folded(_changes(whole))
    if not mini_batch:
        assert counted(first.results + rest.results) == counted(whole.results)


def test_values_with_a_time_to_live_are_shown_with_their_time(tmp_path: Path) -> None:
    first = Part(forgetting("1 h"), epochs=1)
    first.handle.savepoint(tmp_path / "savepoint")
    done = CliRunner().invoke(command, ["show", "--operator", "table.stream.aggregate", str(tmp_path / "savepoint")])
    assert done.exit_code == 0, done.output
    counts = Counter(each[1] % 97 for each in first.results if each[0] == "seen")
    shown = [line.split(None, 3) for line in done.stdout.splitlines()[1:]]
    assert len(shown) == 20
    for _, _, key, value in shown:
        assert value.startswith(f"[{counts[int(key)]}, ")


#: A query of each operator that keeps something, and the names that its states have for people.
NAMED = {
    QUERIES["groups"]: {"(aggregates)"},
    QUERIES["windows"]: {"(windows)"},
    QUERIES["windows"].replace("TUMBLE", "HOP").replace("INTERVAL '90'", "INTERVAL '30' SECOND, INTERVAL '90'"): {
        "(open windows)",
        "(event-time timers)",
    },
    QUERIES["windows"].replace("TUMBLE", "CUMULATE").replace("INTERVAL '90'", "INTERVAL '30' SECOND, INTERVAL '90'"): {
        "(open windows)",
        "(event-time timers)",
    },
    QUERIES["windows"]
    .replace("MOD(n, 5)", "n")
    .replace("TUMBLE(TABLE numbers", "SESSION(TABLE numbers PARTITION BY n"): {
        "(open windows)",
        "(event-time timers)",
    },
    QUERIES["joined"]: {"(left)", "(right)"},
    "SELECT a.n AS x, b.n AS y FROM numbers AS a LEFT JOIN (SELECT MAX(n) AS n FROM numbers GROUP BY MOD(n, 9)) AS b "
    "ON a.n = b.n": {"(aggregates)", "(left)", "(right)"},
    "SELECT n, MOD(n, 5) AS r FROM numbers ORDER BY MOD(n, 5) LIMIT 3": {"(first rows)"},
    "SELECT DISTINCT MOD(n, 7) AS k FROM numbers": {"(aggregates)"},
}


def test_every_state_has_a_name(tmp_path: Path) -> None:
    def all_of(env: Any, numbers: Any) -> Any:
        t_env = tables(env, numbers)
        first, *others = [changes(t_env, f"q{i}", query) for i, query in enumerate(NAMED)]
        return first.union(*others)

    first = Part(all_of, epochs=1)
    first.handle.savepoint(tmp_path / "savepoint")
    done = CliRunner().invoke(command, ["ls", str(tmp_path / "savepoint")])
    assert done.exit_code == 0, done.output
    names = set(re.findall(r"\(.*?\)", done.stdout))
    assert names == set().union(*NAMED.values())


def test_state_with_and_without_times_does_not_fit(tmp_path: Path) -> None:
    first = Part(forgetting("1 h"), epochs=1)
    first.handle.savepoint(tmp_path / "savepoint")
    with pytest.raises(CheckpointMismatch, match="with the time of the last change"):
        Part(forgetting("0 ms"), savepoint=tmp_path / "savepoint")


# -- plans ---------------------------------------------------------------------------------------------------

SOURCE = """CREATE TABLE t (a INT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen')"""
BLACKHOLE = "'connector' = 'blackhole'"
UPSERTS = (
    "'connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'here:1', 'key.format' = 'json', "
    "'value.format' = 'json'"
)
COLUMNS = "k STRING, n BIGINT"
KEYED = f"{COLUMNS}, PRIMARY KEY (k) NOT ENFORCED"
COUNTS = "SELECT s, COUNT(*) FROM t GROUP BY s"
WINDOWS = (
    "SELECT s, {} FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY s, window_start, window_end"
)


def graph(*inserts: str, options: str = BLACKHOLE, columns: str = COLUMNS, mini_batch: bool = False) -> Any:
    """The job of INSERTs into a table ``o``, which takes rows as they come, whatever their keys."""
    env = StreamExecutionEnvironment.get_execution_environment()
    t_env = StreamTableEnvironment.create(env)
    t_env.get_config().set("table.exec.sink.upsert-materialize", "NONE")
    t_env.get_config().set("table.exec.mini-batch.enabled", str(mini_batch).lower())
    t_env.execute_sql(SOURCE)
    t_env.execute_sql(f"CREATE TABLE o ({columns}) WITH ({options})")
    statements = t_env.create_statement_set()
    for query in inserts:
        statements.add_insert_sql(f"INSERT INTO o {query}")
    statements.attach_as_datastream()
    return graph_of(env, "job")


def only(found: Any, kind: Any) -> Any:
    """The operator of a kind."""
    (op,) = found.of_kind(kind)
    return op


def test_uids_are_paths_from_the_sink() -> None:
    table = "table.default_catalog.default_database.o"
    query = f"SELECT x.s, SUM(x.n) FROM ({COUNTS}) AS x (s, n) JOIN t ON x.s = t.s GROUP BY x.s"
    uids = {op.uid for op in graph(query, COUNTS).operators if op.uid is not None}
    join = f"{table}.aggregate.join"
    assert uids == {
        *(table, f"{table}-2", f"{table}.aggregate", join, f"{join}.left.aggregate"),
        *(f"{join}.left.aggregate.watermark", "table.default_catalog.default_database.t.scan"),
    }


def test_queries_of_one_environment_have_their_own_uids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for _ in range(2):
        assert list(t_env.execute_sql("SELECT a, COUNT(*) FROM (VALUES (1)) AS v (a) GROUP BY a").collect())


@pytest.mark.parametrize(
    ("query", "before"),
    [
        (COUNTS, False),
        ("SELECT UPPER(s), COUNT(*) FROM t GROUP BY s", False),
        (f"{COUNTS} HAVING s > 'b'", False),
        (f"{COUNTS} HAVING COUNT(*) > 1", True),
        ("SELECT CAST(COUNT(*) AS STRING), COUNT(*) FROM t GROUP BY s", True),
        ("SELECT s || CAST(RAND() AS STRING), COUNT(*) FROM t GROUP BY s", True),
    ],
)
def test_upserts_need_no_replaced_rows(query: str, before: bool) -> None:
    assert only(graph(query, options=UPSERTS, columns=KEYED), GroupAggregate).before is before
    assert only(graph(query), GroupAggregate).before


def test_inner_aggregates_give_replaced_rows() -> None:
    query = f"SELECT s, COUNT(n) FROM ({COUNTS}) AS x (s, n) GROUP BY s"
    made = graph(query, options=UPSERTS, columns=KEYED).of_kind(GroupAggregate)
    assert [op.before for op in made] == [True, False]


@pytest.mark.parametrize(
    ("query", "mini_batch", "local"),
    [
        (COUNTS, False, 0),
        (COUNTS, True, 1),
        ("SELECT s, COUNT(DISTINCT a) FROM t GROUP BY s", True, 0),
        (f"SELECT s, SUM(n) FROM ({COUNTS}) AS x (s, n) GROUP BY s", True, 1),
        (WINDOWS.format("COUNT(*)"), False, 1),
        (WINDOWS.format("COUNT(DISTINCT a)"), False, 0),
        (
            WINDOWS.format("COUNT(*)").replace("TUMBLE(TABLE t", "SESSION(TABLE t PARTITION BY s"),
            False,
            0,
        ),
    ],
)
def test_phases(query: str, mini_batch: bool, local: int) -> None:
    found = graph(query, mini_batch=mini_batch)
    assert len(found.of_kind(LocalAggregate)) == local
    assert [op.parts for op in (*found.of_kind(GroupAggregate), *found.of_kind(WindowAggregate))].count(True) == local


def test_layouts() -> None:
    found = graph(WINDOWS.format("COUNT(DISTINCT a)"), COUNTS)
    assert only(found, WindowAggregate).layout == "count(DISTINCT INT) by (STRING) and tumble windows of 60000 ms"
    assert only(found, GroupAggregate).layout == "count() by (STRING)"


def test_state_that_grows_is_told_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'datagen', 'rows-per-second' = '10')")
    with caplog.at_level(logging.WARNING), t_env.execute_sql("SELECT a, COUNT(*) FROM t GROUP BY a").collect() as rows:
        for _ in range(15):
            next(rows)
    told = [record.getMessage() for record in caplog.records if getattr(record, "kind", "") == "state-grows"]
    assert len(told) == 1
    assert "'GroupAggregate(select=[a, " in told[0]
    assert "(table.query.aggregate)" in told[0]
    assert "table.exec.state.ttl" in told[0]


def test_state_of_an_input_that_ends_is_not_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    with caplog.at_level(logging.WARNING):
        list(t_env.execute_sql("SELECT a, COUNT(*) FROM (VALUES (1)) AS v (a) GROUP BY a").collect())
    assert not [record for record in caplog.records if getattr(record, "kind", "") == "state-grows"]
