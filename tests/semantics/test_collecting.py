"""``execute_and_collect``, ``execute_async`` and the `JobClient`."""

from __future__ import annotations

import pytest

from datastream import FunctionError, JobStatus, WatermarkStrategy
from datastream.connectors.datagen import DataGeneratorSource


def endless(env, rate=None):
    source = DataGeneratorSource(lambda n: n, rate_per_second=rate)
    return env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")


def test_iterator_gives_all_records(run):
    env = run.environment(parallelism=1)
    with env.from_collection(range(5)).map(lambda x: x * x).execute_and_collect("squares") as records:
        assert records.next() == 0
        assert list(records) == [1, 4, 9, 16]


def test_limit_ends_an_endless_job(run):
    env = run.environment(parallelism=1)
    assert endless(env).map(lambda x: x + 1).execute_and_collect(limit=5) == [1, 2, 3, 4, 5]


def test_closing_early_cancels_the_job(run):
    env = run.environment(parallelism=1)
    records = endless(env).execute_and_collect()
    assert [next(records) for _ in range(3)] == [0, 1, 2]
    records.close()
    records.close()
    assert records._client.get_job_status().result() is JobStatus.CANCELED


def test_a_closed_iterator_has_no_more_records(run):
    env = run.environment(parallelism=1)
    records = env.from_collection([1, 2, 3]).execute_and_collect()
    assert next(records) == 1
    records.close()
    assert list(records) == []
    with pytest.raises(StopIteration):
        records.next()
    records.close()


def test_client_of_an_endless_job(run):
    env = run.environment(parallelism=1)
    endless(env, rate=100).add_sink(lambda x: None)
    client = env.execute_async("endless")
    assert client.get_job_status().result() is JobStatus.RUNNING
    assert not client.get_job_execution_result().done()
    client.cancel().result()
    assert client.get_job_status().result() is JobStatus.CANCELED
    client.cancel().result()
    assert client.get_job_execution_result().result(10).get_job_id() == client.get_job_id()


def test_client_of_a_job_that_ends(run):
    env = run.environment()
    env.from_collection(range(10)).filter(lambda x: x % 2).add_sink(lambda x: None)
    client = env.execute_async()
    result = client.get_job_execution_result().result(60)
    assert client.get_job_status().result() is JobStatus.FINISHED
    assert result.get_all_accumulator_results() == {"records_in": 10, "records_out": 5}
    assert client.get_accumulators().result() == {"records_in": 10, "records_out": 5}


def test_client_of_a_job_that_fails(run):
    env = run.environment()
    env.from_collection([0]).map(lambda x: 1 / x).add_sink(lambda x: None)
    client = env.execute_async()
    with pytest.raises(FunctionError):
        client.get_job_execution_result().result(60)
    assert client.get_job_status().result() is JobStatus.FAILED


def test_the_iterator_raises_the_error_of_the_job(run):
    env = run.environment()
    records = env.from_collection([0]).map(lambda x: 1 / x).execute_and_collect()
    with pytest.raises(FunctionError):
        next(records)


def test_two_jobs_of_one_environment(run):
    env = run.environment()
    stream = env.from_collection([1, 2]).map(lambda x: x)
    assert stream.execute_and_collect(limit=10) == [1, 2]
    assert stream.map(lambda x: -x).execute_and_collect(limit=10) == [-1, -2]


def test_dangling_streams_run_too(run):
    env = run.environment()
    numbers = env.from_collection([1, 2, 3])
    numbers.rebalance().map(lambda x: x).key_by(lambda x: x).sum()
    numbers.filter(lambda x: x > 1)
    assert run.collect(numbers.map(str)) == ["1", "2", "3"]


def test_other_sinks_of_the_job_run_too(run, capfd):
    env = run.environment(parallelism=1)
    numbers = env.from_collection([1, 2, 3])
    numbers.print("before")
    with numbers.map(lambda x: -x).execute_and_collect() as records:
        assert list(records) == [-1, -2, -3]
    assert capfd.readouterr().out.splitlines() == ["before> 1", "before> 2", "before> 3"]
