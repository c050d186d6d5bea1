"""A driver that is killed while Spark starts leaves no process behind, though its folder may go at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from datastream.spark.process.run_folder import sweep
from tests.support.processes import Run, Runs


def holds(pattern: str) -> Callable[[Run], bool]:
    return lambda run: any(run.temp.glob(f"datastream-*/{pattern}"))


#: Moments of a start, and what tells that they have come.
MOMENTS: dict[str, Callable[[Run], bool]] = {
    "Java begins": lambda run: bool(run.named("java")),
    "Java has told its port": holds("gateway"),
    "Spark has begun": holds("blockmgr-*"),
    "the planner runs": lambda run: bool(run.named("ds-planner")),
}


@pytest.mark.parametrize(
    "moment", [next(iter(MOMENTS)), *(pytest.param(m, marks=pytest.mark.long) for m in [*MOMENTS][1:])]
)
def test_a_driver_that_is_killed_amid_its_start_leaves_nothing(moment: str, runs: Runs, tmp_path: Path) -> None:
    script = tmp_path / "endless.py"
    script.write_text(
        "from pyflink.datastream import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "env.from_sequence(0, 1 << 60).filter(lambda n: n < 0).print()\n"
        "env.execute()\n"
    )
    run = runs.job(script)
    run.until(lambda: MOMENTS[moment](run), moment)
    run.process.kill()
    run.process.wait()
    sweep(run.temp)
    run.assert_gone()
