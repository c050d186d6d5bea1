"""Some of the scripts on Spark; `scripts/parity --spark` runs them all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.parity.cases import scripts
from tests.parity.checking import check
from tests.parity.runner import Runner, ours

SCRIPTS = [
    "operators/print_in_function",
    "operators/print_parallel",
    "operators/word_count",
    "types/rows_nested",
    "types/tuples_collected",
    "keyed/state_in_map",
    "windows/session",
    "process/event_time_timer",
    "connected/keyed_co_process_join",
    "files/text_sink_of_rows",
    "errors/in_map",
    "errors/wrong_type",
    "async/ordered_wait",
]


@pytest.fixture(scope="module")
def spark() -> Iterator[Runner]:
    with ours("spark") as runner:
        yield runner


@pytest.mark.long
@pytest.mark.parametrize("name", SCRIPTS)
def test_script_does_on_spark_what_it_does_on_flink(name: str, spark: Runner) -> None:
    (script,) = scripts([name])
    check(script, spark.run(script))
