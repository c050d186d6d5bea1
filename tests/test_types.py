"""Type information: printing, comparing, refusing."""

import pickle

import pytest

from datastream.errors import UnsupportedOperation, ValidationError
from datastream.functions import OutputTag
from datastream.types import RowTypeInfo, Types

PRINTED = [
    (Types.STRING(), "String"),
    (Types.BYTE(), "Byte"),
    (Types.BOOLEAN(), "Boolean"),
    (Types.SHORT(), "Short"),
    (Types.INT(), "Integer"),
    (Types.LONG(), "Long"),
    (Types.FLOAT(), "Float"),
    (Types.DOUBLE(), "Double"),
    (Types.CHAR(), "Char"),
    (Types.BIG_INT(), "BigInteger"),
    (Types.BIG_DEC(), "BigDecimal"),
    (Types.INSTANT(), "Instant"),
    (Types.SQL_DATE(), "DateTypeInfo"),
    (Types.SQL_TIME(), "TimeTypeInfo"),
    (Types.SQL_TIMESTAMP(), "TimestampTypeInfo"),
    (Types.PICKLED_BYTE_ARRAY(), "PickledByteArrayTypeInfo"),
    (Types.ROW([Types.INT(), Types.STRING()]), "RowTypeInfo(Integer, String)"),
    (Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()]), "RowTypeInfo(a: Integer, b: String)"),
    (Types.TUPLE([Types.INT(), Types.STRING()]), "TupleTypeInfo(Integer, String)"),
    (Types.PRIMITIVE_ARRAY(Types.INT()), "PrimitiveArrayTypeInfo<Integer>"),
    (Types.BASIC_ARRAY(Types.STRING()), "BasicArrayTypeInfo<String>"),
    (Types.OBJECT_ARRAY(Types.SQL_DATE()), "ObjectArrayTypeInfo<DateTypeInfo>"),
    (Types.MAP(Types.STRING(), Types.LONG()), "MapTypeInfo<String, Long>"),
    (Types.LIST(Types.MAP(Types.INT(), Types.INT())), "ListTypeInfo<MapTypeInfo<Integer, Integer>>"),
]


@pytest.mark.parametrize(("kind", "text"), PRINTED, ids=[text for _, text in PRINTED])
def test_prints_as_in_pyflink_and_survives_pickle(kind, text):
    assert repr(kind) == text
    copy = pickle.loads(pickle.dumps(kind))
    assert copy == kind
    assert hash(copy) == hash(kind)


def test_types_differ_from_each_other():
    kinds = [kind for kind, text in PRINTED if text != "RowTypeInfo(a: Integer, b: String)"]
    assert len(set(kinds)) == len(kinds)


def test_rows_compare_by_field_types_only():
    assert Types.ROW([Types.INT()]) == Types.ROW_NAMED(["a"], [Types.INT()])
    assert Types.ROW([Types.INT()]) != Types.ROW([Types.LONG()])
    assert Types.ROW([Types.INT()]) != Types.TUPLE([Types.INT()])


def test_row_fields():
    named = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])
    assert named.get_field_names() == ["a", "b"]
    assert named.get_field_types() == [Types.INT(), Types.STRING()]
    assert named.get_field_index("b") == 1
    with pytest.raises(ValidationError, match="No field 'c'"):
        named.get_field_index("c")
    unnamed = Types.ROW([Types.INT(), Types.STRING()])
    assert unnamed.get_field_names() == ["f0", "f1"]
    assert unnamed.get_field_index("f0") == -1


@pytest.mark.parametrize("names", [["a"], ["a", "a"]])
def test_row_refuses_names_that_do_not_fit(names):
    with pytest.raises(ValidationError, match="names"):
        Types.ROW_NAMED(names, [Types.INT(), Types.INT()])


@pytest.mark.parametrize("element", [Types.STRING(), Types.BIG_INT(), Types.LIST(Types.INT()), int])
def test_primitive_array_refuses_other_elements(element):
    with pytest.raises(TypeError, match="Invalid element type"):
        Types.PRIMITIVE_ARRAY(element)


def test_java_types_are_refused():
    with pytest.raises(UnsupportedOperation, match="no Java"):
        Types.INT().get_java_type_info()


def test_output_tag():
    assert OutputTag("late").type_info == Types.PICKLED_BYTE_ARRAY()
    assert OutputTag("row", [Types.INT()]).type_info == RowTypeInfo([Types.INT()])
    tag = OutputTag("late", Types.INT())
    assert pickle.loads(pickle.dumps(tag)) == tag
    assert {tag: 1}[OutputTag("late", Types.INT())] == 1
    with pytest.raises(ValueError, match="empty"):
        OutputTag("")
    with pytest.raises(TypeError, match="type_info"):
        OutputTag("late", "INT")
