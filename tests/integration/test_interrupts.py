"""Jobs that are stopped from outside, and scripts without the command line: nothing of them stays."""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.support.processes import JOBS, Run, Runs

pytestmark = pytest.mark.long

SOON_S = 15.0

SCRIPT = """
import sys
from datastream import StreamExecutionEnvironment, WatermarkStrategy
from datastream.connectors import DataGeneratorSource, DiscardingSink

what = sys.argv[1]
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
if what == "endless":
    source = DataGeneratorSource(lambda i: i, rate_per_second=1000)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "ticks")
else:
    stream = env.from_sequence(0, 10)
stream.map(lambda i: print("at work", file=sys.stderr, flush=True) or (1 // i if what == "failing" else i)).key_by(
    lambda i: i % 2).reduce(lambda a, b: a + b).sink_to(DiscardingSink())
env.execute("plain")
"""


def endless(runs: Runs) -> Run:
    """A job without end that is at work in all its processes."""
    run = runs.job("--log-format", "json", JOBS / "endless.py")
    run.until(lambda: run.err.count('"event": "epoch"') >= 2, "epochs")
    assert len(run.living()) > 4
    return run


def test_ctrl_c_cancels(runs: Runs) -> None:
    run = endless(runs)
    run.interrupt()
    assert run.wait(SOON_S) == 130, run.told()
    events = [json.loads(line)["event"] for line in run.err.splitlines()]
    assert events[-1] == "cancelled", run.told()
    run.assert_tidy()


def test_a_second_ctrl_c_ends_at_once(runs: Runs) -> None:
    run = endless(runs)
    run.java().suspend()  # the first can get nowhere
    run.interrupt()
    run.until(lambda: "cancelling" in run.err, "word of the first")
    time.sleep(0.5)
    assert run.process.poll() is None
    run.interrupt()
    assert run.wait(5) == 130, run.told()
    run.java().resume()
    run.assert_gone()


def test_sigterm(runs: Runs) -> None:
    run = endless(runs)
    run.process.send_signal(signal.SIGTERM)
    assert run.wait(SOON_S) == 130, run.told()
    run.assert_tidy()


@pytest.mark.parametrize(("what", "code"), [("finishing", 0), ("failing", 1), ("endless", 130)])
def test_a_plain_script_leaves_nothing(runs: Runs, tmp_path: Path, what: str, code: int) -> None:
    (tmp_path / "plain.py").write_text(SCRIPT)
    run = runs.start(sys.executable, "plain.py", what)
    if what == "endless":
        run.until(lambda: "at work" in run.err, "work in the workers")
        run.interrupt()
    ended = run.wait()
    assert ended == (-signal.SIGINT if what == "endless" else code), run.told()
    if what == "failing":
        assert "ZeroDivisionError" in run.err
        assert "plain.py" in run.err
    run.assert_tidy()
