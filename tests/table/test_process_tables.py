"""Process table functions: tables as arguments, state, timers, calls by SQL and the Table API, and errors."""

from __future__ import annotations

import pytest

from datastream.config.settings import settings
from datastream.errors import DataStreamError, UnsupportedOperation, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from datastream.table.catalogs.errors import TableException
from datastream.table.expressions import col, descriptor, lit
from datastream.table.udf import udptf, udtf
from tests.table import process_functions as functions


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")


NAMES = "CREATE TEMPORARY VIEW names AS SELECT * FROM (VALUES ('Bob'), ('Alice'), ('Bob')) AS t (name)"


@pytest.fixture
def tables(tmp_path):
    return environment(tmp_path)


def environment(folder, mode="streaming"):
    settings_of = EnvironmentSettings.in_batch_mode if mode == "batch" else EnvironmentSettings.in_streaming_mode
    env = TableEnvironment.create(settings_of())
    env.get_config().set("parallelism.default", "1")
    env.get_config().set("table.local-time-zone", "UTC")
    of_module = (each for each in vars(functions).values() if getattr(each, "__module__", "") == functions.__name__)
    for each in of_module:
        if issubclass(each, functions.ProcessTableFunction) and each.__name__ not in BROKEN:
            env.create_temporary_system_function(each.__name__, each())
    env.execute_sql(NAMES)
    env.execute_sql("CREATE TEMPORARY VIEW counts AS SELECT name, COUNT(*) AS c FROM names GROUP BY name")
    return env


def rowtimes(env, folder, name, columns, lines, kind="TIMESTAMP(3)"):
    (folder / name).write_text("\n".join(lines) + "\n")
    env.execute_sql(
        f"CREATE TABLE {name} ({columns}, ts {kind}, WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', "
        f"'format' = 'csv', 'path' = '{folder / name}')"
    )


def visits(env, folder):
    lines = [f"{n},2025-01-01 00:{m:02d}:00" for n, m in (("Bob", 1), ("Alice", 2), ("Bob", 30))]
    rowtimes(env, folder, "visits", "name STRING", lines)


def rows(result):
    with result.execute().collect() if hasattr(result, "execute") else result.collect() as found:
        return [tuple(map(str, row)) for row in found]


def sql(env, text):
    return rows(env.execute_sql(text))


def described(env, text):
    return [(c.name, str(c.type)) for c in env.sql_query(text).get_resolved_schema().get_columns()]


BROKEN = {
    "StateOfNumber": r"StateOfNumber.eval, parameter state: a state is a dataclass, a ListView, a MapView, or a Row",
    "StateWithoutDefaults": r"parameter state: all fields of NoDefaults need defaults",
    "StateOfUnknown": r"parameter state.things: there is no data type for the type hint",
    "StateOfRows": r"parameter state: only a function of tables with set semantics keeps state",
    "WithoutHint": r"parameter input: say what it is: Annotated\[Row, ArgumentHint",
    "WithoutTable": r"WithoutTable.eval takes no table",
    "OtherTimer": r"OtherTimer.on_timer: the parameter counts names no state: eval has the states state",
}


