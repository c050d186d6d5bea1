"""CSV rows: what is written is read again, and what could not be is refused."""

import csv
import io
import pickle
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from datastream.errors import FormatError, TypeMismatch, ValidationError
from datastream.formats.csv import CsvRowDeserializationSchema, CsvRowSerializationSchema
from datastream.formats.csv.texts import MAX_DIGITS
from datastream.time import Instant
from datastream.types import Row, RowKind, TypeInformation, Types
from tests.support.draws import draws
from tests.support.formats.strategies import damaged, equal, leaf_types, values

CHARACTERS = ",;|\"'\\#\t x€1n-"
SPECIAL = CHARACTERS + "\r\n\0e_aé😀\u2028"


def schemas(kind: TypeInformation, **options: Any) -> tuple[CsvRowSerializationSchema, CsvRowDeserializationSchema]:
    """Both schemas with the same options; an option that only one has goes to that."""
    write, read = CsvRowSerializationSchema.Builder(kind), CsvRowDeserializationSchema.Builder(kind)
    names = {"delimiter": "field_delimiter", "quote": "quote_character", "escape": "escape_character"}
    for name, value in options.items():
        method = f"set_{names.get(name, name)}"
        if name == "quote" and value is None:
            write.disable_quote_character()
            continue
        for builder in (write, read):
            if hasattr(builder, method):
                getattr(builder, method)(value)
    return write.build(), read.build()


@st.composite
def dialects(draw: st.DrawFn) -> dict[str, Any]:
    delimiter, quote, escape = draw(st.permutations(CHARACTERS.replace("#", "")))[:3]
    found: dict[str, Any] = {}
    if draw(st.booleans()):
        found["delimiter"] = delimiter
        found["quote"] = quote
    if draw(st.booleans()):
        special = {escape, found.get("delimiter", ","), found.get("quote", '"')}
        assume(len(special) == 3 and "n" not in special)
        found["escape"] = escape
    if draw(st.booleans()):
        null = draw(st.sampled_from(["", "null", "1", "x", "n/a", "-1", "NaN", "true"]))
        assume(not set(null) & {delimiter, quote, escape})
        found["null_literal"] = null
    if draw(st.booleans()):
        found["array_element_delimiter"] = draw(st.sampled_from([";", ":", ";;", "aa", "\n", '"', ""]))
    if draw(st.booleans()):
        found["line_delimiter"] = draw(st.sampled_from(["\n", "\r\n", "\r", ""]))
    if draw(st.booleans()):
        found["allow_comments"] = True
    return found


def field_types() -> st.SearchStrategy[TypeInformation]:
    leaf = leaf_types()
    some = st.lists(leaf, min_size=1, max_size=2)
    arrays = st.one_of(leaf.map(Types.LIST), leaf.map(Types.OBJECT_ARRAY))
    primitive = st.sampled_from([Types.INT(), Types.CHAR(), Types.DOUBLE(), Types.BOOLEAN()])
    rows = st.one_of(some.map(Types.ROW), some.map(lambda t: Types.ROW_NAMED([f"n{i}" for i in range(len(t))], t)))
    return st.one_of(leaf, leaf, arrays, primitive.map(Types.PRIMITIVE_ARRAY), rows, some.map(Types.TUPLE))


@st.composite
def blocks(draw: st.DrawFn) -> tuple[TypeInformation, list[Any]]:
    types = draw(st.lists(field_types(), min_size=1, max_size=3))
    kind = draw(
        st.sampled_from([Types.ROW_NAMED([f"f_{i}" for i in range(len(types))], types), Types.ROW(types)])
        | st.just(Types.TUPLE(types))
    )
    return kind, draw(st.lists(values(kind, alphabet=SPECIAL), min_size=1, max_size=3))


@draws(1000)
@given(blocks(), dialects())
def test_a_value_is_read_as_it_was_or_refused(
    block: tuple[TypeInformation, list[Any]], dialect: dict[str, Any]
) -> None:
    kind, records = block
    try:
        write, read = schemas(kind, **dialect)
    except FormatError as error:
        assert "needs an array element delimiter" in str(error)
        return
    written, kept = [], []
    for record in records:
        try:
            written.append(write.serialize(record))
        except FormatError as error:
            assert any(word in str(error) for word in ("None", "literal", "delimiter", "empty", "Instant")), error
        else:
            kept.append(record)
    assert write.serialize_block(kept) == written
    found = read.deserialize_block(written)
    assert equal(found, kept), (found, written)
    assert equal([read.deserialize(data) for data in written], kept)


