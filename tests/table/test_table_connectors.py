"""Connectors by name, their options, and the connectors without a server: datagen, print, blackhole."""

from __future__ import annotations

import importlib
import re
import sys
from decimal import Decimal

import pytest

from datastream import StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.errors import ValidationError
from datastream.table import DataTypes
from datastream.table.connectors import TableInfo, connector_for, connector_names, registry
from datastream.table.connectors.connector import TableConnector
from datastream.table.connectors.options import Option, read_options
from datastream.table.connectors.printing import row_printer
from datastream.table.plan.relations import Column
from datastream.testing.collecting import collect

INT_AND_TEXT = [("a", DataTypes.INT()), ("b", DataTypes.STRING())]


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")


def environment(parallelism=1) -> StreamExecutionEnvironment:
    return StreamExecutionEnvironment.get_execution_environment().set_parallelism(parallelism)


def table(options, columns=INT_AND_TEXT, **more) -> TableInfo:
    return TableInfo(("c", "d", "t"), tuple(Column(name, kind) for name, kind in columns), options=options, **more)


def generated(options, columns=INT_AND_TEXT, wanted=None, parallelism=1):
    info = table({"connector": "datagen", **options}, columns)
    names = [name for name, _ in columns] if wanted is None else wanted
    return collect(connector_for(info).scan(environment(parallelism), info, names))


# -- names and options ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "'connector' is missing.*blackhole, cassandra, datagen"),
        ({"connector": "kafk"}, "no connector 'kafk', did you mean 'kafka'"),
        ({"connector": "zzz"}, r"no connector 'zzz'\. The connectors are: blackhole"),
        ({"connector": "datagen", "row-per-second": "1"}, "did you mean 'rows-per-second'"),
        ({"connector": "datagen", "rows-per-second": "many"}, "'rows-per-second': expected a whole number, got 'many'"),
        ({"connector": "datagen", "fields.a.kind": "other"}, "'fields.a.kind': expected one of random, sequence"),
        ({"connector": "datagen", "fields.c.kind": "random"}, "no option 'fields.c.kind'"),
        ({"connector": "datagen", "fields.a.kind": "sequence"}, "needs 'fields.a.start' and 'fields.a.end'"),
        ({"connector": "datagen", "fields.b.length": "0"}, "'fields.b.length'"),
        ({"connector": "print", "standard-error": "maybe"}, "expected true or false, got 'maybe'"),
        ({"connector": "filesystem", "format": "json"}, "'path' is missing"),
        ({"connector": "filesystem", "path": "/x"}, "'format' is missing"),
        ({"connector": "filesystem", "path": "/x", "format": "jsn"}, "no format 'jsn', did you mean 'json'"),
        ({"connector": "filesystem", "path": "/x", "format": "json", "json.fail": "1"}, "no option 'json.fail'"),
        ({"connector": "kafka", "topic": "t", "format": "json"}, "'properties.bootstrap.servers' is missing"),
        ({"connector": "upsert-kafka", "topic": "t"}, "needs a PRIMARY KEY"),
    ],
)
def test_what_is_wrong_is_named(options, message):
    with pytest.raises(ValidationError, match=message) as error:
        connector_for(table(options))
    assert "table `c`.`d`.`t`" in str(error.value)


def test_kinds_of_options():
    options = [Option(kind, kind) for kind in ("duration", "memory", "list", "map", "double")]
    given = {"duration": "3 min", "memory": "2mb", "list": "a; b", "map": "k:v,l:w", "double": "0.5"}
    found = dict(read_options(given, options, "x"))
    assert found == {
        "duration": 180_000,
        "memory": 2 << 20,
        "list": ("a", "b"),
        "map": {"k": "v", "l": "w"},
        "double": 0.5,
    }
    with pytest.raises(ValidationError, match="x: option 'memory': expected an amount of bytes"):
        read_options({"memory": "2 miles"}, options, "x")


