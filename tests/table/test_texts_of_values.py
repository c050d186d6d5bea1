"""Which texts are values of a type, as PyFlink 2.3 has it; the parity scripts of table_values have whole tables."""

from __future__ import annotations

from datetime import date, time
from typing import Any

import pytest

from datastream.config.settings import settings
from datastream.table import EnvironmentSettings, TableEnvironment

CASTS = [
    (
        "INT",
        [(".5", 0), ("-.5", 0), (".", 0), ("5.", 5), (" 5 ", 5), ("\t5", None), ("-", None), ("", None), ("1e3", None)],
    ),
    ("DOUBLE", [("0x1p3", 8.0), ("1d", 1.0), ("NaN ", "NaN"), ("nan", None), ("1_0", None)]),
    ("BOOLEAN", [("T", True), ("yes", True), (" true ", None), ("on", None)]),
    ("TIME(3)", [("13:00:00.1234567891", time(13, 0, 0, 123000)), ("013:00:00", time(13)), ("24:00:00", None)]),
    ("DATE", [(" 2024-01-31", date(2024, 1, 31)), ("2024-01-31 x", date(2024, 1, 31)), (" 2024-01-31 13:00:00", None)]),
    ("FLOAT", [("1.4e-45", "1.4E-45"), ("1e10", "1.0E10")]),
]
CSV = [
    (
        "DOUBLE",
        [
            ("1d", 1.0),
            ("0x1p3", 8.0),
            ("1e400", "Infinity"),
            ("nan", None),
            ("inf", None),
            ("1_0", None),
            (" 1.5 ", 1.5),
        ],
    ),
    ("INT", [("٣", 3), ("５", 5), (" 5 ", 5), ("1_0", None), ("5.0", None)]),
    ("DECIMAL(5, 2)", [("１", "1.00"), ("1.005", "1.01"), (" 1.5", None), ("1000", None)]),
    ("DATE", [("２０２４-01-01", date(2024, 1, 1)), ("1582-10-10", date(1582, 10, 20)), ("24-01-01", None)]),
    ("BYTES", [("", b""), ("YWI=", b"ab")]),
    ("ARRAY<INT>", [("", []), ("1;x;3", [1, None, 3]), (";", [None, None])]),
    ("ROW<x INT, y STRING>", [("1", "(1, NULL)"), ("1;a;b", "(1, a)"), ("x;a", "(NULL, a)")]),
]


@pytest.fixture
def tables(monkeypatch) -> TableEnvironment:
    monkeypatch.setattr(settings(), "executor", "local")
    made = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    made.get_config().set("parallelism.default", "1")
    return made


def values(tables: TableEnvironment, query: str) -> list[Any]:
    with tables.execute_sql(query).collect() as found:
        return [row[0] for row in found]


def checked(tables: TableEnvironment, value: str, source: str, expected: list[Any]) -> None:
    """The column has the values; where texts are expected, it is cast to them."""
    as_text = any(isinstance(each, str) for each in expected)
    found = values(tables, f"SELECT {f'CAST({value} AS STRING)' if as_text else value} FROM {source}")
    assert found == [None if each is None else str(each) if as_text else each for each in expected]


@pytest.mark.parametrize(("kind", "cases"), CASTS, ids=[kind for kind, _ in CASTS])
def test_casts(tables, kind, cases):
    tables.create_temporary_view("texts", tables.from_elements([(text,) for text, _ in cases], ["t"]))
    checked(tables, f"TRY_CAST(t AS {kind})", "texts", [each for _, each in cases])


@pytest.mark.parametrize(("kind", "cases"), CSV, ids=[kind for kind, _ in CSV])
def test_fields_of_csv(tables, tmp_path, kind, cases):
    (tmp_path / "f").write_text("".join(f"{text},x\n" for text, _ in cases))
    options = f"'connector'='filesystem', 'path'='{tmp_path}', 'format'='csv', 'csv.ignore-parse-errors'='true'"
    tables.execute_sql(f"CREATE TABLE t (a {kind}, b STRING) WITH ({options})")
    checked(tables, "a", "t", [each for _, each in cases])
