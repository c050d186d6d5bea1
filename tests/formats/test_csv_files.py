"""CSV files by a schema: reading, writing, headers, and pieces of any size."""

import csv
import io
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from datastream.connectors.files.csv_reader import CsvReaderFormat
from datastream.connectors.files.parts import FilePart
from datastream.errors import FormatError, ValidationError
from datastream.formats import DeadLetter, Encoder
from datastream.formats.csv import CsvBulkWriters, CsvSchema
from datastream.formats.csv.options import CsvOptions
from datastream.formats.csv.parsing import Parser
from datastream.formats.csv.splitting import Splitter
from datastream.functions import OutputTag
from datastream.types import Row, Types
from tests.support.draws import draws
from tests.support.formats.strategies import damaged, equal, values

TEXT = ',;"\\#\r\n x1é'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("csv")


def read(folder: Path, schema: CsvSchema, data: bytes | str) -> list[Any]:
    path = folder / "data.csv"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    form = pickle.loads(pickle.dumps(CsvReaderFormat.for_schema(schema)))
    blocks = form.read(FilePart(str(path), 0, path.stat().st_size, path.stat().st_size))
    return [record for block in blocks for record in block]


def write(schema: CsvSchema, rows: list[Any]) -> bytes:
    stream = io.BytesIO()
    writer = pickle.loads(pickle.dumps(CsvBulkWriters.for_schema(schema))).create(stream)
    for row in rows:
        writer.add_element(row)
    writer.finish()
    return stream.getvalue()


def example() -> Any:
    return CsvSchema.builder().add_number_column("id", Types.INT()).add_string_column("name").add_boolean_column("ok")


@st.composite
def tables(draw: st.DrawFn) -> tuple[CsvSchema, list[Row]]:
    builder = CsvSchema.builder()
    for i in range(draw(st.integers(1, 4))):
        match draw(st.sampled_from(["array", "boolean", "number", "string"])):
            case "array":
                element = draw(st.sampled_from([None, Types.INT(), Types.DOUBLE()]))
                builder.add_array_column(f"a{i}", draw(st.sampled_from([";", "::", ",", ""])), element)
            case "boolean":
                builder.add_boolean_column(f"b{i}")
            case "number":
                numbers = [None, Types.BYTE(), Types.LONG(), Types.FLOAT(), Types.DOUBLE(), Types.BIG_DEC()]
                builder.add_number_column(f"n{i}", draw(st.sampled_from(numbers)))
            case "string":
                builder.add_string_column(f's{i}"#')
    for option in ("allow_comments", "use_header", "strict_headers", "reorder_columns", "skip_first_data_row"):
        getattr(builder, f"set_{option}")(draw(st.booleans()))
    builder.set_line_separator(draw(st.sampled_from(["\n", "\r\n", "\r"])))
    if draw(st.booleans()):
        builder.set_column_separator(draw(st.sampled_from(";|1x")))
    if draw(st.booleans()):
        builder.set_escape_char("\\")
    if draw(st.booleans()):
        builder.set_null_value(draw(st.sampled_from(["", "null", "2"])))
    schema = builder.build()
    return schema, draw(st.lists(values(schema.row_type, alphabet=TEXT), max_size=6))


@pytest.mark.long
@draws(1000)
@given(table=tables())
def test_files_are_read_as_they_were_written_or_refused(folder: Path, table: tuple[CsvSchema, list[Row]]) -> None:
    schema, rows = table
    kept = []
    for row in rows:
        try:
            write(schema, [row])
        except FormatError as error:
            assert any(word in str(error) for word in ("None", "literal", "delimiter", "empty")), error
        else:
            kept.append(row)
    data = write(schema, kept)
    assert equal(read(folder, schema, data), kept[schema.skip_first_data_row :]), data


@draws(1000)
@given(table=tables(), data=st.data())
def test_damaged_files_raise_format_errors_only(folder: Path, table: Any, data: st.DataObject) -> None:
    schema, rows = table
    try:
        spoilt = data.draw(damaged(write(schema, rows)))
        read(folder, schema, spoilt)
    except FormatError:
        pass


def parsed(options: CsvOptions, text: str, mark: str | None) -> list[list[str]] | None:
    """By the parser alone; None: it is no CSV."""
    parser, rows, at = Parser(options, mark), [], 0
    try:
        while (at := parser.skip_comments(text, at)) < len(text):
            fields, at = parser.record(text, at)
            rows.append(fields)
    except Exception:
        return None
    return rows


