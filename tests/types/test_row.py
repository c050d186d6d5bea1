"""Rows: fields by position and name, comparing, pickling."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.types import Row, RowKind
from tests.support.draws import draws


def test_positional_row():
    row = Row(1, "a")
    assert (row[0], row[-1], row[0:2], list(row), len(row)) == (1, "a", [1, "a"], [1, "a"], 2)
    assert repr(row) == "<Row(1, 'a')>"
    assert 1 in row
    row[1] = "b"
    assert row == Row(1, "b")
    with pytest.raises(KeyError):
        row["name"]
    with pytest.raises(KeyError):
        row["name"] = 1
    with pytest.raises(AttributeError):
        row.name  # noqa: B018
    with pytest.raises(TypeError, match="no names"):
        row.as_dict()


def test_named_row():
    row = Row(name="Alice", age=11)
    assert (row["name"], row.age, row[0]) == ("Alice", 11, "Alice")
    assert repr(row) == "Row(name='Alice', age=11)"
    assert "name" in row
    assert "Alice" not in row
    row["age"] = 12
    row[0] = "Bob"
    assert row.as_dict() == {"name": "Bob", "age": 12}
    with pytest.raises(ValueError, match="no field 'size'"):
        row["size"]
    with pytest.raises(ValueError, match="no field 'size'"):
        row["size"] = 1
    with pytest.raises(AttributeError):
        row.size  # noqa: B018


@pytest.mark.parametrize("row", [Row(1), Row(a=1)])
def test_attributes_cannot_be_set(row):
    with pytest.raises(AttributeError):
        row.a = 2


def test_args_and_kwargs_exclude_each_other():
    with pytest.raises(ValueError, match="both args and kwargs"):
        Row(1, a=2)


def test_row_makes_rows():
    person = Row("name", "age")
    assert "name" in person
    assert person("Alice", 11) == Row(name="Alice", age=11)
    with pytest.raises(ValueError, match="expected 2 values"):
        person("Alice", 11, 12)


def test_field_names():
    row = Row(1, 2)
    row.set_field_names(["a", "b"])
    assert row == Row(a=1, b=2)
    assert row.get_fields_by_names(["b", "a"]) == [2, 1]
    with pytest.raises(ValueError, match="not exist"):
        row.get_fields_by_names(["c"])
    assert Row(1, 2).get_fields_by_names(["x", "y"]) == [1, 2]


def test_as_dict_recursive():
    row = Row(a=[Row(b=1)], c={"d": Row(e=2)}, f=Row(g=3))
    assert row.as_dict()["f"] == Row(g=3)
    assert row.as_dict(recursive=True) == {"a": [{"b": 1}], "c": {"d": {"e": 2}}, "f": {"g": 3}}


def test_fields_may_begin_with_an_underscore():
    row = Row(_id=1, _values=2)
    assert (row._id, row["_values"], row.get_fields_by_names(["_values"])) == (1, 2, [2])
    assert not hasattr(row, "_other")


def test_slices():
    row = Row(a=1, b=2, c=3)
    assert row[1:] == [2, 3]
    row[0:2] = [8, 9]
    assert list(row) == [8, 9, 3]
    assert list(reversed(row)) == [3, 9, 8]


def test_kinds():
    row = Row.of_kind(RowKind.DELETE, a=1)
    assert row.get_row_kind() is RowKind.DELETE
    assert row != Row(a=1)
    row.set_row_kind(RowKind.INSERT)
    assert row == Row(a=1)
    assert [str(kind) for kind in RowKind] == ["+I", "-U", "+U", "-D"]


def test_equality_and_hash():
    assert Row(a=1, b=2) == Row(b=2, a=1)
    assert hash(Row(a=1, b=2)) == hash(Row(b=2, a=1))
    assert Row(1, 2) != Row(a=1, b=2)
    assert Row(1, 2) != Row(2, 1)
    assert Row(1) != (1,)
    assert len({Row(1), Row(1), Row(2)}) == 2


def test_copies_are_independent():
    row = Row(a=[1])
    shallow, deep = copy.copy(row), copy.deepcopy(row)
    row["a"] = 0
    assert shallow == deep == Row(a=[1])


class Special(Row):
    pass


def test_classes_of_rows_survive_pickle():
    row = Special(a=1)
    row.note = "own"
    row.set_row_kind(RowKind.DELETE)
    for back in (pickle.loads(pickle.dumps(row)), copy.deepcopy(row)):
        assert type(back) is Special
        assert back == row
        assert back.note == "own"
        back["a"] = 2
    assert row.a == 1


VALUES = st.none() | st.integers() | st.text() | st.binary() | st.lists(st.integers())
ROWS = st.builds(lambda values: Row(*values), st.lists(VALUES)) | st.builds(
    lambda fields: Row(**fields), st.dictionaries(st.from_regex("[a-z]{1,4}", fullmatch=True), VALUES)
)


@draws(1000)
@given(row=ROWS, kind=st.sampled_from(RowKind), protocol=st.integers(2, pickle.HIGHEST_PROTOCOL))
def test_pickle_keeps_everything(row, kind, protocol):
    row.set_row_kind(kind)
    back = pickle.loads(pickle.dumps([row, Row(row)], protocol))
    assert back == [row, Row(row)]
    assert repr(back) == repr([row, Row(row)])
    assert back[0].get_row_kind() is kind


class Counted(Row):
    """A row with attributes of its own."""


def test_fields_that_rows_have_learnt_are_found_as_before():
    def read(row, name):
        try:
            return getattr(row, name)
        except AttributeError as error:
            return str(error)

    def look():
        mine = Counted(learnt=1)
        mine.learnt_too = 2
        return [
            *(read(row, "learnt") for row in (Row(learnt=1), Row(a=0, learnt=None), Row(1), Row(a=1), mine)),
            (mine.learnt_too, read(Row(learnt_too=3), "learnt_too"), read(mine, "nothing")),
            (hasattr(Row, "learnt"), hasattr(Row(1), "learnt"), copy.deepcopy(Row(learnt=[1])).learnt),
        ]

    first = look()
    assert first == look()
    assert first[:2] == [1, None] and first[2:4] == [
        "Row has no field 'learnt': its fields have no names",
        "Row has no field 'learnt': it has ['a']",
    ]


def test_methods_come_before_fields_and_many_names_cost_no_memory():
    assert callable(Row(as_dict=1).as_dict)
    before = len(vars(Row))
    for i in range(3000):
        name = f"name_{i}"
        assert getattr(Row(**{name: i}), name) == i
    assert len(vars(Row)) <= before + 1000


def test_an_attribute_without_a_name_is_missing():
    assert getattr(Row(a=1), "", None) is None
