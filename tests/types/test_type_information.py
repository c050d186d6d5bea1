"""Type information: printing, comparing, refusing."""

import pickle

import pytest
from hypothesis import given

from datastream.errors import TypeMismatch, UnsupportedOperation, ValidationError
from datastream.functions import OutputTag
from datastream.types import RowTypeInfo, Types
from tests.support.draws import draws
from tests.support.formats.strategies import types

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
    (Types.VOID(), "Void"),
    (Types.LOCAL_DATE(), "LocalDate"),
    (Types.LOCAL_TIME(), "LocalTime"),
    (Types.LOCAL_DATE_TIME(), "LocalDateTime"),
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


@draws(1000)
@given(types(pickled=True, empty_rows=True))
def test_every_type_survives_pickle(kind):
    copy = pickle.loads(pickle.dumps(kind))
    assert copy == kind
    assert repr(copy) == repr(kind)
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


@pytest.mark.parametrize("names", [["a"], ["a", "a"], "ab", [1, 2]])
def test_row_refuses_names_that_do_not_fit(names):
    with pytest.raises(ValidationError, match="names"):
        Types.ROW_NAMED(names, [Types.INT(), Types.INT()])


@pytest.mark.parametrize("element", [Types.STRING(), Types.BIG_INT(), Types.LIST(Types.INT())])
def test_primitive_array_refuses_other_elements(element):
    with pytest.raises(TypeError, match="expected one of BOOLEAN, .* found"):
        Types.PRIMITIVE_ARRAY(element)


def test_factories_may_stand_uncalled_inside_other_types():
    text, number = Types.STRING(), Types.INT()
    assert Types.ROW([Types.STRING, Types.INT]) == Types.ROW([text, number])
    assert repr(Types.ROW_NAMED(["a"], [Types.STRING])) == "RowTypeInfo(a: String)"
    assert Types.TUPLE([Types.STRING, number]) == Types.TUPLE([text, number])
    assert Types.LIST(Types.STRING) == Types.LIST(text)
    assert Types.MAP(Types.STRING, Types.INT) == Types.MAP(text, number)
    assert Types.PRIMITIVE_ARRAY(Types.INT) == Types.PRIMITIVE_ARRAY(number)
    assert Types.BASIC_ARRAY(Types.STRING) == Types.BASIC_ARRAY(text)
    assert Types.OBJECT_ARRAY(Types.STRING) == Types.OBJECT_ARRAY(text)
    assert OutputTag("row", [Types.INT]).type_info == Types.ROW([number])
    assert pickle.loads(pickle.dumps(Types.LIST(Types.STRING))) == Types.LIST(text)


@pytest.mark.parametrize(
    "wrong",
    [int, "INT", None, Types.LIST, [Types.INT()], lambda: Types.INT()],
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_what_is_no_type_is_refused(wrong):
    makers = [Types.LIST, Types.OBJECT_ARRAY, Types.PRIMITIVE_ARRAY, Types.BASIC_ARRAY]
    makers += [lambda kind: Types.ROW([kind]), lambda kind: Types.TUPLE([kind])]
    makers += [lambda kind: Types.MAP(kind, Types.INT()), lambda kind: Types.MAP(Types.INT(), kind)]
    for make in makers:
        with pytest.raises(TypeMismatch, match=r"expected a type such as Types.STRING\(\), found"):
            make(wrong)


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
