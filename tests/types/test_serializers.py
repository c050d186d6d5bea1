"""Values as bytes in a stream, one after the other."""

import io
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.errors import FormatError, TypeMismatch
from datastream.types import PickleSerializer, Row, Types, TypeSerializer
from tests.support.draws import draws
from tests.support.formats.strategies import equal, types, values


def written(serializer, elements):
    stream = io.BytesIO()
    for element in elements:
        serializer.serialize(element, stream)
    return stream.getvalue()


@pytest.mark.long
@draws(1000)
@given(types(pickled=True).flatmap(lambda t: st.tuples(st.just(t), st.lists(values(t, surrogates=True), max_size=3))))
def test_values_follow_each_other(drawn):
    kind, elements = drawn
    serializer = pickle.loads(pickle.dumps(kind.create_serializer()))
    assert isinstance(serializer, TypeSerializer)
    stream = io.BytesIO(written(serializer, elements))
    assert equal([serializer.deserialize(stream) for _ in elements], elements)
    assert stream.read() == b""


@draws(300)
@given(types(depth=1).flatmap(lambda t: st.tuples(st.just(t), values(t))), st.integers(0, 100))
def test_bytes_that_are_cut_are_refused(drawn, cut):
    kind, element = drawn
    serializer = kind.create_serializer()
    data = written(serializer, [element])
    with pytest.raises(FormatError):
        serializer.deserialize(io.BytesIO(data[: cut % len(data)]))


def test_values_that_do_not_fit_are_refused():
    with pytest.raises(TypeMismatch, match="field a: expected Integer"):
        written(Types.ROW_NAMED(["a"], [Types.INT()]).create_serializer(), [Row(a="x")])
    for serializer in (PickleSerializer(), Types.LIST(Types.PICKLED_BYTE_ARRAY()).create_serializer()):
        with pytest.raises(FormatError, match="expected a value that pickle can write"):
            written(serializer, [[x for x in [(y for y in "")]]])


def test_bytes_of_another_type_are_refused():
    data = written(Types.STRING().create_serializer(), ["text"])
    with pytest.raises(FormatError):
        Types.INT().create_serializer().deserialize(io.BytesIO(data))
    with pytest.raises(FormatError, match="expected a pickled value"):
        PickleSerializer().deserialize(io.BytesIO(b"no pickle"))
    with pytest.raises(FormatError, match="ends inside"):
        Types.INT().create_serializer().deserialize(io.BytesIO(b"\xff\xff\xff\xff"))