@draws(1000)
@given(
    st.text(TEXT, max_size=40),
    st.builds(
        CsvOptions,
        quote=st.sampled_from(['"', None]),
        escape=st.sampled_from([None, "\\"]),
        comments=st.booleans(),
    ),
    st.sampled_from([None, "", "1"]),
    st.integers(1, 5),
)
def test_all_ways_to_split_a_text_give_the_same(text: str, options: CsvOptions, mark: str | None, size: int) -> None:
    lines = io.StringIO(text, newline="\n").readlines()
    pieces = ["".join(lines[i : i + size]) for i in range(0, len(lines), size)]
    expected = parsed(options, text, mark)
    splitter = Splitter(options, mark)
    streamed = list(splitter.stream(pieces))
    assert "".join(piece for piece, _ in streamed) == text
    found: Any = None
    if all(rows is not None for _, rows in streamed):
        found = [row for _, rows in streamed for row in rows or []]
    assert found == expected
    located = [fields for piece, _ in streamed for _, _, fields in splitter.located(piece)]
    assert located == expected if expected is not None else any(isinstance(row, FormatError) for row in located)
    assert expected is None or [list(map(type, row)) for row in found] == [list(map(type, row)) for row in expected]


@given(st.lists(st.text(TEXT, max_size=5), min_size=3, max_size=3))
def test_files_of_the_csv_module_are_read(folder: Path, names: list[str]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([["id", "name", "ok"], *([i, name, True] for i, name in enumerate(names))])
    found = read(folder, example().set_use_header().set_strict_headers().build(), text.getvalue())
    assert found == [Row(id=i, name=name, ok=True) for i, name in enumerate(names)]


def test_a_long_file_with_line_ends_in_quotes(folder: Path) -> None:
    rows = [Row(id=i, name=f"line {i}\n" * (i % 300), ok=None) for i in range(3000)]
    assert read(folder, example().build(), write(example().build(), rows)) == rows


def test_a_record_longer_than_many_pieces(folder: Path) -> None:
    rows = [Row(id=1, name="line,\n" * 200_000, ok=True), Row(id=2, name="", ok=False)]
    assert read(folder, example().build(), write(example().build(), rows)) == rows
    with pytest.raises(FormatError, match=r"the file .*data.csv, record at byte 0: a quoted field is not closed"):
        read(folder, example().build(), '1,"' + "x\n" * 500_000)


def test_headers(folder: Path) -> None:
    text = "ok,name,id,more\ntrue,a,1,x\n\nfalse,,2,y\n"
    reordered = example().set_use_header().set_reorder_columns()
    assert read(folder, reordered.build(), text) == [Row(id=1, name="a", ok=True), Row(id=2, name="", ok=False)]
    with pytest.raises(FormatError, match="expected a header of the columns"):
        read(folder, reordered.set_strict_headers().build(), text)
    by_place = example().set_use_header()
    assert read(folder, by_place.build(), "x,y,z\n1,a,true\n") == [Row(id=1, name="a", ok=True)]
    with pytest.raises(FormatError, match="one column 'ok' in the header, found 0"):
        read(folder, by_place.set_reorder_columns().build(), "id,name\n1,a\n")
    with pytest.raises(FormatError, match="expected 4 fields, as in the header, found 3"):
        read(folder, reordered.set_strict_headers(False).build(), "ok,name,id,more\ntrue,a,1\n")


def test_rows_comments_and_blank_lines_that_are_skipped(folder: Path) -> None:
    schema = example().set_use_header().set_skip_first_data_row().set_allow_comments().build()
    text = "\ufeff# c\n\nid,name,ok\n#\nunits,-,-\n\n1,a,true\n#x"
    assert read(folder, schema, text) == [Row(id=1, name="a", ok=True)]
    assert read(folder, schema, "") == []
    assert read(folder, schema, "id,name,ok\n") == read(folder, schema, "\n\n") == []
    one = CsvSchema.builder().add_string_column("s").build()
    assert read(folder, one, "a\n\nb\n") == [Row(s="a"), Row(s=""), Row(s="b")]


def test_more_columns_than_the_schema_has(folder: Path) -> None:
    with pytest.raises(FormatError, match=r"expected 3 fields, found 4.*the record is \['1', 'a'"):
        read(folder, example().build(), "1,a,true,x\n")
    schema = example().set_any_property_name("rest").build()
    assert read(folder, schema, "1,a,true,x,y\n2,b,false\n") == [
        Row(id=1, name="a", ok=True),
        Row(id=2, name="b", ok=False),
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"1,a,true\nx,a,true\n", r"9: field id: expected Integer, found 'x'; the record is \['x', 'a', 'true'\]"),
        (b"1,a\xff,true\n", "0: expected UTF-8, found b'\\\\xff,true"),
        (b'\xef\xbb\xbf\xc3\xa9,"\r\n",\r\n\r\n1,"a"b,true\n', "3: field id: expected Integer, found 'é'"),
        (b'\xef\xbb\xbf1,"\xc3\xa9\r\n",\r\n\r\n1,"a"b,true\n', "16: expected the delimiter ',' after a quoted field"),
        (b"1,a\n", "0: expected 3 fields, found 2"),
    ],
)
def test_errors_name_the_file_and_the_record(folder: Path, data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=f"the file .*data.csv, record at byte {message}"):
        read(folder, example().build(), data)