class TestExamples:
    def test_greeting(self, tables):
        expected = [("Hello Bob!",), ("Hello Alice!",), ("Hello Bob!",)]
        assert sql(tables, "SELECT * FROM Greeting(TABLE names)") == expected
        assert sql(tables, "SELECT * FROM TABLE(Greeting(input => TABLE names)) AS t (x) WHERE x <> ''") == expected
        assert described(tables, "SELECT * FROM Greeting(TABLE names)") == [("EXPR$0", "VARCHAR")]

    def test_memory(self, tables):
        found = sql(tables, "SELECT * FROM GreetingWithMemory(TABLE names PARTITION BY name)")
        assert found == [
            ("Bob", "Hello Bob, your 1 time?"),
            ("Alice", "Hello Alice, your 1 time?"),
            ("Bob", "Hello Bob, your 2 time?"),
        ]

    def test_follow_up(self, tables, tmp_path):
        visits(tables, tmp_path)
        query = "SELECT * FROM GreetingWithFollowUp(input => TABLE visits PARTITION BY name, on_time => DESCRIPTOR(ts))"
        stay = "I hope you enjoy your stay! (follow-up)"
        assert sorted(sql(tables, query)) == sorted(
            [
                ("Bob", "Hello Bob, your 1 time?", "2025-01-01 00:01:00"),
                ("Alice", "Hello Alice, your 1 time?", "2025-01-01 00:02:00"),
                ("Bob", "Hello Bob, your 2 time?", "2025-01-01 00:30:00"),  # before the watermark has passed 00:02
                ("Alice", f"Hello Alice, {stay}", "2025-01-01 00:03:00"),
                ("Bob", f"Hello Bob, {stay}", "2025-01-01 00:31:00"),
            ]
        )
        columns = tables.sql_query(query).get_resolved_schema().get_columns()
        assert columns[-1].name == "rowtime" and "ROWTIME" in str(columns[-1])

    def test_rowtime_is_a_time_attribute(self, tables, tmp_path):
        visits(tables, tmp_path)
        call = "GreetingWithFollowUp(input => TABLE visits PARTITION BY name, on_time => DESCRIPTOR(ts))"
        query = f"""
            SELECT window_start, COUNT(*) FROM TUMBLE((SELECT * FROM {call}), DESCRIPTOR(rowtime), INTERVAL '10' MINUTE)
            GROUP BY window_start, window_end"""
        assert sorted(sql(tables, query)) == [("2025-01-01 00:00:00", "3"), ("2025-01-01 00:30:00", "2")]

    def test_last_purchase_of_two_tables(self, tables):
        tables.execute_sql(
            "CREATE TEMPORARY VIEW purchases AS SELECT * FROM (VALUES (1, 'Bob', 'shoe')) AS t (id, customer, item)"
        )
        query = (
            "SELECT * FROM GreetingWithLastPurchase(visit => TABLE names PARTITION BY name, "
            "purchase => TABLE purchases PARTITION BY customer)"
        )
        found = sql(tables, query)
        assert {row[:2] for row in found} == {("Bob", "Bob"), ("Alice", "Alice")} and len(found) == 3
        assert ("Alice", "Alice", "Hello Alice, let me remind you of None") in found
        assert [name for name, _ in described(tables, query)] == ["name", "customer", "EXPR$0"]

    def test_join_of_orders_and_payments(self, tables, tmp_path):
        rowtimes(
            tables, tmp_path, "orders", "id INT, item STRING",
            ["1,shoe,2025-01-01 08:00:00", "2,hat,2025-01-01 08:05:00"],
        )  # fmt: skip
        rowtimes(
            tables, tmp_path, "payments", "id INT, price DECIMAL(8, 2)",
            ["1,9.5,2025-01-01 08:30:00", "3,7,2025-01-01 08:40:00"],
        )  # fmt: skip
        query = (
            "SELECT * FROM Joiner(order => TABLE orders PARTITION BY id, payment => TABLE payments PARTITION BY id, "
            "on_time => DESCRIPTOR(ts){})"
        )
        found = sql(tables, query.format(""))
        assert sorted(row[:5] for row in found) == [
            ("1", "1", "shoe", "9.50", "paid"),
            ("2", "2", "hat", "None", "no payment"),
            ("3", "3", "None", "7.00", "no order"),
        ]
        times = {row[0]: row[5] for row in found}
        assert times["2"] == "2025-01-01 09:05:00" and times["3"] == "2025-01-01 09:40:00"
        later = {row[0]: row[5] for row in sql(tables, query.format(", hours => 1 + 1"))}
        assert later["2"] == "2025-01-01 10:05:00"

    def test_checkout(self, tables, tmp_path):
        events = [("ann", "ADD", "shoe", 0), ("bob", "ADD", "hat", 1), ("ann", "ADD", "shoe", 2)]
        events += [("ann", "CHECKOUT", "", 3), ("cid", "ADD", "bag", 9)]
        lines = [f"{user},{event},{item},2025-01-01 08:{m:02d}:00" for user, event, item, m in events]
        rowtimes(tables, tmp_path, "events", "user_id STRING, event STRING, item STRING", lines)
        query = (
            "SELECT * FROM CheckoutProcessor(events => TABLE events PARTITION BY user_id, on_time => DESCRIPTOR(ts), "
            "reminder => 300)"
        )
        assert sorted(sql(tables, query)) == [
            ("ann", "CHECKOUT", "{'shoe': 2}", "['shoe', 'shoe']", "2025-01-01 08:03:00"),
            ("bob", "REMINDER", "{'hat': 1}", "['hat']", "2025-01-01 08:06:00"),
            ("cid", "REMINDER", "{'bag': 1}", "['bag']", "2025-01-01 08:14:00"),
        ]


