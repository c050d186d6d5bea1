"""Formats, printed tables and databases know a type by its traits alone."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from datastream.errors import ValidationError
from datastream.table.codegen.arrow_columns import arrow_type
from datastream.table.codegen.inside_types import inside_type
from datastream.table.connectors.formats import csv_writing, json_exact, json_fast
from datastream.table.connectors.jdbc_values import reader_of
from datastream.table.connectors.printing import row_printer
from datastream.table.results.cell_text import cell_text
from datastream.table.results.printing import type_widths
from datastream.table.types import type_traits
from datastream.table.types.logical_types import AtomicType, DataType
from datastream.table.types.type_traits import Traits, traits_of
from datastream.types import Types


class HourType(AtomicType):
    """An hour of the day: inside an int, as text ``7h``."""


def _text(value: int) -> str:
    return f"{value}h"


def _read(text: str) -> int:
    if not text.endswith("h"):
        raise ValueError("write it as 7h")
    return int(text[:-1])


class _Hour(Traits[HourType]):
    inside = Types.LONG()
    json_shape, json_words = str, "an HOUR"
    java_text = csv_text = staticmethod(_text)

    _WIDTH = 3
    _ARROW = ("int8",)

    def json_reader(self, standard: str) -> Any:
        return _read

    def shown(self, zone: dt.tzinfo) -> Any:
        return lambda value: f"{value} o'clock"


@pytest.fixture
def hour(monkeypatch: pytest.MonkeyPatch) -> DataType:
    monkeypatch.setitem(type_traits._TRAITS, HourType, _Hour)
    return HourType()


def test_a_new_type_needs_its_traits_alone(hour: DataType) -> None:
    message = [("h", hour)]
    assert json_fast.FastReader("sql", False).compiled(message)([b'{"h": "7h"}']) == [(7,)]
    assert json_exact.ExactReader("sql").row(b'{"h": "7h"}', message) == (7,)
    with pytest.raises(json_exact.WrongValue, match="an HOUR"):
        json_exact.ExactReader("sql").row(b'{"h": "7"}', message)
    assert csv_writing.text_of(hour)(7) == "7h"
    assert row_printer([hour], False)((7,)) == "+I[7h]"
    assert cell_text(hour, dt.UTC)(7) == "7 o'clock"
    assert type_widths(["h"], [hour]) == [len("<NULL>")]
    assert str(arrow_type(hour)) == "int8"
    assert inside_type(hour) == Types.LONG()


def test_a_type_without_a_form_is_refused_by_name(hour: DataType) -> None:
    with pytest.raises(ValidationError, match="columns of a database are not HOUR here"):
        reader_of(hour, "UTC", "t, column 'h'")


@pytest.mark.parametrize("kind", sorted(type_traits._TRAITS, key=lambda kind: kind.__name__))
def test_each_type_has_an_own_form_inside(kind: type[DataType]) -> None:
    assert type_traits._TRAITS[kind].inside != Traits.inside
    assert traits_of(HourType()).inside == Traits.inside
