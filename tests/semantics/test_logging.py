"""Messages of functions, as the handlers of the script see them."""

from __future__ import annotations

import logging

import pytest

from datastream import MapFunction
from datastream.testing.runner import Runner


class Warns(MapFunction):
    def map(self, value):
        logging.getLogger("functions").warning("got %d", value)
        return value


def test_the_scripts_handlers_get_what_functions_log(run: Runner, caplog: pytest.LogCaptureFixture) -> None:
    env = run.environment()
    assert run.collect(env.from_collection([1, 2]).map(Warns())) == [1, 2]
    found = [record for record in caplog.records if record.name == "functions"]
    assert sorted(record.getMessage() for record in found) == ["got 1", "got 2"]
    assert {record.pathname for record in found} == {__file__}