@draws(300)
@given(st.lists(st.text(SPECIAL, max_size=6), min_size=1, max_size=3), st.sampled_from([None, "\\", "x"]))
def test_without_quotes_text_is_escaped_or_refused(texts: list[str], escape: str | None) -> None:
    kind = Types.ROW([Types.STRING()] * len(texts))
    options = {} if escape is None else {"escape": escape}
    write, _ = schemas(kind, quote=None, null_literal="-", **options)
    _, read = schemas(kind, quote="\x01", null_literal="-", **options)
    assume(not any("\x01" in text for text in texts))
    try:
        data = write.serialize(Row(*texts))
    except FormatError:
        assert "-" in texts or (escape is None and any(c in text for text in texts for c in ",\r\n"))
    else:
        assert read.deserialize(data) == Row(**{f"f{i}": text for i, text in enumerate(texts)})


@draws(500)
@given(st.lists(st.lists(st.text(SPECIAL, max_size=5), min_size=2, max_size=2), min_size=1, max_size=5))
def test_the_csv_module_reads_what_is_written_and_is_read(rows: list[list[str]]) -> None:
    write, read = schemas(Types.ROW([Types.STRING(), Types.STRING()]))
    lines = write.serialize_block([Row(*row) for row in rows])
    assert list(csv.reader(line.decode() for line in lines)) == rows
    text = io.StringIO()
    foreign = []
    for row in rows:
        text.seek(0)
        text.truncate()
        csv.writer(text).writerow(row)
        foreign.append(text.getvalue().encode())
    assert [list(row) for row in read.deserialize_block(foreign)] == rows


@draws(1000)
@given(st.data())
def test_damaged_messages_raise_format_errors_only(data: st.DataObject) -> None:
    kind, records = data.draw(blocks())
    dialect = data.draw(dialects())
    try:
        write, read = schemas(kind, **dialect)
        messages = [data.draw(damaged(write.serialize(record))) for record in records]
    except FormatError:
        return
    messages.append(data.draw(st.binary(max_size=20)))
    one_by_one: list[Any] = []
    for message in messages:
        try:
            record = read.deserialize(message)
        except FormatError:
            one_by_one.append(FormatError)
        else:
            one_by_one += [] if record is None else [record]
    try:
        assert equal(read.deserialize_block(messages), one_by_one)
    except FormatError:
        assert FormatError in one_by_one