class TestTimers:
    def test_names(self, tables, tmp_path):
        visits(tables, tmp_path)
        found = sql(tables, "SELECT * FROM Timers(input => TABLE visits PARTITION BY name, on_time => DESCRIPTOR(ts))")
        alice = [row[1] for row in found if row[0] == "Alice"]
        now = 1735689720000
        assert alice[0] == f"row {now} [0]"
        assert sorted(alice[1:]) == [f"None {now + 300} True", f"first {now + 300} True", f"second {now + 300} True"]

    def test_need_time(self, tables):
        with pytest.raises(DataStreamError, match="timers are not available: WithoutTimer was called without on_time"):
            sql(tables, "SELECT * FROM WithoutTimer(TABLE names PARTITION BY name)")

    def test_need_the_method(self, tables, tmp_path):
        visits(tables, tmp_path)
        with pytest.raises(DataStreamError, match="timers are not available: WithoutTimer has no method on_timer"):
            sql(
                tables,
                "SELECT * FROM WithoutTimer(input => TABLE visits PARTITION BY name, on_time => DESCRIPTOR(ts))",
            )


class TestArguments:
    def test_pass_columns_through(self, tables, tmp_path):
        visits(tables, tmp_path)
        query = "SELECT * FROM Passing({}, 2, '!') WHERE name = 'Alice'"
        assert sql(tables, query.format("TABLE visits")) == [("Alice", "2025-01-01 00:02:00", "AliceAlice!")]
        only = "SELECT * FROM Passing(input => (SELECT name FROM visits LIMIT 1), factor => 1)"
        assert sql(tables, only) == [("Bob", "BobNone")]

    def test_updates(self, tables):
        found = sql(tables, "SELECT * FROM Kinds(TABLE counts PARTITION BY name)")
        assert [row[1] for row in found if row[0] == "Bob"] == ["+IBob 1 1", "+UBob 2 2"]
        whole = sql(tables, "SELECT * FROM Kinds(TABLE counts)")
        assert [row[0] for row in whole] == ["+IBob 1 1", "+IAlice 1 2", "-UBob 1 3", "+UBob 2 4"]
        every = sql(tables, "SELECT * FROM AllKinds(TABLE counts PARTITION BY name)")
        assert [row[1] for row in every if row[0] == "Bob"] == ["+IBob 1", "-UBob 1", "+UBob 2"]

    def test_registered_by_create_function(self, tables):
        tables.execute_sql(
            "CREATE FUNCTION memory AS 'tests.table.process_functions.GreetingWithMemory' LANGUAGE PYTHON"
        )
        found = sql(tables, "SELECT * FROM memory(TABLE names PARTITION BY name, uid => 'my-uid')")
        assert found[-1] == ("Bob", "Hello Bob, your 2 time?")

    def test_uid_is_that_of_the_operator(self, tables):
        query = "SELECT * FROM GreetingWithMemory(input => TABLE names PARTITION BY name, uid => 'my-uid')"
        assert "uid=[my-uid]" in tables.explain_sql(query)
        assert "uid=" not in tables.explain_sql(query.replace(", uid => 'my-uid'", ""))

    @pytest.mark.parametrize(
        "query",
        [
            "SELECT GreetingWithMemory(name) FROM names",
            "SELECT * FROM GreetingWithMemory('Bob')",
            "SELECT * FROM names, LATERAL TABLE(GreetingWithMemory(name))",
        ],
    )
    def test_without_its_table_it_says_how_it_is_called(self, tables, query):
        with pytest.raises(ValidationError, match=r"is a process table function.* FROM GreetingWithMemory\(TABLE t\)"):
            tables.execute_sql(query)


class TestTableApi:
    def test_process(self, tables):
        found = rows(tables.from_path("names").process(functions.Greeting()))
        assert found == [("Hello Bob!",), ("Hello Alice!",), ("Hello Bob!",)]

    def test_partition_by(self, tables):
        table = tables.from_path("names").partition_by(col("name"))
        expected = [("Bob", "Hello Bob, your 2 time?")]
        assert rows(table.process(functions.GreetingWithMemory()))[2:] == expected
        assert rows(table.process("GreetingWithMemory"))[2:] == expected
        assert rows(table.process(udptf(functions.GreetingWithMemory(), result_type="STRING")))[2:] == expected

    def test_arguments_by_name(self, tables, tmp_path):
        visits(tables, tmp_path)
        table = tables.from_path("visits")
        named = table.process("Passing", lit("!").as_argument("suffix"), lit(2).as_argument("factor"))
        assert rows(named)[0] == ("Bob", "2025-01-01 00:01:00", "BobBob!")
        partitioned = table.partition_by(col("name"))
        timed = partitioned.process("GreetingWithFollowUp", descriptor("ts").as_argument("on_time"))
        assert len(rows(timed)) == 5

    def test_from_call(self, tables):
        purchases = tables.sql_query("SELECT 'Bob' AS customer, 'shoe' AS item")
        found = tables.from_call(
            functions.GreetingWithLastPurchase(),
            purchases.partition_by(col("customer")).as_argument("purchase"),
            tables.from_path("names").partition_by(col("name")).as_argument("visit"),
        )
        assert len(rows(found)) == 3

    def test_is_no_expression(self, tables):
        with pytest.raises(ValidationError, match="GreetingWithMemory takes tables"):
            udptf(functions.GreetingWithMemory())(col("name"))


