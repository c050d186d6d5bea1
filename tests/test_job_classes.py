"""Job ids, statuses, futures, results; and the times and formats beside them."""

import pickle
import threading
from concurrent.futures import CancelledError
from datetime import date
from decimal import Decimal

import pytest

from datastream.api import StreamExecutionEnvironment
from datastream.errors import FormatError, ValidationError
from datastream.formats import ByteArraySchema, Encoder, SimpleStringSchema
from datastream.job import CompletableFuture, JobExecutionResult, JobID, JobStatus
from datastream.time import Duration, Instant, Time, TimestampAssigner, WatermarkStrategy
from datastream.types import Row


def test_job_id():
    job_id = JobID()
    assert len(str(job_id)) == 32
    assert job_id != JobID()
    assert JobID(str(job_id)) == job_id == pickle.loads(pickle.dumps(job_id))
    with pytest.raises(ValidationError, match="32"):
        JobID("abc")


def test_job_status():
    terminal = {status.name for status in JobStatus if status.is_terminal_state()}
    globally = {status.name for status in JobStatus if status.is_globally_terminal_state()}
    assert globally == {"FAILED", "CANCELED", "FINISHED"}
    assert terminal == globally | {"SUSPENDED"}
    assert JobStatus["INITIALIZING"]


def test_future_takes_one_result():
    future = CompletableFuture()
    assert not future.done()
    assert future.set_result(1) is True
    assert future.set_result(2) is False
    assert future.set_exception(ValueError()) is False
    assert future.cancel() is False
    assert (future.result(), future.exception(), future.done()) == (1, None, True)
    assert repr(future) == "CompletableFuture<completed>"


def test_future_waits_for_another_thread():
    future, seen = CompletableFuture(), []
    future.add_done_callback(lambda done: seen.append(done.result()))
    thread = threading.Thread(target=future.set_result, args=("x",))
    thread.start()
    assert future.result(timeout=30) == "x"
    thread.join()
    assert seen == ["x"]


def test_future_fails_and_cancels():
    failed = CompletableFuture.failed(ValueError("no"))
    assert isinstance(failed.exception(), ValueError)
    with pytest.raises(ValueError, match="no"):
        failed.result()
    pending = CompletableFuture()
    with pytest.raises(TimeoutError):
        pending.result(timeout=0)
    assert pending.cancel()
    assert pending.cancelled()
    with pytest.raises(CancelledError):
        pending.result()
    assert CompletableFuture.completed(3).result() == 3


def test_job_execution_result():
    job_id = JobID()
    result = JobExecutionResult(job_id, 1200, {"n": 3})
    assert result.get_job_id() == job_id
    assert result.get_net_runtime() == 1200
    assert result.get_accumulator_result("n") == 3
    assert result.get_accumulator_result("m") is None
    assert result.get_all_accumulator_results() == {"n": 3}
    assert result.is_job_execution_result()
    assert "1200 ms" in str(result)


def test_times():
    assert Duration.of_days(1) == Duration.of_hours(24) == Duration.of_minutes(1440)
    assert Duration.of_nanos(1_999_999).to_millis() == 1
    assert Time.hours(1).to_milliseconds() == 3_600_000
    assert Time.days(1) == Time.minutes(1440)
    assert str(Time.seconds(2)) == "2000 ms"
    assert repr(Instant(1, 5)) == "Instant<1, 5>"


@pytest.mark.parametrize("milli", [0, 1, 999, 1000, 123_456, -1, -999, -1001])
def test_instants_keep_milliseconds(milli):
    assert Instant.of_epoch_milli(milli).to_epoch_milli() == milli


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def test_watermark_strategies_are_values():
    bounded = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5))
    assigned = bounded.with_timestamp_assigner(Second()).with_idleness(Duration.of_minutes(1))
    assert bounded.timestamp_assigner is None
    assert assigned.timestamp_assigner.extract_timestamp(("a", 7), -1) == 7
    assert assigned.idle_timeout == Duration.of_seconds(60)
    assert WatermarkStrategy.no_watermarks().max_out_of_orderness is None
    assert WatermarkStrategy.for_monotonous_timestamps().max_out_of_orderness == Duration(0)
    assert bounded == pickle.loads(pickle.dumps(bounded))
    with pytest.raises(ValidationError, match="idle_timeout"):
        bounded.with_idleness(Duration(0))
    numbers = StreamExecutionEnvironment.get_execution_environment().from_collection([1])
    of_lambda = bounded.with_timestamp_assigner(lambda value, ts: ts)  # refused where it is used, as in PyFlink
    with pytest.raises(ValidationError, match="TimestampAssigner"):
        numbers.assign_timestamps_and_watermarks(of_lambda)


def test_simple_schemas():
    text = SimpleStringSchema()
    assert text.deserialize(text.serialize("é")) == "é"
    assert SimpleStringSchema("latin-1").serialize("é") == b"\xe9"
    assert ByteArraySchema().serialize(bytearray(b"x")) == b"x"
    with pytest.raises(FormatError, match="writes str, got int"):
        text.serialize(1)
    with pytest.raises(ValidationError, match="charset"):
        SimpleStringSchema("no-such")


def test_encoders():
    assert Encoder.simple_string_encoder().encode((1, "a")) == b"(1, 'a')\n"
    json_lines = Encoder.json_lines()
    row = Row(a=1, d=date(2024, 1, 2), x=Row(1, Decimal("1.5")))
    assert json_lines.encode(row) == b'{"a":1,"d":"2024-01-02","x":[1,"1.5"]}\n'
    with pytest.raises(ValidationError, match="Cannot write"):
        json_lines.encode(object())


def test_csv_encoder():
    plain, named = Encoder.csv(), Encoder.csv(";", ["b", "a"])
    assert plain.file_header() == b""
    assert plain.encode(("x,y", 1, None)) == b'"x,y",1,\n'
    assert plain.encode("word") == b"word\n"
    assert named.file_header() == b"b;a\n"
    assert named.encode({"a": 1, "b": 2}) == named.encode(Row(a=1, b=2)) == named.encode((2, 1)) == b"2;1\n"
    with pytest.raises(ValidationError, match=r"lacks the columns \['b'\]"):
        named.encode({"a": 1})
    with pytest.raises(ValidationError, match="expected 2 values"):
        named.encode((1,))
    with pytest.raises(ValidationError, match="one character"):
        Encoder.csv("::")