TEXTS = {
    Types.INT(): ["1", " 7 ", "+3", "1_000", "٣", "2147483648", "", "x", "1.0"],
    Types.DOUBLE(): ["1", "1e3", " .5", "1_0.0", "nan", "Infinity", "-inf", "1e999", "٣.0", "0x1p3", "1d"],
    Types.FLOAT(): ["3.4e38", "3.4028235E38", "-3.4028235E38", "3.40282357E38", "3.5e38", "inf"],
    Types.BOOLEAN(): ["true", "TRUE", " False", "1", "yes", ""],
    Types.CHAR(): ["a", "ab", "€", ""],
    Types.SQL_DATE(): ["2024-01-31", "2024-1-31", "20240131", "2024-W05-3", "2024-02-30", "2024-01-31 "],
    Types.SQL_TIME(): ["12:30:00", "12:30", "12:30:00Z", "12:30:00.1234567", "12:30:00.1234560", "12:30:00+01"],
    Types.LOCAL_TIME(): ["12:30:00Z", "123000.123"],
    Types.SQL_TIMESTAMP(): [
        "2024-01-31T12:30:00",
        "2024-01-31 12:30:00.5",
        "2024-01-31T12:30:00Z",
        "2024-01-31T12:30:00.1234567",
        "2024-01-31T12:30:00.123456000",
        "2024-01-31T12:30:00+01:00",
        "2024-01-31T12:30:00.1+0100",
        "2024-01-31x12:30:00",
        "2024-W05-3T12:30:00",
        "20240131T123000.1234567",
        "2024-01-31T123000.12345678",
        "2024-01-31T12:30",
        "2024-01-31",
    ],
    Types.LOCAL_DATE_TIME(): ["2024-01-31T12:30:00Z", "2024-01-31T12:30:00"],
    Types.BIG_INT(): ["1" * 5000, "-" + "9" * 4001, "1" * (MAX_DIGITS + 1), "1_0", " 5"],
    Types.BIG_DEC(): ["1.50", "1E+3", "NaN", "Infinity", "1_0", "1e9999999999999999999"],
    Types.INSTANT(): ["2024-01-31T12:30:00Z", "+10000-01-01T00:00:00Z", "2024-01-31T12:30:00", "-0001-01-01T00:00:00Z"],
}
REFUSED = {
    "1_000", "٣", "2147483648", "x", "1.0", "1_0.0", "1e999", "٣.0", "0x1p3", "1d", "3.5e38", "3.40282357E38", "1",
    "yes", "ab", "2024-1-31", "20240131", "2024-W05-3", "2024-02-30", "2024-01-31 ", "12:30", "12:30:00.1234567",
    "12:30:00+01", "123000.123", "1_0", "NaN", "Infinity", "1e9999999999999999999", "1" * (MAX_DIGITS + 1),
    "2024-01-31T12:30:00",
}  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in TEXTS.items() for text in texts])
def test_the_fast_way_reads_what_the_careful_way_does(kind: TypeInformation, text: str) -> None:
    schema = CsvRowDeserializationSchema.Builder(Types.ROW([kind, Types.STRING()])).build()
    _, reader = schema._codec
    column = reader._columns[0]
    try:
        careful = column.read(text)
    except FormatError:
        with pytest.raises(FormatError, match="field f0: expected"):
            schema.deserialize(f"{text},x".encode())
        return
    found = schema.deserialize(f"{text},x".encode())
    assert equal(found[0], careful)
    assert equal(schema.deserialize(f"{text},_".encode())[0], careful)


@draws(500)
@given(st.sampled_from(list(TEXTS)), st.data())
def test_the_fast_way_reads_damaged_texts_as_the_careful_way_does(kind: TypeInformation, data: st.DataObject) -> None:
    text = data.draw(damaged(data.draw(st.sampled_from(TEXTS[kind])).encode())).decode(errors="replace")
    assume(not set(text) & set(',"\r\n') and len(text) < 100)
    schema = CsvRowDeserializationSchema.Builder(Types.ROW([kind, Types.INT()])).build()
    try:
        careful = schema._codec[1]._columns[0].read(text)
    except FormatError:
        with pytest.raises(FormatError):
            schema.deserialize(f"{text},1".encode())
    else:
        assert equal(schema.deserialize(f"{text},1".encode())[0], careful)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Types.INT(), "1_000"),
        (Types.INT(), "2147483648"),
        (Types.DOUBLE(), "1e999"),
        (Types.FLOAT(), "3.5e38"),
        (Types.BOOLEAN(), "yes"),
        (Types.SQL_TIMESTAMP(), "2024-01-31T12:30:00.1234567"),
        (Types.SQL_TIMESTAMP(), "20240131T123000.1234567"),
        (Types.SQL_TIMESTAMP(), "2024-01-31T12:30:00+01:00"),
        (Types.LOCAL_DATE_TIME(), "2024-01-31T12:30:00Z"),
        (Types.BIG_DEC(), "NaN"),
        (Types.BIG_INT(), "1" * (MAX_DIGITS + 1)),
    ],
)
def test_texts_that_would_be_bent_are_refused(kind: TypeInformation, text: str) -> None:
    with pytest.raises(FormatError, match="field a: expected .*, found"):
        CsvRowDeserializationSchema.Builder(Types.ROW_NAMED(["a"], [kind])).build().deserialize(text.encode())


