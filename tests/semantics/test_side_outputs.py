"""Side outputs: of process functions, and of sources that cannot read a message."""

from __future__ import annotations

import pytest

from datastream import FunctionError, OutputTag, ProcessFunction, Types, ValidationError, WatermarkStrategy
from datastream.connectors.files import FileSource, StreamFormat
from datastream.errors import FormatError
from datastream.formats import DeserializationSchema
from datastream.testing import case

ODD = OutputTag("odd", Types.STRING())
OTHER = OutputTag("other")


class Sort(ProcessFunction):
    def process_element(self, value, ctx):
        if value % 2:
            yield ODD, str(value)
            yield OTHER, None
        else:
            yield value


class Numbers(DeserializationSchema):
    def deserialize(self, data):
        if not data.isdigit():
            raise FormatError(f"not a number: {data!r}")
        return int(data)

    def get_produced_type(self):
        return Types.LONG()


@case
def test_a_process_function_writes_to_side_outputs(env):
    main = env.from_collection(range(6)).process(Sort(), output_type=Types.INT())
    assert main.get_side_output(ODD).get_type() == Types.STRING()
    numbers, odd, doubled, other = yield (
        main,
        main.get_side_output(ODD),
        main.get_side_output(ODD).rebalance().map(lambda s: s * 2).union(main.get_side_output(ODD)),
        main.get_side_output(OTHER),
    )
    assert numbers == [0, 2, 4]
    assert odd == ["1", "3", "5"]
    assert sorted(doubled) == ["1", "11", "3", "33", "5", "55"]
    assert other == [None] * 3


@case
def test_what_nobody_reads_is_dropped(env):
    got = yield env.from_collection(range(6)).process(Sort()).map(lambda x: x + 1)
    assert got == [1, 3, 5]


@case
def test_side_outputs_can_be_keyed(env):
    main = env.from_collection(range(6)).process(Sort())
    got = yield main.get_side_output(ODD).key_by(lambda s: 0).reduce(lambda a, b: a + b)
    assert got[-1] == "135"


def test_the_type_of_a_tag_is_tested(run):
    class Wrong(ProcessFunction):
        def process_element(self, value, ctx):
            yield ODD, value

    env = run.environment()
    with pytest.raises(FunctionError, match="expected String, found int 1(.|\n)*side output 'odd'"):
        run.collect(env.from_collection([1]).process(Wrong()).get_side_output(ODD))


def test_operators_without_side_outputs_are_refused(run):
    env = run.environment()
    with pytest.raises(ValidationError, match="'Map' writes nothing to a side output 'odd'"):
        env.from_collection([1]).map(str).get_side_output(ODD)
    with pytest.raises(ValidationError, match="needs an OutputTag"):
        env.from_collection([1]).process(Sort()).get_side_output("odd")
    with pytest.raises(ValidationError, match="belongs to an operator, but a side output is none"):
        env.from_collection([1]).process(Sort()).get_side_output(ODD).name("x")


DEAD = OutputTag("dead")


def numbers(env, folder, schema):
    (folder / "numbers.txt").write_bytes(b"1\n2\nthree\n\n4\nf\xffve\n")
    source = FileSource.for_record_stream_format(StreamFormat.lines(schema), str(folder)).build()
    return env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")


def test_dead_letters_of_files(run, tmp_path):
    env = run.environment()
    stream = numbers(env, tmp_path, Numbers().with_dead_letters(DEAD))
    assert stream.get_type() == Types.LONG()
    good, dead = run.collect(stream, stream.get_side_output(DEAD))
    assert sorted(good) == [1, 2, 4]
    assert [(d.data, d.topic, d.partition, d.offset) for d in sorted(dead, key=lambda d: d.offset)] == [
        (b"three", str(tmp_path / "numbers.txt"), None, 4),
        (b"f\xffve", str(tmp_path / "numbers.txt"), None, 13),
    ]
    assert "not a number: b'three'" in dead[0].error


def test_dead_letters_that_nobody_reads_are_refused(run, tmp_path):
    env = run.environment()
    with pytest.raises(ValidationError, match="the side output 'dead' of 'Source: numbers' .*is never read"):
        run.collect(numbers(env, tmp_path, Numbers().with_dead_letters(DEAD)))


def test_without_dead_letters_the_job_fails_and_names_file_and_place(run, tmp_path):
    env = run.environment()
    with pytest.raises(FunctionError) as caught:
        run.collect(numbers(env, tmp_path, Numbers()))
    assert "not a number: b'three'" in str(caught.value)
    assert "numbers.txt" in str(caught.value) and "4" in str(caught.value)


def test_a_tag_has_one_type(run):
    main = run.environment().from_collection([1]).process(Sort())
    main.get_side_output(OutputTag("x", Types.LONG()))
    with pytest.raises(ValidationError, match="the side output 'x' of 'PROCESS' has the type Long, and cannot have"):
        main.get_side_output(OutputTag("x", Types.STRING()))
