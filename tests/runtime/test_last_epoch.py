"""A small rest of a bounded input is read together with what comes before it; what the last epoch of a job reads."""

from dataclasses import replace

import pytest

from datastream import StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.connectors.discard_sink import DiscardingSink


class Sizes:
    """The records of each epoch."""

    def __init__(self):
        self.epochs = []

    def on_start(self, graph):
        pass

    def on_epoch(self, summary):
        self.epochs.append(summary.records_in)

    def on_restart(self, restart):
        pass

    def on_end(self, status, error):
        pass


@pytest.fixture
def epochs(monkeypatch):
    """Run a sequence of so many numbers, with settings; the sizes of its epochs."""

    def run(numbers, properties=None, sink=None):
        sizes = Sizes()
        monkeypatch.setattr(settings(), "executor", "local")
        monkeypatch.setattr(settings(), "listeners", [sizes])
        monkeypatch.setattr(settings(), "properties", properties or {})
        env = StreamExecutionEnvironment.get_execution_environment()
        env.from_sequence(1, numbers).sink_to(sink or DiscardingSink())
        env.execute("numbers")
        return sizes.epochs

    return run


def test_a_rest_of_a_quarter_joins(epochs):
    assert epochs(125_000) == [125_000]


def test_more_is_an_epoch_of_its_own(epochs):
    assert epochs(125_001) == [100_000, 25_001]


def test_no_epoch_has_more_records_than_the_user_allows(epochs):
    most = {"datastream.epoch.max-records": "100000"}
    assert epochs(110_000, most) == [100_000, 10_000]


class EndsApart(DiscardingSink):
    @property
    def consumed(self):
        return replace(super().consumed, ends_apart=True)


def test_a_sink_may_have_the_end_in_an_epoch_that_reads_nothing(epochs):
    assert epochs(125_001, sink=EndsApart()) == [100_000, 25_001, 0]