def test_texts_are_those_of_flink() -> None:
    names = ["l", "s", "d", "b", "t", "i", "n", "y", "a", "r"]
    kind = Types.ROW_NAMED(
        names,
        [
            Types.LONG(), Types.STRING(), Types.DOUBLE(), Types.BOOLEAN(), Types.SQL_TIMESTAMP(), Types.INSTANT(),
            Types.BIG_DEC(), Types.PRIMITIVE_ARRAY(Types.BYTE()), Types.BASIC_ARRAY(Types.INT()),
            Types.ROW([Types.STRING(), Types.BOOLEAN()]),
        ],
    )  # fmt: skip
    write, read = schemas(kind)
    row = Row(
        l=1, s='a "b", c', d=float("-inf"), b=True, t=datetime(2024, 1, 31, 12), i=Instant(0, 1_000_000),
        n=Decimal("1.50"), y=b"abc", a=[1, None, 3], r=Row(f0="x", f1=False),
    )  # fmt: skip
    data = write.serialize(row)
    assert data == (
        b'1,"a ""b"", c",-Infinity,true,"2024-01-31 12:00:00.0","1970-01-01 00:00:00.001Z",1.50,YWJj,1;;3,x;false\n'
    )
    assert read.deserialize(data) == row
    assert read.get_produced_type() == kind


def test_none_is_an_empty_field_where_that_is_no_value() -> None:
    write, read = schemas(Types.ROW([Types.INT(), Types.STRING()]))
    assert write.serialize(Row(None, "x")) == b",x\n"
    assert read.deserialize(b",\n") == Row(f0=None, f1="")
    with pytest.raises(FormatError, match="field f1: None would be read as the empty String: set a null literal"):
        write.serialize(Row(1, None))


def test_a_null_literal_in_quotes_is_text() -> None:
    write, read = schemas(Types.ROW([Types.STRING(), Types.INT()]), null_literal="null")
    assert write.serialize_block([Row(None, None), Row("null", 1)]) == [b"null,null\n", b'"null",1\n']
    assert read.deserialize_block([b"null,null", b'"null","null"']) == [Row(f0=None, f1=None), Row(f0="null", f1=None)]
    # Without a literal of its own an empty field stays an error.
    with pytest.raises(FormatError, match="field f1"):
        read.deserialize(b"x,")
    with pytest.raises(FormatError, match="quotes are disabled"):
        schemas(Types.ROW([Types.STRING()]), null_literal="null", quote=None)[0].serialize(Row("null"))


def test_elements_that_could_not_be_told_apart_are_refused() -> None:
    write, read = schemas(Types.ROW_NAMED(["a"], [Types.LIST(Types.STRING())]), null_literal="-")
    for value, message in (
        (["a;b"], r"field a: 'a;b' holds the array element delimiter"),
        (["x", "-"], r"field a\[1\]: '-' is the null literal"),
        ([""], "field a: a list of one empty text"),
    ):
        with pytest.raises(FormatError, match=message):
            write.serialize(Row(a=value))
    assert read.deserialize(write.serialize(Row(a=[None, "x"]))) == Row(a=[None, "x"])
    assert write.serialize_block([Row(a=[]), Row(a=None), Row(a=[None])]) == [b"\n", b"-\n", b'"-"\n']
    assert read.deserialize_block([b"\n", b"-\n", b'"-"\n']) == [Row(a=[]), Row(a=None), Row(a=[None])]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"1", "expected 2 fields, found 1"),
        (b"1,x,y", "expected 2 fields, found 3"),
        (b"", "expected 2 fields, found 1"),
        (b"a,x", "field id: expected Integer, found 'a'; the message is b'a,x'"),
        (b'1,"x', "not closed"),
        (b'1,"x"y', "expected the delimiter ',' after a quoted field, found 'y'"),
        (b"1,x\n2,y\n", "a second one"),
        (b"1,\xff", "not UTF-8"),
    ],
)
def test_messages_that_are_no_record(data: bytes, message: str) -> None:
    kind = Types.ROW_NAMED(["id", "name"], [Types.INT(), Types.STRING()])
    builder = CsvRowDeserializationSchema.Builder(kind)
    schema = builder.build()
    with pytest.raises(FormatError, match=message):
        schema.deserialize(data)
    with pytest.raises(FormatError, match=rf"^topic, partition 3, offset 11: .*{message}"):
        schema.deserialize_block([b"1,a", data], lambda i: ("topic", 3, 10 + i))
    lenient = builder.set_ignore_parse_errors(True).build()
    assert lenient.deserialize(data) is None
    assert lenient.deserialize_block([b"1,a", data, None, b"2,b"]) == [Row(id=1, name="a"), Row(id=2, name="b")]


