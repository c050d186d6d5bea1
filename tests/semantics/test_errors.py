"""Jobs that are wrong as written, and jobs whose functions fail: what the user reads, on both executors."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from datastream import (
    AggregateFunction,
    FunctionError,
    KeyedProcessFunction,
    MapFunction,
    NotSerializableError,
    OutputTag,
    ProcessFunction,
    ReduceFunction,
    Time,
    Types,
    ValidationError,
    WatermarkStrategy,
)
from datastream.connectors.datagen import DataGeneratorSource
from datastream.connectors.files import FileSink, FileSource, StreamFormat
from datastream.formats import Encoder
from datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from datastream.windows import TumblingEventTimeWindows
from tests.support.timelines import Second

HERE = Path(__file__).name


@dataclass
class Order:
    amount: int


class Refused(Exception):
    """Only this module knows it."""


class Tax(MapFunction):
    def map(self, value):
        return value.amount * 2


class Sealed(MapFunction):
    def open(self, runtime_context):
        raise Refused("no key for the seal")

    def map(self, value):
        return value


class Plain(MapFunction):
    def open(self, runtime_context):
        self.opened = True

    def map(self, value):
        return value


class TwoArguments(MapFunction):
    def map(self, value, more):
        return value


class WithLock(MapFunction):
    def __init__(self):
        self.guard = threading.Lock()

    def map(self, value):
        return value


class Short(ReduceFunction):
    def reduce(self, value1, value2):
        return value1 + value2


def line_of(text):
    """``file:line`` of the one line of this file that ends with a text."""
    lines = Path(__file__).read_text().splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if line.endswith(f"# {text}")]
    return f"{HERE}:{number}"


def failure(run, build, parallelism=2):
    """The error of the job that `build` makes: env -> stream."""
    env = run.environment(parallelism)
    stream = build(env)
    with pytest.raises(FunctionError) as caught:
        run.collect(stream)
    return caught.value


# -- refused before anything runs ------------------------------------------------------------------


def test_no_sink(run, tmp_path, caplog):
    def note(n):
        tmp_path.joinpath(str(n)).touch()
        return n

    env = run.environment()
    env.from_collection([1, 2]).map(note)  # the last operator
    with caplog.at_level("WARNING", "datastream"):
        env.execute()
    assert {path.name for path in tmp_path.iterdir()} == {"1", "2"}
    (said,) = [line for line in caplog.messages if "no sink" in line]
    assert "'Map'" in said and line_of("the last operator") in said and "DiscardingSink" in said


def test_no_sink_and_no_function(run):
    env = run.environment()
    numbers = env.from_collection([1])
    numbers.union(numbers)
    with pytest.raises(ValidationError, match="no sink"):
        env.execute()


def test_nothing_at_all(run):
    with pytest.raises(ValidationError, match="no operators"):
        run.environment().execute()


def no_argument():
    return None


@pytest.mark.parametrize("function", [lambda: 1, lambda a, b: 1, no_argument, TwoArguments(), Short().reduce])
def test_wrong_number_of_arguments(run, function):
    with pytest.raises(ValidationError, match=r"map calls its function with 1 argument \(value\)") as caught:
        run.environment().from_collection([1]).map(function)
    assert f"{HERE}:" in str(caught.value)


def test_wrong_number_of_arguments_elsewhere(run):
    stream = run.environment().from_collection([1])
    with pytest.raises(ValidationError, match=r"reduce calls its function with 2 arguments \(value1, value2\)"):
        stream.key_by(lambda x: x).reduce(lambda a: a)
    with pytest.raises(ValidationError, match=r"partition_custom calls its function with 2 arguments"):
        stream.partition_custom(lambda key: 0, lambda x: x)
    with pytest.raises(ValidationError, match="key_by calls its function with 1 argument"):
        stream.key_by(lambda: 0)


def test_a_class_instead_of_an_object(run):
    with pytest.raises(ValidationError, match=r"map got the class Tax; pass an object: Tax\(\)"):
        run.environment().from_collection([1]).map(Tax)


@pytest.mark.parametrize("wrong", [None, 5, "str", [str]])
def test_not_a_function(run, wrong):
    with pytest.raises(ValidationError, match="map needs a function of"):
        run.environment().from_collection([1]).map(wrong)


def test_duplicate_uid(run):
    env = run.environment()
    stream = env.from_collection([1]).map(str).uid("same")  # first of two
    stream.map(str).uid("same").print()  # second of two
    with pytest.raises(ValidationError, match="the uid 'same' is used by 2 operators") as caught:
        env.execute()
    assert line_of("first of two") in str(caught.value) and line_of("second of two") in str(caught.value)


@pytest.mark.parametrize("wrong", [0, -2])
def test_parallelism_of_nothing(run, wrong):
    env = run.environment()
    with pytest.raises(ValidationError, match="parallelism must be a whole number of at least 1"):
        env.set_parallelism(wrong)
    with pytest.raises(ValidationError, match="parallelism must be a whole number of at least 1"):
        env.from_collection([1]).map(str).set_parallelism(wrong)
    with pytest.raises(ValidationError, match="max parallelism must be a whole number from 1"):
        env.set_max_parallelism(wrong)


def test_a_file_that_is_not_there(run, tmp_path):
    env = run.environment()
    with pytest.raises(ValidationError, match="no-such-file"):
        env.read_text_file(str(tmp_path / "no-such-file")).print()
        env.execute()


@pytest.mark.parametrize("wrong", ["abc", b"abc", 5, None])
def test_not_a_collection(run, wrong):
    with pytest.raises(ValidationError, match="from_collection needs a list"):
        run.environment().from_collection(wrong)


def test_batch_mode_without_end(run):
    env = run.environment(batch=True)
    source = DataGeneratorSource(lambda n: n)
    env.from_source(source, WatermarkStrategy.no_watermarks(), "endless").print()
    with pytest.raises(ValidationError, match="batch mode needs sources that end, but 'Source: endless'"):
        env.execute()


def test_streams_of_two_environments(run):
    with pytest.raises(ValidationError, match="one StreamExecutionEnvironment"):
        run.environment().from_collection([1]).union(run.environment().from_collection([2]))


# -- functions that cannot travel --------------------------------------------------------------------


def refusal(run, stream):
    with pytest.raises(NotSerializableError) as caught:
        run.collect(stream)
    return str(caught.value)


def test_a_lambda_over_a_lock(run):
    lock = threading.Lock()
    stream = run.environment().from_collection([1]).map(lambda x: (lock, x)).name("guarded")
    text = refusal(run, stream)
    assert "operator 'guarded'" in text and "variable 'lock'" in text and HERE in text and "open()" in text


def test_a_lambda_over_an_open_file(run, tmp_path):
    with open(tmp_path / "log", "w") as log:
        stream = run.environment().from_collection([1]).map(lambda x: log.write(x)).name("writing")
        text = refusal(run, stream)
    assert "operator 'writing'" in text and "variable 'log'" in text


def test_a_rich_function_with_a_lock(run):
    text = refusal(run, run.environment().from_collection([1]).map(WithLock()).name("guarded"))
    assert "operator 'guarded'" in text and "attribute 'guard'" in text


def test_key_selector_and_partitioner_over_a_lock(run):
    lock = threading.Lock()
    stream = run.environment().from_collection([1])
    text = refusal(run, stream.key_by(lambda x: (lock, x)).sum())
    assert "key selector of operator 'Sum'" in text and "variable 'lock'" in text
    stream = run.environment().from_collection([1])
    text = refusal(run, stream.partition_custom(lambda k, n: bool(lock), lambda x: x).map(str))
    assert "partitioner of operator 'Map'" in text and "variable 'lock'" in text


# -- functions that fail -----------------------------------------------------------------------------


def test_a_record_that_the_function_cannot_take(run):
    def double(order):
        return order.amount * 2  # no amount

    records = [Order(1), Order(2), "three", Order(4)]
    error = failure(run, lambda env: env.from_collection(records).map(double).name("double"))
    text = str(error)
    assert "operator 'double' failed: AttributeError: 'str' object has no attribute 'amount'" in text
    assert "test_a_record_that_the_function_cannot_take.<locals>.double" in text
    assert line_of("no amount") in text
    assert "record:   'three'" in text
    assert isinstance(error.__cause__, AttributeError)


def test_a_method_of_a_rich_function(run):
    error = failure(run, lambda env: env.from_collection([Order(1), None, 5]).rebalance().map(Tax()).name("tax"))
    assert "operator 'tax' failed: AttributeError" in str(error)
    assert "Tax" in error.failure.function and f"{HERE}:" in error.failure.location
    assert isinstance(error.__cause__, AttributeError)


def test_a_builtin(run):
    error = failure(run, lambda env: env.from_collection(["1", "x"]).map(int).name("parse"))  # made here
    assert "operator 'parse' failed: ValueError: invalid literal for int() with base 10: 'x'" in str(error)
    assert error.failure.function == "int" and error.failure.record == "'x'"
    assert line_of("made here") in error.failure.location
    assert isinstance(error.__cause__, ValueError)


def test_a_filter(run):
    error = failure(run, lambda env: env.from_collection([2, 0]).filter(lambda x: 1 / x))  # divides
    assert "operator 'Filter' failed: ZeroDivisionError: division by zero" in str(error)
    assert line_of("divides") in error.failure.location and error.failure.record == "0"
    assert isinstance(error.__cause__, ZeroDivisionError)


def test_a_generator_in_the_middle(run):
    def parts(text):
        yield text
        yield text.upper()
        raise Refused(text)  # in the middle

    error = failure(run, lambda env: env.from_collection(["a"]).flat_map(lambda t: t.split()).flat_map(parts))
    assert "operator 'FlatMap' failed: Refused: a" in str(error)
    assert line_of("in the middle") in error.failure.location and error.failure.record == "'a'"
    assert type(error.__cause__) is Refused


def test_not_iterable(run):
    error = failure(run, lambda env: env.from_collection([5]).flat_map(lambda x: x).name("split"))
    assert "must yield its results, or return a list of them; it returned 'int'" in str(error)
    assert "operator 'split' failed" in str(error)
    assert error.failure.record == "5"


def test_a_key_selector(run):
    error = failure(run, lambda env: env.from_collection([{"k": 1}, {}]).key_by(lambda r: r["k"]).sum("k"))  # selects
    assert "operator 'Sum' failed: KeyError: 'k'" in str(error)
    assert error.failure.function == "key selector" and error.failure.record == "{}"
    assert line_of("selects") in error.failure.location
    assert isinstance(error.__cause__, KeyError)


@pytest.mark.long_on_spark
@pytest.mark.parametrize("reducer", [lambda a, b: a + b, Short()])
def test_a_reduce(run, reducer):
    error = failure(run, lambda env: env.from_collection([1, "b"]).key_by(lambda x: 0).reduce(reducer).name("add"))
    assert "operator 'add' failed: TypeError: unsupported operand" in str(error)
    assert f"{HERE}:" in error.failure.location and error.failure.record == "'b'"
    assert isinstance(error.__cause__, TypeError)


def test_an_aggregate_of_a_field_that_is_not_there(run):
    error = failure(run, lambda env: env.from_collection([(1,), (2,)]).key_by(lambda x: 0).sum(3))
    assert "operator 'Sum' failed" in str(error) and "the record has no field 3" in str(error)


def test_open(run):
    error = failure(run, lambda env: env.from_collection([1]).map(Plain()).name("fine").map(Sealed()).name("sealed"))
    assert "operator 'sealed' failed: Refused: no key for the seal" in str(error)
    assert "Sealed.open" in error.failure.function and f"{HERE}:" in error.failure.location
    assert type(error.__cause__) is Refused


@pytest.mark.parametrize("parallelism", [1, 2])
def test_a_key_that_cannot_be_pickled(run, parallelism):
    def build(env):
        return env.from_collection([1]).key_by(lambda r: [lambda: r]).reduce(lambda a, b: a).name("last")

    error = failure(run, build, parallelism)
    assert "operator 'last' failed" in str(error)
    assert "the key [<function" in str(error) and "cannot be pickled" in str(error)


def test_a_partitioner_out_of_range(run):
    build = lambda env: env.from_collection([7]).partition_custom(lambda k, n: n, lambda x: x).map(str).name("text")  # noqa: E731
    error = failure(run, build)
    assert "operator 'text' failed" in str(error)
    assert "the partitioner returned 2 for key 7; expected a subtask index from 0 to 1" in str(error)


def test_a_partitioner_that_fails(run):
    def choose(key, n):
        raise Refused(key)  # in the partitioner

    error = failure(run, lambda env: env.from_collection([7]).partition_custom(choose, lambda x: x).map(str))
    assert "operator 'Map' failed: Refused: 7" in str(error) and line_of("in the partitioner") in str(error)


def test_a_record_whose_repr_fails(run):
    class Shy:
        def __repr__(self):
            raise Refused("not telling")

    error = failure(run, lambda env: env.from_collection([1]).map(lambda x: Shy()).map(lambda s: s.missing))
    assert "AttributeError" in str(error) and "record:   <Shy" in str(error)


def test_a_result_that_cannot_be_pickled(run):
    def collected(env):
        return env.from_collection([1]).map(lambda x: threading.Lock()).name("locks")

    for build in (collected, lambda env: collected(env).rebalance().map(lambda x: x)):
        error = failure(run, build)
        assert "operator 'locks' failed: TypeError: cannot pickle" in str(error)
        assert "record:   <unlocked _thread.lock" in str(error)


def test_behind_a_timestamp_assigner_the_operator_that_failed_is_named(run):
    def stream(env):
        strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
        return env.from_collection([("a", 1)]).assign_timestamps_and_watermarks(strategy).map(lambda v: v[9])

    error = failure(run, stream)
    assert "operator 'Map' failed: IndexError" in str(error)
    assert type(error.__cause__) is IndexError


def test_a_keyed_function_without_keys_is_refused_at_once(run):
    with pytest.raises(ValidationError, match="call key_by first"):
        run.environment().from_collection([1]).process(Keyed())
    with pytest.raises(AttributeError, match="'DataStream' object has no attribute 'window'.*call key_by first"):
        run.environment().from_collection([1]).window(None)


def test_a_builder_is_no_source_and_no_sink(run):
    files = FileSource.for_record_stream_format(StreamFormat.text_line_format(), "/data")
    sink = FileSink.for_row_format("/data", Encoder.simple_string_encoder())
    env = run.environment()
    numbers = env.from_collection([1])
    for call in (
        lambda: env.from_source(files, WatermarkStrategy.no_watermarks(), "lines"),
        lambda: env.add_source(files),
        lambda: numbers.sink_to(sink),
        lambda: numbers.add_sink(sink),
    ):
        with pytest.raises(ValidationError, match=r"Builder.*; call \.build\(\) on it$"):
            call()


class Keyed(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value


class Slams(MapFunction):
    def map(self, value):
        return value

    def close(self):
        raise Refused("does not close")


def test_an_error_in_close_names_the_function(run):
    error = failure(run, lambda env: env.from_collection([1]).map(Slams()).map(Slams()))
    assert "Refused: does not close" in str(error)
    assert error.failure.function == "Slams.close"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda s: s.keyBy, "'DataStream' object has no attribute 'keyBy'; did you mean key_by?"),
        (lambda s: s.countWindow, "it needs a keyed stream: call key_by first"),
        (lambda s: s.aggregate, "it needs windows: call key_by(...) and window(...), or window_all(...), first"),
        (lambda s: s.key_by(str).aggregate, "'KeyedStream' object has no attribute 'aggregate'; it needs windows"),
        (lambda s: s.key_by(str).count_window(2).sum, "'sum'; call reduce, such as reduce(lambda a, b:"),
        (lambda s: s.key_by(str).count_window(2).allowedLateness, "did you mean allowed_lateness?"),
        (lambda s: s.connect(s).print, "call map, flat_map or process first"),
        (lambda s: s.get_execution_environment().fromCollection, "did you mean from_collection?"),
        (lambda s: s.nothing_like_it, "'DataStream' object has no attribute 'nothing_like_it'"),
    ],
)
def test_a_missing_name_says_what_to_write(call, text, run):
    with pytest.raises(AttributeError) as caught:
        call(run.environment().from_collection([1]))
    assert text in str(caught.value)


class Asking(KeyedProcessFunction):
    def __init__(self, where, ask):
        self.where, self.ask = where, ask

    def open(self, runtime_context):
        if self.where == "open":
            self.ask(runtime_context)
        self.list = runtime_context.get_list_state(ListStateDescriptor("list", Types.INT()))
        self.value = runtime_context.get_state(ValueStateDescriptor("value", Types.INT()))

    def process_element(self, value, ctx):
        self.ask(getattr(self, self.where, ctx))
        yield value


@pytest.mark.long_on_spark
@pytest.mark.parametrize(
    ("where", "ask", "text"),
    [
        ("open", lambda c: c.getState, "'RuntimeContext' object has no attribute 'getState'; did you mean get_state?"),
        ("open", lambda c: c.get_value_state, "call get_state(ValueStateDescriptor(...))"),
        (
            "ctx",
            lambda c: c.output,
            "Context' object has no attribute 'output'; a side output is yielded: yield tag, v",
        ),
        ("ctx", lambda c: c.getRuntimeContext, "keep the context that open(self, runtime_context) gets"),
        ("list", lambda c: c.append, "'ListState' object has no attribute 'append'; call add(value)"),
        ("value", lambda c: c.get, "'ValueState' object has no attribute 'get'; call value()"),
    ],
)
def test_a_missing_name_of_a_context_or_state_says_what_to_write(where, ask, text, run):
    error = failure(run, lambda env: env.from_collection([1]).key_by(lambda n: n).process(Asking(where, ask)))
    assert text in str(error)


class PlainOutput(ProcessFunction):
    def process_element(self, value, ctx):
        ctx.output(OutputTag("late"), value)
        yield value


def test_output_of_a_context_without_keys_says_yield(run):
    error = failure(run, lambda env: env.from_collection([1]).process(PlainOutput()))
    assert "'ProcessFunction.Context' object has no attribute 'output'; a side output is yielded: yield tag" in str(
        error
    )


class Forgetful(AggregateFunction):
    def create_accumulator(self):
        return []

    def add(self, value, accumulator):
        accumulator.append(value)

    def get_result(self, accumulator):
        return len(accumulator)

    def merge(self, a, b):
        return a + b


class Entries(KeyedProcessFunction):
    def open(self, runtime_context):
        self.seen = runtime_context.get_map_state(MapStateDescriptor("seen", Types.INT(), Types.INT()))

    def process_element(self, value, ctx):
        self.seen[value] += 1
        yield value


class Stateless(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield None + value


@pytest.mark.long_on_spark
def test_a_none_has_the_hint_of_its_cause(run):
    def hint_of(make):
        text = str(failure(run, lambda env: make(env.from_collection([1, 1]).key_by(lambda n: n))))
        return text.partition("hint:")[2].strip()

    assert hint_of(lambda s: s.count_window(2).aggregate(Forgetful())).startswith("the accumulator is None: create_acc")
    found = hint_of(lambda s: s.process(Entries()))
    assert found.startswith("something is None here: MapState.get(key), or state[key], is None")
    assert "ValueState" not in found
    assert hint_of(lambda s: s.process(Stateless())) == ""


def test_windows_of_records_without_timestamps_name_the_assigner(run):
    def stream(env):
        timed = env.from_collection([1]).assign_timestamps_and_watermarks(WatermarkStrategy.for_monotonous_timestamps())
        return timed.key_by(str).window(TumblingEventTimeWindows.of(Time.seconds(1))).reduce(max)

    assert "with a strategy that has .with_timestamp_assigner(...)" in str(failure(run, stream))


def test_a_parallelism_is_a_whole_number(run):
    env = run.environment()
    stream = env.from_collection([1])
    for call in (env.set_parallelism, env.set_default_local_parallelism, stream.set_parallelism):
        for wrong in ("2", 1.5, None, True, 0):
            with pytest.raises(
                ValidationError, match=f"^parallelism must be a whole number of at least 1, got {wrong!r}"
            ):
                call(wrong)
    for call in (env.set_max_parallelism, stream.set_max_parallelism):
        with pytest.raises(ValidationError, match="max parallelism must be a whole number from 1 to 32768, got '2'"):
            call("2")
