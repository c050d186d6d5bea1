"""What the tests of metrics share."""

import pytest

from datastream import StreamExecutionEnvironment
from datastream.config.settings import settings
from tests.prometheus.scrapes import measured


@pytest.fixture
def env(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")
    env = measured(StreamExecutionEnvironment.get_execution_environment())
    env.set_parallelism(2)
    return env