def test_comments_are_skipped_only_where_allowed() -> None:
    kind = Types.ROW([Types.STRING(), Types.INT()])
    assert schemas(kind)[1].deserialize(b"#a,1") == Row(f0="#a", f1=1)
    write, read = schemas(kind, allow_comments=True)
    assert read.deserialize(b"# a comment\n# and one\nx,1") == Row(f0="x", f1=1)
    assert read.deserialize(b"# a comment\n") is None
    assert read.deserialize_block([b"#", b"x,1", b"#\ny,2"]) == [Row(f0="x", f1=1), Row(f0="y", f1=2)]
    assert read.deserialize(write.serialize(Row("#a", 1))) == Row(f0="#a", f1=1)


def test_an_escaped_letter_is_a_control_character() -> None:
    _, read = schemas(Types.ROW([Types.STRING(), Types.STRING()]), escape="\\")
    assert read.deserialize(rb'a\nb\,c,"\t\"\\"') == Row(f0="a\nb,c", f1='\t"\\')
    with pytest.raises(FormatError, match="has nothing after it"):
        read.deserialize(b"a,b\\")


def test_long_fields() -> None:
    write, read = schemas(Types.ROW([Types.STRING(), Types.BIG_INT()]))
    row = Row(f0='a"' * 200_000, f1=10**50_000)
    assert read.deserialize(write.serialize(row)) == row
    with pytest.raises(FormatError, match="at most 100000 digits"):
        write.serialize(Row("", 10**MAX_DIGITS))


def test_values_of_other_forms_are_taken_and_wrong_ones_refused() -> None:
    kind = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.DOUBLE()])
    write, _ = schemas(kind)
    rows = [Row(b=1.0, a=1), (1, 1), Row(1, 1.0), {"a": 1, "b": 1.0}, Row(a=1, b=1.0)]
    assert write.serialize_block(rows) == [b"1,1.0\n"] * 5
    for value, message in (
        (Row(a=True, b=1.0), "field a: expected Integer"),
        (Row(a=1 << 31, b=1.0), "field a: .*out of range"),
        (Row(a=1, b="x"), "field b: expected Double"),
        (Row(1), "a row of 2"),
        (None, "None"),
    ):
        with pytest.raises(TypeMismatch, match=message):
            write.serialize_block([rows[0], value])
    assert write.serialize(Row.of_kind(RowKind.DELETE, a=1, b=1.0)) == b"1,1.0\n"  # the kind is no field
    with pytest.raises(FormatError, match="field s: .*surrogate"):
        schemas(Types.ROW_NAMED(["s"], [Types.STRING()]))[0].serialize_block([Row(s="x"), Row(s="\ud800")])


def test_tuples_hold_no_none() -> None:
    write, read = schemas(Types.TUPLE([Types.INT(), Types.SQL_DATE()]))
    assert write.serialize((1, date(2024, 1, 31))) == b"1,2024-01-31\n"
    assert read.deserialize(b"1,2024-01-31") == (1, date(2024, 1, 31))
    with pytest.raises(FormatError, match=r"field \[1\]: .* found the null literal"):
        read.deserialize(b"1,")
    with pytest.raises((FormatError, TypeMismatch)):
        write.serialize((1, None))


def test_pickled_objects_are_written_never_read() -> None:
    kind = Types.ROW([Types.PICKLED_BYTE_ARRAY()])
    assert CsvRowSerializationSchema.Builder(kind).build().serialize(Row({1: 2})).startswith(b"gA")
    with pytest.raises(FormatError, match="pickled"):
        CsvRowDeserializationSchema.Builder(kind).build()


@pytest.mark.parametrize(
    "kind",
    [
        Types.MAP(Types.STRING(), Types.INT()),
        Types.LIST(Types.LIST(Types.INT())),
        Types.ROW([Types.ROW([Types.INT()])]),
    ],
)
def test_deep_types_are_refused_at_once(kind: TypeInformation) -> None:
    for builder in (CsvRowSerializationSchema.Builder, CsvRowDeserializationSchema.Builder):
        with pytest.raises(FormatError, match="csv|CSV"):
            builder(Types.ROW([kind])).build()
        with pytest.raises(FormatError, match="a record is a row or tuple"):
            builder(kind if kind == Types.MAP(Types.STRING(), Types.INT()) else Types.STRING())


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ""},
        {"delimiter": ",,"},
        {"delimiter": "\n"},
        {"delimiter": '"'},
        {"quote": ","},
        {"escape": ","},
        {"escape": "n"},
        {"escape": "\\", "delimiter": "t"},
        {"null_literal": "a,b"},
        {"line_delimiter": "x"},
        {"delimiter": "#", "allow_comments": True},
        {"delimiter": None},
        {"delimiter": 5},
        {"quote": b"'"},
        {"escape": 1},
        {"null_literal": 0},
        {"array_element_delimiter": None},
        {"line_delimiter": None},
        {"delimiter": "\ud800"},
        {"quote": "\udfff"},
        {"null_literal": "a\ud800"},
    ],
)
def test_nonsense_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="csv: "):
        schemas(Types.ROW([Types.INT()]), **options)


