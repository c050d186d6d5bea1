"""Compact blocks: what comes out is what went in, whatever the type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream import Row, RowKind, Types
from datastream.errors import FormatError
from datastream.types.checking import checker
from datastream.types.compact import MARK, compact_blocks
from datastream.types.pickles import NotPicklableError
from datastream.types.received import received
from tests.support.draws import draws
from tests.support.formats.strategies import equal, types, values

PAIR = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])


@pytest.mark.long
@draws(1000)
@given(st.data())
def test_round_trip(data):
    kind = data.draw(types(pickled=True))
    become = received(kind) or (lambda value: value)
    records = [become(checker(kind)(value)) for value in data.draw(st.lists(values(kind), max_size=4))]
    blocks = compact_blocks(kind)
    if blocks is None:
        return
    found = blocks.loads(blocks.dumps(records))
    assert equal(found, records)
    assert repr(found) == repr(records), "to the names of fields and the signs of zeros"


def test_names_of_rows_inside_tuples_are_kept():
    kind = Types.TUPLE([Types.ROW([Types.LONG()])])
    assert compact_blocks(kind) is None, "the type does not know the names"


def test_types_without_a_compact_form_are_pickled():
    assert compact_blocks(None) is None
    assert compact_blocks(Types.PICKLED_BYTE_ARRAY()) is None
    assert compact_blocks(Types.ROW([Types.PICKLED_BYTE_ARRAY()])) is None


@pytest.mark.parametrize(
    "record",
    [
        Row.of_kind(RowKind.DELETE, a=1, b="x"),
        Row(a=2**64, b="x"),
        Row(a=1, b="\ud800"),
        Row(1, "x"),
        Row(b="x", a=1),
        (1, "x"),
    ],
)
def test_records_without_a_compact_form_are_pickled(record):
    blocks = compact_blocks(PAIR)
    data = blocks.dumps([Row(a=1, b="x"), record])
    assert data[:1] != MARK
    assert repr(blocks.loads(data)) == repr([Row(a=1, b="x"), record])
    if isinstance(record, Row):
        assert blocks.loads(data)[1].get_row_kind() is record.get_row_kind()


def test_a_record_that_cannot_be_written_is_named():
    lock = Row(a=1, b=(i for i in ()))
    with pytest.raises(NotPicklableError) as caught:
        compact_blocks(PAIR).dumps([Row(a=1, b="x"), lock])
    assert caught.value.record is lock


def test_values_of_another_type_are_found():
    blocks = compact_blocks(PAIR)
    with pytest.raises(FormatError, match="changed after its type was tested"):
        blocks.loads(blocks.dumps([Row(a="one", b="x")]))