def test_plain_files_are_split(folder: Path) -> None:
    schema = example().disable_quote_char().build()
    form = CsvReaderFormat.for_schema(schema)
    assert form.splittable and not CsvReaderFormat.for_schema(example().build()).splittable
    rows = [Row(id=i, name='"', ok=True) for i in range(100)]
    path = folder / "split.csv"
    path.write_bytes(write(schema, rows))
    size = path.stat().st_size
    parts = [FilePart(str(path), low, min(low + 100, size), size) for low in range(0, size, 100)]
    assert [row for part in parts for block in form.read(part) for row in block] == rows
    assert form.get_produced_type() == schema.row_type


def test_the_builder() -> None:
    class BigInt:
        def to_type_info(self) -> Any:
            return Types.BIG_INT()

    first = CsvSchema.builder().add_number_column("n").add_array_column("a", ":").build()
    builder = CsvSchema.builder().add_string_column("gone").clear_columns().add_columns_from(first)
    builder.add_number_column("b", BigInt()).remove_array_element_separator(1).set_array_element_separator("|")  # type: ignore[arg-type]
    schema = builder.build()
    assert schema.row_type == Types.ROW([Types.LONG(), Types.LIST(Types.STRING()), Types.BIG_INT()])
    assert schema.row_type.get_field_names() == ["n", "a", "b"]
    assert schema.size() == len(schema) == builder.size() == len(builder) == 3
    assert write(schema, [Row(n=1, a=["x", "y"], b=2)]) == b"1,x|y,2\n"
    assert write(builder.disable_array_element_separator().build(), [Row(n=1, a=["x"], b=2)]) == b"1,x,2\n"
    assert repr(first) == "CsvSchema(n: Long, a: ListTypeInfo<String>)"
    assert repr(example().set_use_header().build()).endswith("ok: Boolean, use_header)")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: CsvSchema.builder().build(),
        lambda: example().add_string_column("id").build(),
        lambda: example().add_number_column("n", Types.STRING()),
        lambda: example().add_number_column("n", int),
        lambda: example().remove_array_element_separator(3),
        lambda: example().set_column_separator('"').build(),
        lambda: example().set_line_separator("").build(),
        lambda: CsvReaderFormat.for_schema("id"),  # type: ignore[arg-type]
        lambda: CsvBulkWriters.for_schema(None),  # type: ignore[arg-type]
    ],
)
def test_nonsense_is_refused(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        wrong()


def test_columns_without_a_form_are_refused_at_once() -> None:
    schema = example().add_array_column("a", element_type=Types.LIST(Types.INT())).build()
    for make in (CsvReaderFormat.for_schema, CsvBulkWriters.for_schema):
        with pytest.raises(FormatError, match="single values"):
            make(schema)
    with pytest.raises(FormatError, match="the name of a column"):
        CsvBulkWriters.for_schema(
            CsvSchema.builder().add_string_column("a,b").disable_quote_char().set_use_header().build()
        )


@given(st.lists(st.lists(st.text(TEXT + "\0"), min_size=1, max_size=3), max_size=5))
def test_the_encoder_writes_what_the_csv_module_does(rows: list[list[str]]) -> None:
    encoder = Encoder.csv()
    assume(all(row != [""] for row in rows))
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    first = b"".join(map(encoder.encode, rows))
    assert first == b"".join(map(pickle.loads(pickle.dumps(encoder)).encode, rows)) == text.getvalue().encode()
    with pytest.raises(ValidationError):
        Encoder.csv(delimiter='"')


BAD = OutputTag("bad")


def aside(folder: Path, schema: CsvSchema, data: bytes) -> tuple[list[Any], list[DeadLetter]]:
    path = folder / "aside.csv"
    path.write_bytes(data)
    form = pickle.loads(pickle.dumps(CsvReaderFormat.for_schema(schema).with_dead_letters(BAD)))
    assert form.side_tags == (BAD,) and form.produced_type == schema.row_type and form.exact
    found = [one for block in form.read(FilePart(str(path), 0, len(data), len(data))) for one in block]
    letters = [one[1] for one in found if isinstance(one, tuple)]
    assert all(one[0] == BAD for one in found if isinstance(one, tuple))
    assert all(letter.topic == str(path) and letter.partition is None for letter in letters)
    return [one for one in found if isinstance(one, Row)], letters


def test_records_that_cannot_be_read_go_aside(folder: Path) -> None:
    good = b'1,"a\n",true\r\n'
    bad = [b"x,\xc3\xa9,true", b"2,\xff,true", b'3,"a"b\nc",true', b"4", b'"5,a,true\n6,b,true']
    data = b"id,name,ok\n" + good + b"".join(one + b"\r\n" + good for one in bad[:-1]) + bad[-1]
    rows, letters = aside(folder, example().set_use_header().build(), data)
    assert rows == [Row(id=1, name="a\n", ok=True)] * 5
    # Behind the quote in the wrong place reading goes on with the next line.
    lines = [*bad[:2], b'3,"a"b', b'c",true', *bad[3:]]
    assert [(letter.data, letter.offset) for letter in letters] == [(line, data.index(line)) for line in lines]
    assert "field id: expected Integer, found 'x'" in letters[0].error and "UTF-8" in letters[1].error
    with pytest.raises(FormatError, match="record at byte 0: expected a header"):
        aside(folder, example().set_use_header().set_strict_headers().build(), b"a,b\n" + good)


@draws(300)
@given(table=tables(), data=st.data())
def test_every_byte_of_a_damaged_file_is_read_or_goes_aside(folder: Path, table: Any, data: st.DataObject) -> None:
    schema, rows = table
    try:
        written = write(schema, rows)
    except FormatError:
        return
    spoilt = data.draw(damaged(written))
    try:
        _, letters = aside(folder, schema, spoilt)
    except FormatError as error:
        assert schema.use_header or schema.skip_first_data_row, error
    else:
        for letter in letters:
            assert letter.offset is not None and spoilt[letter.offset :].startswith(letter.data)


def test_offsets_count_over_pieces_and_parts(folder: Path) -> None:
    schema = example().disable_quote_char().build()
    line = "1,é,true\n".encode()
    data = line * 60_000 + b"x\n" + line
    rows, letters = aside(folder, schema, data)
    assert len(rows) == 60_001 and [letter.offset for letter in letters] == [60_000 * len(line)]
    path = str(folder / "aside.csv")
    form = CsvReaderFormat.for_schema(schema).with_dead_letters(BAD)
    tail = [one for block in form.read(FilePart(path, len(data) - 30, len(data), len(data))) for one in block]
    assert [one[1].offset for one in tail if isinstance(one, tuple)] == [60_000 * len(line)]


@pytest.mark.parametrize(
    ("tag", "message"), [("bad", "expected an OutputTag .*got str 'bad'"), (OutputTag("bad", Types.STRING()), "type")]
)
def test_tags_of_dead_letters_are_checked(tag: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        CsvReaderFormat.for_schema(example().build()).with_dead_letters(tag)


def test_separators_that_are_no_text_are_refused_at_once() -> None:
    for builder in (
        CsvSchema.builder().add_array_column("a", 5),  # type: ignore[arg-type]
        CsvSchema.builder().add_array_column("a", "\ud800"),
        CsvSchema.builder().add_string_column("a").set_column_separator(None),  # type: ignore[arg-type]
    ):
        with pytest.raises(ValidationError, match="csv: the .*delimiter"):
            builder.build()