def test_schemas_travel_without_their_loops() -> None:
    write, read = schemas(Types.ROW_NAMED(["a"], [Types.INT()]), delimiter=";")
    write.serialize(Row(a=1))
    write, read = pickle.loads(pickle.dumps((write, read)))
    assert read.deserialize(write.serialize(Row(a=1))) == Row(a=1)


@pytest.mark.parametrize("empty", [Types.ROW([]), Types.TUPLE([])])
def test_a_nested_row_without_fields_is_refused(empty: TypeInformation) -> None:
    kind = Types.ROW_NAMED(["a", "b"], [Types.INT(), empty])
    for schema in (CsvRowSerializationSchema, CsvRowDeserializationSchema):
        with pytest.raises(FormatError, match="inside a row has no fields"):
            schema.Builder(kind).build()


@pytest.mark.parametrize(
    ("text", "field"),
    [("plain", "plain"), ("two words", '"two words"'), ("", ""), ("a-b", "a-b"), ("x" * 24, "x" * 24),
     ("x" * 25, f'"{"x" * 25}"'), ("Zürich", "Zürich"), ("9", "9")],
)  # fmt: skip
def test_texts_have_quotes_where_jackson_sets_them(text: str, field: str) -> None:
    write, read = schemas(Types.ROW([Types.STRING()]))
    assert write.serialize(Row(text)) == f"{field}\n".encode()
    assert text == "" or read.deserialize(write.serialize(Row(text))) == Row(f0=text)


def test_a_high_delimiter_puts_more_texts_in_quotes() -> None:
    write, _ = schemas(Types.ROW([Types.STRING(), Types.STRING(), Types.INT()]), field_delimiter=";")
    assert write.serialize(Row("ann", "a1", 5)) == b'ann;"a1";5\n'


@pytest.mark.parametrize(("value", "text"), [(1e10, "1.0E10"), (2.5, "2.5"), (1e-4, "1.0E-4"), (-1e7, "-1.0E7")])
def test_doubles_are_written_as_java_does(value: float, text: str) -> None:
    write, _ = schemas(Types.ROW([Types.DOUBLE(), Types.FLOAT()]))
    assert write.serialize(Row(value, value)) == f"{text},{text}\n".encode()


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Types.SQL_DATE(), "2024-1-2", date(2024, 1, 2)),
        (Types.SQL_DATE(), "2024-12-3", date(2024, 12, 3)),
        (Types.SQL_TIME(), "3:4:5", time(3, 4, 5)),
        (Types.SQL_TIME(), "13:4:05", time(13, 4, 5)),
        (Types.SQL_TIMESTAMP(), " 2024-01-02 03:04:05", datetime(2024, 1, 2, 3, 4, 5)),
        (Types.SQL_TIMESTAMP(), "2024-01-02 03:04:05.5 ", datetime(2024, 1, 2, 3, 4, 5, 500_000)),
        (Types.SQL_DATE(), " 2024-01-02", None),
        (Types.SQL_DATE(), "24-1-2", None),
        (Types.SQL_TIME(), "3:4", None),
        (Types.SQL_TIMESTAMP(), "2024-1-2 03:04:05", None),
    ],
)
def test_dates_and_times_in_javas_forms(kind, text, value):
    read = CsvRowDeserializationSchema.Builder(Types.ROW_NAMED(["v", "w"], [kind, Types.STRING()])).build()
    if value is None:
        with pytest.raises(FormatError):
            read.deserialize(f"{text},x".encode())
    else:
        assert read.deserialize(f"{text},x".encode())[0] == value