class TestMistakes:
    @pytest.mark.parametrize("name", BROKEN)
    def test_of_declarations(self, name):
        with pytest.raises(ValidationError, match=BROKEN[name]):
            udptf(getattr(functions, name)(), result_type="INT")

    @pytest.mark.parametrize(
        ("call", "column", "message"),
        [
            ("GreetingWithMemory(TABLE names)", 34, "'input' requires a PARTITION BY clause"),
            ("GreetingWithMemory(TABLE names PARTITION BY nme)", 34, r"Invalid column 'nme'.*\[name\]"),
            ("GreetingWithMemory(inpt => TABLE names PARTITION BY name)", 34, "'inpt': did you mean 'input'?"),
            ("GreetingWithMemory(input => 3)", 34, "the argument 'input' expects a table"),
            ("Greeting(TABLE names PARTITION BY name)", 24, "only tables with set semantics may be partitioned"),
            ("Greeting(input => TABLE names, uid => '%')", 46, "Invalid unique identifier"),
            ("Greeting(input => TABLE names, input => TABLE names)", 46, "'input' is given twice"),
            ("Greeting(input => TABLE names, TABLE names)", 46, "arguments by place come before those by name"),
            ("Passing(TABLE names, 'x')", 36, "'factor' expects a INT, got 'x', a CHAR"),
            ("Passing(TABLE names)", 15, "the argument 'factor' is missing"),
            ("Passing(TABLE names, CAST(RAND() * 10 AS INT))", 36, "'factor' must be a constant"),
            (
                "Passing(TABLE names, 1, 'a', DESCRIPTOR(name))",
                44,
                "must reference a TIMESTAMP or TIMESTAMP_LTZ column",
            ),
            ("Timers(TABLE names PARTITION BY name)", 15, "requires a time attribute"),
            ("Timers(input => TABLE names PARTITION BY name, on_time => DESCRIPTOR(t))", 62, "'t', which no table has"),
            ("split(TABLE names)", 15, "it is no process table function"),
        ],
    )
    def test_of_calls(self, tables, call, column, message):
        tables.create_temporary_system_function("split", udtf(lambda x: x.split(), result_types="STRING"))
        with pytest.raises(ValidationError, match=rf"line 1, column {column}: .*{message}"):
            tables.sql_query(f"SELECT * FROM {call}")

    def test_keys_of_other_types(self, tables):
        tables.execute_sql("CREATE TEMPORARY VIEW purchases AS SELECT 1 AS id, 'shoe' AS item")
        call = "GreetingWithLastPurchase(TABLE names PARTITION BY name, TABLE purchases PARTITION BY id)"
        with pytest.raises(ValidationError, match=r"Invalid PARTITION BY columns.*\[VARCHAR\(5\).*\], \[INT"):
            tables.sql_query(f"SELECT * FROM {call}")

    def test_updates(self, tables):
        query = "SELECT * FROM GreetingWithMemory(TABLE counts PARTITION BY name)"
        with pytest.raises(TableException, match=r"line 1, column 15: .*GreetingWithMemory.*'input' are updated"):
            tables.execute_sql(query)

    def test_order_by(self, tables):
        with pytest.raises(DataStreamError, match="ORDER BY in a table argument is not supported"):
            tables.sql_query("SELECT * FROM GreetingWithMemory(TABLE names PARTITION BY name ORDER BY name)")

    def test_batch_mode(self, tmp_path):
        with pytest.raises(UnsupportedOperation, match="streaming mode only"):
            environment(tmp_path, "batch").sql_query("SELECT * FROM Greeting(TABLE names)")

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (
                "Failing(TABLE names PARTITION BY name)",
                r"(?s)ZeroDivisionError.*process_functions.py",
            ),
            ("WrongResult(TABLE names)", "BIGINT"),
            ("WrongKind(TABLE names)", "WrongKind emits new rows only"),
            ("WrongState(TABLE names PARTITION BY name)", r"state.counter.*BIGINT.*it was put into a state"),
        ],
    )
    def test_of_functions(self, tables, call, message):
        with pytest.raises(DataStreamError, match=message) as raised:
            sql(tables, f"SELECT * FROM {call}")
        assert call.partition("(")[0] in str(raised.value) and "ProcessTableFunction" in str(raised.value)
