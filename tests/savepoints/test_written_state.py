"""State that no job has made: a job that starts from it sees it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from datastream import KeyedProcessFunction, Types
from datastream.cli.state import command
from datastream.connectors.files import FileSink
from datastream.errors import CheckpointError, FunctionError, ValidationError
from datastream.formats import Encoder
from datastream.runtime.savepoints.manifest import read_manifest
from datastream.spark.state_view import open_reader
from datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from datastream.state_processor import KeyedStateBootstrapFunction, OperatorTransformation, SavepointWriter
from tests.support.processes import visible_lines
from tests.support.savepoints import Part

COUNT = ValueStateDescriptor("count", Types.LONG())


class Given(KeyedStateBootstrapFunction):
    """The count of each key, and a timer."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(COUNT)

    def process_element(self, value, ctx):
        self.count.update(value["count"])
        ctx.timer_service().register_processing_time_timer(1000 + ctx.get_current_key())


class Counting(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(COUNT)

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        yield "count", ctx.get_current_key(), self.count.value()

    def on_timer(self, timestamp, ctx):
        yield "timer", ctx.get_current_key(), timestamp


def counting(env, numbers):
    return numbers.key_by(lambda n: n % 100).process(Counting()).uid("counts")


def given(keys: int) -> Any:
    rows = [{"key": key, "count": 1_000_000 + key} for key in range(keys)]
    return OperatorTransformation.bootstrap_with(rows).key_by(lambda row: row["key"]).transform(Given())


@pytest.mark.parametrize("key_groups", ["128", "16"])
def test_a_job_starts_with_written_state(key_groups: str, tmp_path: Path) -> None:
    SavepointWriter.new_savepoint().with_operator("counts", given(20_000)).write(tmp_path / "s")
    assert read_manifest(tmp_path / "s").keys == 20_000
    part = Part(counting, savepoint=tmp_path / "s", parallelism=3, more={"pipeline.max-parallelism": key_groups})
    last = {key: count for what, key, count in part.results if what == "count"}
    assert last == {key: 1_000_020 + key for key in range(100)}
    assert sorted(r[1:] for r in part.results if r[0] == "timer") == [(key, 1000 + key) for key in range(20_000)]


def test_what_timers_give_at_once_is_committed(tmp_path: Path) -> None:
    def filed(env, numbers):
        results = counting(env, numbers)
        sink = FileSink.for_row_format(str(tmp_path / "out"), Encoder.simple_string_encoder()).build()
        results.filter(lambda result: result[0] == "timer").map(lambda result: str(result[1])).sink_to(sink)
        return results

    SavepointWriter.new_savepoint().with_operator("counts", given(50)).write(tmp_path / "s")
    Part(filed, savepoint=tmp_path / "s")
    assert sorted(map(int, visible_lines(tmp_path / "out"))) == list(range(50))


def test_aggregates(tmp_path: Path) -> None:
    def summed(env, numbers):
        pairs = numbers.map(lambda n: (n % 3, 1))
        return pairs.key_by(lambda p: p[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).uid("sums")

    records = [(0, 10), (1, 20), (1, 5)]
    keyed = OperatorTransformation.bootstrap_with(records).key_by(lambda p: p[0])
    made = keyed.reduce(lambda a, b: (a[0], a[1] + b[1]))
    SavepointWriter.new_savepoint(8).with_operator("sums", made).write(tmp_path / "s")
    found = dict(Part(summed, savepoint=tmp_path / "s").results)
    assert found == {0: 676, 1: 692, 2: 667}


def test_a_savepoint_with_more_and_less(tmp_path: Path) -> None:
    first = Part(counting, epochs=1)
    first.handle.savepoint(tmp_path / "first")
    more = SavepointWriter.from_existing_savepoint(tmp_path / "first").with_operator("others", given(5))
    more.write(tmp_path / "more")
    manifest = read_manifest(tmp_path / "more")
    assert manifest.keys == 105
    assert manifest.sources["numbers"]["offset"] == 501
    assert manifest.epoch == 0
    one = SavepointWriter.from_existing_savepoint(tmp_path / "more").remove_operator("others")
    one.remove_operator("counts").with_operator("counts", given(7)).write(tmp_path / "less")
    assert {(row.operator, row.key, row.value) for row in open_reader(tmp_path / "less").rows(state="count")} == {
        ("counts", key, 1_000_000 + key) for key in range(7)
    }
    rest = Part(counting, savepoint=tmp_path / "less")
    assert sum(r[0] == "count" for r in rest.results) == 1500
    with pytest.raises(ValidationError, match="has state of the operator 'counts'; call remove_operator"):
        SavepointWriter.from_existing_savepoint(tmp_path / "first").with_operator("counts", given(1)).write(
            tmp_path / "x"
        )
    with pytest.raises(ValidationError, match="has no operator 'other' to remove; there are: 'counts'"):
        SavepointWriter.from_existing_savepoint(tmp_path / "first").remove_operator("other").write(tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_what_is_wrong(tmp_path: Path) -> None:
    class Failing(KeyedStateBootstrapFunction):
        def process_element(self, value, ctx):
            raise KeyError(value)

    keyed = OperatorTransformation.bootstrap_with([7]).key_by(lambda n: n)
    with pytest.raises(FunctionError, match="KeyError: 7"):
        SavepointWriter.new_savepoint().with_operator("a", keyed.transform(Failing())).write(tmp_path / "s")
    assert not (tmp_path / "s").exists()
    for wrong in (0, 40_000, "8"):
        with pytest.raises(ValidationError, match="max_parallelism must be"):
            SavepointWriter.new_savepoint(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="bootstrap_with needs records"):
        OperatorTransformation.bootstrap_with(3)
    with pytest.raises(ValidationError, match="needs a KeyedStateBootstrapFunction"):
        keyed.transform(lambda value, ctx: None)  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="needs a StateBootstrapTransformation"):
        SavepointWriter.new_savepoint().with_operator("a", keyed)  # type: ignore[arg-type]
    with pytest.raises(CheckpointError, match="is not a savepoint"):
        SavepointWriter.from_existing_savepoint(tmp_path)


# -- the command -----------------------------------------------------------------------------------------

ROWS = [{"user": f"u{n}", "item": n % 2, "price": n * 1.5} for n in range(10)]


def table(folder: Path, form: str) -> Path:
    file = folder / f"rows.{form}"
    if form == "csv":
        with file.open("w", newline="") as out:
            writer = csv.DictWriter(out, list(ROWS[0]))
            writer.writeheader()
            writer.writerows(ROWS)
    elif form == "jsonl":
        file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    else:
        pq.write_table(pa.Table.from_pylist(ROWS), file)
    return file


def write(*args: object) -> Result:
    return CliRunner().invoke(command, ["write", *map(str, args)])


def test_columns_of_csv(tmp_path: Path) -> None:
    """Numbers that begin with zeros are text, a type may be given, and what is empty is refused."""
    file = tmp_path / "zip.csv"
    file.write_text("customer,zip,note\n1,01234,a\n2,10999,\n")

    def kept(key: str, value: str, *more: object) -> list[tuple[Any, Any]]:
        target = tmp_path / "-".join([key, value, *map(str, more)])
        done = write("--operator", "o", "--state", "s", "--key", key, "--value", value, *more, file, target)
        assert done.exit_code == 0, done.output
        return sorted((row.key, row.value) for row in open_reader(target).rows())

    assert kept("customer", "zip") == [(1, "01234"), (2, "10999")]
    assert kept("customer", "zip", "--type", "customer=STRING") == [("1", "01234"), ("2", "10999")]
    assert kept("customer", "zip", "--type", "zip=LONG") == [(1, 1234), (2, 10999)]
    done = write("--operator", "o", "--state", "s", "--key", "customer", "--value", "note", file, tmp_path / "x")
    assert done.exit_code and "row 2: the column 'note' is empty" in done.output
    done = write("--operator", "o", "--state", "s", "--key", "zip", "--value", "note", "--type", "zip", file, "x")
    assert done.exit_code == 2 and "--type takes COLUMN=TYPE" in done.output


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_values_of_a_file(form: str, tmp_path: Path) -> None:
    done = write(
        table(tmp_path, form),
        tmp_path / "s",
        "--operator",
        "o",
        "--state",
        "price",
        "--key",
        "user",
        "--value",
        "price",
    )
    assert done.exit_code == 0, done.output
    assert done.output.startswith("savepoint: 10 keys, ")
    found = {row.key: row.value for row in open_reader(tmp_path / "s").rows("o", "price")}
    assert found == {row["user"]: row["price"] for row in ROWS}


class Shown(KeyedProcessFunction):
    """Gives what the states of the key hold, once."""

    def open(self, runtime_context):
        anything = Types.PICKLED_BYTE_ARRAY()
        self.users = runtime_context.get_list_state(ListStateDescriptor("users", anything))
        self.prices = runtime_context.get_map_state(MapStateDescriptor("prices", anything, anything))

    def process_element(self, value, ctx):
        yield ctx.get_current_key(), sorted(self.users.get()), sorted(self.prices.items())


def test_lists_maps_and_a_further_state(tmp_path: Path) -> None:
    file = table(tmp_path, "parquet")
    users = write(
        file, tmp_path / "a", "--operator", "lists", "--state", "users", "--kind", "list", "--key", "item",
        "--value", "user", "--value", "price",
    )  # fmt: skip
    prices = write(
        file, tmp_path / "b", "--from-savepoint", tmp_path / "a", "--operator", "maps", "--state", "prices",
        "--kind", "map", "--map-key", "user", "--key", "item", "--value", "price",
    )  # fmt: skip
    assert (users.exit_code, prices.exit_code) == (0, 0), users.output + prices.output

    def shown(env, numbers):
        few = numbers.filter(lambda n: n <= 2).key_by(lambda n: n % 2)
        return few.process(Shown()).uid("lists").union(few.process(Shown()).uid("maps"))

    found = Part(shown, savepoint=tmp_path / "b").results
    lists = {key: sorted((r["user"], r["price"]) for r in ROWS if r["item"] == key) for key in (0, 1)}
    assert sorted(found) == sorted([(0, lists[0], []), (1, lists[1], []), (0, [], lists[0]), (1, [], lists[1])])


def test_an_aggregate_of_a_file(tmp_path: Path) -> None:
    options = ("--operator", "o", "--kind", "reduce", "--key", "user", "--value", "user", "--value", "price")
    assert write(table(tmp_path, "csv"), tmp_path / "s", *options).exit_code == 0
    found = {row.key: row.value for row in open_reader(tmp_path / "s").rows("o")}
    assert found["u4"] == ("u4", 6.0)
    assert read_manifest(tmp_path / "s").operators["o"]["kind"] == "reduce"


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--state", "s", "--key", "item", "--value", "user"], 1, "the key 0 has two rows in the state 's'"),
        (["--state", "s", "--key", "nobody", "--value", "user"], 2, "has no column 'nobody'; there are: user, item"),
        (["--key", "item", "--value", "user"], 2, "--state is missing"),
        (["--state", "s", "--kind", "map", "--key", "item", "--value", "user"], 2, "--map-key belongs to --kind map"),
        (["--kind", "reduce", "--key", "item", "--value", "user"], 2, "keeps whole records"),
        (["--state", "s", "--format", "parquet", "--key", "item", "--value", "user"], 2, "cannot be read as parquet"),
    ],
)
def test_wrong_options(options: list[str], code: int, message: str, tmp_path: Path) -> None:
    done = write(table(tmp_path, "csv"), tmp_path / "s", "--operator", "o", *options)
    assert message in done.output
    assert done.exit_code == code
    assert not (tmp_path / "s").exists()