def test_what_can_only_be_read_or_written():
    source, sink = table({"connector": "datagen"}), table({"connector": "print"})
    with pytest.raises(ValidationError, match="only be used as a sink"):
        connector_for(sink).scan(environment(), sink, ["a"])
    with pytest.raises(ValidationError, match="only be used as a source"):
        connector_for(source).sink(environment().from_collection([1]), source, False, "out")
    assert connector_for(sink).takes_updates(sink) and not connector_for(source).takes_updates(source)


def test_the_error_of_updates_names_each_connector_that_takes_them():
    named = registry.connectors_of_updates()
    assert "redis with 'data-type' = 'string', 'hash' or 'set'" in named
    for name in connector_names():
        connector = registry.find_connector(name)
        takes = type(connector).takes_updates is not TableConnector.takes_updates
        kept = name not in ("blackhole", "print")
        assert (re.search(rf"\b{name}\b(?!-)", named) is not None) is (takes and kept), name


def test_a_package_brings_a_connector(tmp_path, monkeypatch):
    folder = tmp_path / "acme-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    points = [
        "[datastream.table_connectors]",
        "acme = acme_table:Acme",
        "bad = acme_table:nothing",
        "no = acme_table:N",
    ]
    (folder / "entry_points.txt").write_text("\n".join(points))
    (tmp_path / "acme_table.py").write_text(
        "from datastream.table.connectors.blackhole import BlackholeConnector\n"
        "class Acme(BlackholeConnector):\n    name = 'acme'\n"
        "class N: pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    registry._plugins.cache_clear()
    try:
        assert type(connector_for(table({"connector": "acme"}))).__name__ == "Acme"
        assert "acme" in connector_names()
        with pytest.raises(ValidationError, match="the package acme, cannot be imported: AttributeError"):
            connector_for(table({"connector": "bad"}))
        with pytest.raises(ValidationError, match="must be a subclass of TableConnector"):
            connector_for(table({"connector": "no"}))
    finally:
        sys.modules.pop("acme_table", None)
        importlib.invalidate_caches()
        registry._plugins.cache_clear()


# -- datagen ----------------------------------------------------------------------------------------


def test_a_sequence_ends_the_table():
    options = {"fields.a.kind": "sequence", "fields.a.start": "5", "fields.a.end": "1004", "fields.b.length": "3"}
    rows = generated(options, parallelism=3)
    assert sorted(row[0] for row in rows) == list(range(5, 1005))
    assert {len(row[1]) for row in rows} == {3} and len({row[1] for row in rows}) > 100
    assert sorted(generated(options, wanted=["a"])) == [(n,) for n in range(5, 1005)]
    assert generated({**options, "number-of-rows": "2"}, wanted=[]) == [(), ()]


def test_random_values_are_within_their_bounds():
    inner = DataTypes.ROW([DataTypes.FIELD("x", DataTypes.DOUBLE()), DataTypes.FIELD("y", DataTypes.BOOLEAN())])
    columns = [
        ("tiny", DataTypes.TINYINT()),
        ("big", DataTypes.BIGINT()),
        ("number", DataTypes.DECIMAL(6, 2)),
        ("real", DataTypes.FLOAT()),
        ("at", DataTypes.TIMESTAMP(3)),
        ("list", DataTypes.ARRAY(DataTypes.INT())),
        ("map", DataTypes.MAP(DataTypes.STRING(), DataTypes.INT())),
        ("row", inner),
        ("data", DataTypes.BYTES()),
        ("code", DataTypes.CHAR(4)),
    ]
    options = {"number-of-rows": "300", "fields.tiny.min": "-3", "fields.tiny.max": "3", "fields.list.length": "2"}
    options |= {
        "fields.row.x.min": "0",
        "fields.row.x.max": "1",
        "fields.list.element.max": "0",
        "fields.number.min": "1",
    }
    options |= {"fields.big.null-rate": "0.5", "fields.map.key.length": "5", "fields.data.length": "7"}
    rows = generated(options, columns)
    assert len(rows) == 300 and {row[0] for row in rows} == set(range(-3, 4))
    assert 50 < sum(row[1] is None for row in rows) < 250
    for _, big, number, real, at, items, entries, (x, y), data, code in rows:
        assert big is None or -(2**63) <= big < 2**63
        assert Decimal("1.00") <= number <= Decimal("9999.99") and number.as_tuple().exponent == -2
        assert isinstance(real, float) and isinstance(at, int) and at % 1000 == 0
        assert type(items) is tuple and len(items) == 2 and max(items) <= 0
        assert {len(key) for key in entries} == {5} and 0 <= x <= 1 and type(y) is bool
        assert len(data) == 7 and len(code) == 4


def test_rows_are_the_same_whenever_they_are_read():
    from datastream.table.connectors.datagen import _RowsReader
    from datastream.table.connectors.generators import field_options, generator

    options = read_options({}, list(field_options("fields.a", DataTypes.STRING())), "x")
    made = {"a": generator("fields.a", DataTypes.STRING(), options)}

    def rows(*splits):
        return [row for split in splits for batch in _RowsReader(made, "job").read(split) for row in batch.records]

    assert rows((10, 700, 0)) == rows((10, 300, 0), (300, 301, 0), (301, 700, 0))
    assert len(set(rows((0, 700, 0)))) == 700


# -- print and blackhole ----------------------------------------------------------------------------


def test_rows_are_printed_as_flink_does(capsys):
    info = table({"connector": "print", "print-identifier": "p"})
    env = environment()
    connector_for(info).sink(
        env.from_collection([(0, 1, "a"), (1, 1, None), (2, 2, "b"), (3, 2, "b")]), info, True, "o"
    )
    connector_for(info).sink(env.from_collection([(7, "x, y")]), info, False, "o")
    hole = table({"connector": "blackhole"})
    connector_for(hole).sink(env.from_collection([(0, 1, "a")]), hole, True, "h")
    env.execute("prints")
    lines = capsys.readouterr().out.splitlines()
    assert sorted(lines) == sorted(
        ["p> +I[1, a]", "p> -U[1, null]", "p> +U[2, b]", "p> -D[2, b]", "p> +I[7, x, y]"],
    )


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (DataTypes.BOOLEAN(), True, "true"),
        (DataTypes.DOUBLE(), 1e10, "1.0E10"),
        (DataTypes.FLOAT(), 0.10000000149011612, "0.1"),
        (DataTypes.DECIMAL(5, 2), Decimal("1.50"), "1.50"),
        (DataTypes.DATE(), 19_753, "2024-01-31"),
        (DataTypes.TIME(), 45_000_000_000, "12:30"),
        (DataTypes.TIMESTAMP(3), 1_706_704_200_500_000, "2024-01-31T12:30:00.500"),
        (DataTypes.TIMESTAMP(3), -1_000_000, "1969-12-31T23:59:59"),
        (DataTypes.TIMESTAMP_LTZ(3), 1_706_704_200_000_000, "2024-01-31T12:30:00Z"),
        (DataTypes.BYTES(), b"\x01\xff", "[1, -1]"),
        (DataTypes.ARRAY(DataTypes.DATE()), (0, None), "[1970-01-01, null]"),
        (DataTypes.MAP(DataTypes.STRING(), DataTypes.DOUBLE()), {"b": 1.0, "a": None}, "{a=null, b=1.0}"),
        (DataTypes.ROW([DataTypes.FIELD("x", DataTypes.TIME())]), (0,), "+I[00:00]"),
        (DataTypes.INTERVAL(DataTypes.DAY(), DataTypes.SECOND()), 93_784_500_000, "PT26H3M4.5S"),
        (DataTypes.INTERVAL(DataTypes.YEAR(), DataTypes.MONTH()), -14, "P-1Y-2M"),
    ],
)
def test_printed_values(kind, value, text):
    assert row_printer([kind], False)((value,)) == f"+I[{text}]"
    assert row_printer([kind], True)((3, None)) == "-D[null]"
