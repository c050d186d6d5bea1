"""Declared types: values are tested where they are declared, and cross exchanges unchanged."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pytest

from datastream import FunctionError, KeyedProcessFunction, Row, Types, ValidationError
from datastream.errors import TypeMismatch
from datastream.state import ValueStateDescriptor
from datastream.testing import case

EVENT = Types.ROW_NAMED(
    ["id", "name", "price", "at"], [Types.INT(), Types.STRING(), Types.DOUBLE(), Types.SQL_TIMESTAMP()]
)
AT = datetime(2024, 5, 1, 12, 30, 0, 250)


def failure(run, build, check="strict"):
    env = run.environment()
    env._configuration.set_string("datastream.types.check", check)
    with pytest.raises(FunctionError) as caught:
        run.collect(build(env))
    return caught.value


def collect(run, build, check):
    env = run.environment()
    env._configuration.set_string("datastream.types.check", check)
    return run.collect(build(env))


@case
def test_tuples_become_named_rows_at_the_source(env):
    got = yield env.from_collection([(1, "a", 2.5, AT)], type_info=EVENT).map(lambda r: (type(r) is Row, r.name, r))
    assert got == [(True, "a", Row(id=1, name="a", price=2.5, at=AT))]


@case
def test_dicts_and_ints_take_the_types_own_form(env):
    records = [{"at": None, "id": 1, "name": None, "price": 2}]
    got = yield env.from_collection(records, type_info=EVENT)
    assert got == [Row(id=1, name=None, price=2.0, at=None)]
    assert type(got[0].price) is float


@case
def test_typed_rows_cross_exchanges_unchanged(env):
    rows = [Row(id=i, name=f"n{i}\ud800" if i % 50 == 0 else f"n{i}", price=i / 3, at=AT) for i in range(200)]
    stream = env.from_collection(rows, type_info=EVENT)
    got = (
        yield stream.rebalance()
        .filter(lambda r: True)
        .key_by(lambda r: r.id % 7, key_type=Types.INT())
        .reduce(lambda a, b: b)
    )
    assert sorted(got, key=lambda r: r.id) == rows


@case
def test_nested_types_cross_exchanges_unchanged(env):
    inner = Types.ROW_NAMED(["x", "y"], [Types.BIG_DEC(), Types.LIST(Types.STRING())])
    outer = Types.TUPLE([Types.BIG_INT(), inner, Types.MAP(Types.STRING(), inner), Types.PRIMITIVE_ARRAY(Types.BYTE())])
    record = (2**90, Row(x=Decimal("1.10"), y=["a", None]), {"k": Row(x=None, y=[]), "n": None}, b"\x00\xff")
    small = (1, *record[1:])
    got = yield env.from_collection([record, small], type_info=outer).rebalance().map(lambda r: r, output_type=outer)
    assert sorted(got, key=str) == sorted([record, small], key=str)
    assert str(got[0][1].x) == "1.10"


@case
def test_row_kinds_cross_exchanges(env):
    from datastream import RowKind

    rows = [Row.of_kind(kind, 1) for kind in RowKind]
    got = yield env.from_collection(rows, type_info=Types.ROW([Types.INT()])).rebalance().map(lambda r: r)
    assert sorted(r.get_row_kind().value for r in got) == [kind.value for kind in RowKind]


@case
def test_key_types_are_tested_and_normalised(env):
    got = yield env.from_collection([1, 2]).key_by(lambda x: True, key_type=Types.BOOLEAN()).reduce(lambda a, b: a + b)
    assert got == [1, 3]


class KeyInHand(KeyedProcessFunction):
    """Each record's key, and how many the key has had."""

    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor("count", Types.INT()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        yield ctx.get_current_key(), self.count.value()


@pytest.mark.long_on_spark
@pytest.mark.parametrize(
    ("kind", "other"),
    [
        (Types.STRING(), "a"),
        (Types.LONG(), 1),
        (Types.BOOLEAN(), True),
        (Types.SQL_DATE(), date(2024, 1, 1)),
        (Types.TUPLE([Types.STRING(), Types.LONG()]), ("a", 1)),
        (Types.ROW([Types.INT()]), Row(1)),
    ],
    ids=str,
)
@pytest.mark.parametrize("parallelism", [1, 2])
def test_a_key_of_any_declared_type_may_be_none(run, kind, other, parallelism):
    env = run.environment(parallelism=parallelism)
    stream = env.from_collection([None, other, None, other, None]).key_by(lambda d: d, key_type=kind)
    found = run.collect(stream.process(KeyInHand()))
    assert sorted(found, key=str) == sorted([(None, 1), (None, 2), (None, 3), (other, 1), (other, 2)], key=str)


@pytest.mark.long_on_spark
@pytest.mark.parametrize("kind", ["map", "flat_map", "source", "reduce", "key"])
def test_a_value_that_does_not_fit_names_operator_path_type_and_value(run, kind):
    row = [(1, "a", "cheap", AT)]

    def build(env):
        if kind == "source":
            return env.from_collection(row, type_info=EVENT)
        numbers = env.from_collection([1], type_info=Types.INT())
        if kind == "map":
            return numbers.map(lambda x: row[0], output_type=EVENT).name("wrong")
        if kind == "flat_map":
            return numbers.flat_map(lambda x: row, output_type=EVENT).name("wrong")
        if kind == "key":
            return numbers.key_by(lambda x: str(x), key_type=Types.INT()).reduce(lambda a, b: a).name("wrong")
        return numbers.union(numbers).key_by(lambda x: 0).reduce(lambda a, b: 2**31).name("wrong")

    error = failure(run, build)
    text = str(error)
    assert "TypeMismatch" in text
    assert isinstance(error.__cause__, TypeMismatch)
    assert ("Collection Source" if kind == "source" else "operator 'wrong' failed") in text
    if kind == "reduce":
        assert "expected Integer (32 bits), found int 2147483648; it is out of range: use Types.LONG()" in text
    elif kind == "key":
        assert "expected Integer, found str '1'" in text and "declared type of the key" in text
    else:
        assert "field price: expected Double, found str 'cheap'" in text
        assert "record:   (1, 'a', 'cheap'" in text


def test_coerce_converts(run):
    records = [{"id": "7", "name": 5, "price": "1.5", "at": "2024-05-01T12:30:00"}]
    got = collect(run, lambda env: env.from_collection(records, type_info=EVENT), "coerce")
    assert got == [Row(id=7, name="5", price=1.5, at=datetime(2024, 5, 1, 12, 30))]


def test_coerce_still_refuses_what_it_cannot_convert(run):
    text = str(failure(run, lambda env: env.from_collection(["x"], type_info=Types.INT()), "coerce"))
    assert "expected Integer, found str 'x'" in text


def test_off_tests_nothing(run):
    def build(env):
        return env.from_collection(["x", None], type_info=Types.INT()).rebalance().map(lambda x: x, Types.DOUBLE())

    assert sorted(collect(run, build, "off"), key=str) == [None, "x"]


def none_for_two(env):
    numbers = env.from_collection([1, 2, 3], type_info=Types.INT())
    return numbers.map(lambda n: None if n == 2 else str(n), Types.STRING())


def test_the_next_function_of_a_chain_may_drop_what_is_not_of_its_type(run):
    assert sorted(collect(run, lambda env: none_for_two(env).filter(lambda text: text is not None), "flink")) == [
        "1",
        "3",
    ]


@case
def test_a_chain_that_is_too_long_for_one_function_is_one_chain(env):
    stream = env.from_collection([1, 2, 3], type_info=Types.INT())
    for _ in range(15):
        stream = stream.flat_map(lambda n: [None if n in (2, None) else n], Types.INT())
    got = yield stream.filter(lambda n: n is not None)
    assert sorted(got) == [1, 3]


@pytest.mark.parametrize("check", ["strict", "coerce"])
def test_strict_and_coerce_test_behind_each_operator(run, check):
    error = failure(run, lambda env: none_for_two(env).filter(lambda text: text is not None), check)
    assert "operator 'Map' failed: TypeMismatch: expected String, found NoneType None" in str(error)


def test_none_that_reaches_a_sink_names_the_operator_that_gave_it(run):
    error = failure(run, lambda env: none_for_two(env).filter(lambda text: True), "flink")
    assert "operator 'Map' failed: TypeMismatch: expected String, found NoneType None" in str(error)


def test_a_value_of_another_type_names_the_setting(run):
    error = failure(run, lambda env: env.from_collection([1]).map(lambda n: n, Types.STRING()), "flink")
    assert "-D datastream.types.check=coerce converts what it can" in str(error)


def test_an_unknown_setting_is_refused(run):
    env = run.environment()
    env._configuration.set_string("datastream.types.check", "maybe")
    with pytest.raises(ValidationError, match="flink, strict, coerce or off"):
        run.collect(env.from_collection([1]))


@case
def test_a_record_changed_after_its_test_is_not_bent(env):
    def spoil(row):
        row["id"] = 2**70  # more than an INT, and more than a compact block holds
        return True

    rows = [Row(id=1, name="a", price=1.0, at=AT)]
    got = yield env.from_collection(rows, type_info=EVENT).filter(spoil).rebalance().map(lambda r: r.id)
    assert got == [2**70]


def test_a_record_changed_to_another_type_is_an_error(run):
    def spoil(row):
        row["id"] = "seven"
        return True

    rows = [Row(id=1, name="a", price=1.0, at=AT)]
    text = str(failure(run, lambda env: env.from_collection(rows, type_info=EVENT).filter(spoil).rebalance().map(str)))
    assert "operator 'Filter' failed" in text and "changed after its type was tested" in text


def test_annotations_tell_the_type_where_none_is_declared(run):
    def length(word: str) -> int:
        return len(word)

    def letters(word: str) -> list[str]:
        return list(word)

    stream = run.environment().from_collection(["a"])
    assert stream.get_type() == Types.PICKLED_BYTE_ARRAY()
    assert stream.map(length).filter(bool).get_type() == Types.LONG()
    assert stream.flat_map(letters).key_by(lambda c: c).reduce(lambda a, b: a).get_type() == Types.STRING()
    assert stream.map(length, output_type=Types.INT()).get_type() == Types.INT()
    assert run.collect(stream.map(lambda w: None).filter(lambda x: True)) == [None], "nothing relies on a hint"


class Person:
    def __init__(self, name, age):
        self.name, self.age = name, age


PERSON = Types.ROW_NAMED(["name", "age"], [Types.STRING(), Types.INT()])


@case
def test_a_collection_of_objects_is_rows_of_their_attributes(env):
    kind = Types.ROW_NAMED(["id", "person"], [Types.INT(), PERSON])
    people = env.from_collection([Person("a", 1), {"name": "b"}, {"age": 3, "more": 4}, Row(age=5, name="d")], PERSON)
    got = yield people, env.from_collection([(1, Person("e", 6))], kind)
    assert got[0] == [Row(name="a", age=1), Row(name="b", age=None), Row(name=None, age=3), Row(name="d", age=5)]
    assert got[1] == [Row(id=1, person=Row(name="e", age=6))]


@pytest.mark.parametrize("record", [Person("a", 1), {"name": "b"}, {"name": "b", "age": 3, "more": 4}])
def test_strict_takes_rows_alone(run, record):
    failure(run, lambda env: env.from_collection([record], PERSON), "strict")
