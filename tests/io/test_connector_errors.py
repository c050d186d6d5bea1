"""Errors of connectors name the method."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from datastream import Configuration, StreamExecutionEnvironment
from datastream.errors import FunctionError, ValidationError
from datastream.io import Batch, NumberedSource, Sink, SinkWriter, SourceReader
from datastream.time import WatermarkStrategy


def environment(**options):
    configuration = Configuration()
    for key, value in options.items():
        configuration.set_string(key, value)
    configuration.set_string("datastream.executor", "local")
    return StreamExecutionEnvironment.get_execution_environment(configuration)


@dataclass(frozen=True)
class Numbers(NumberedSource):
    gives: object

    def end(self):
        return 4

    def read(self, start, end):
        raise NotImplementedError

    def create_reader(self, context):
        return Reader(self.gives)


@dataclass
class Reader(SourceReader):
    gives: object

    def read(self, split):
        yield Batch([1, 2])
        yield self.gives
        yield Batch([3, 4])


@pytest.mark.parametrize("gives", [None, [1, 2], [1, 2, 3]])
def test_a_reader_that_gives_no_batch_is_named_and_nothing_behind_it_is_lost(gives):
    stream = environment().from_source(Numbers(gives), WatermarkStrategy.no_watermarks(), "numbers")
    with pytest.raises(
        FunctionError, match=f"'Source: numbers' failed: .*it gave {type(gives).__name__}\n.*Reader.read"
    ):
        list(stream.execute_and_collect())


@dataclass(frozen=True)
class FailingSink(Sink):
    fails: str

    def create_writer(self, context):
        if self.fails == "create_writer":
            raise RuntimeError("boom")
        return Writer(self.fails)


@dataclass
class Writer(SinkWriter):
    fails: str

    def begin(self, epoch, attempt):
        if self.fails == "begin":
            raise RuntimeError("boom")

    def write(self, batch):
        raise RuntimeError("boom")


@pytest.mark.parametrize("method", ["create_writer", "begin", "write"])
def test_the_method_of_a_sink_that_failed_is_named(method):
    env = environment()
    env.from_collection([1]).sink_to(FailingSink(method))
    with pytest.raises(FunctionError, match=rf"FailingSink\.{method}"):
        env.execute("job")


@pytest.mark.parametrize("key", ["datastream.epoch.max-records", "datastream.epoch.target-ms"])
def test_an_epoch_of_no_size_is_refused(key):
    env = environment(**{key: "0"})
    env.from_collection([1]).print()
    with pytest.raises(ValidationError, match=f"{key} must be at least 1, got 0"):
        env.execute("job")
