"""Exactly once over processes that are killed (-9) and tasks that move between processes."""

import json
import random
import signal
import subprocess
import sys

import pytest

from datastream.connectors.kafka import KafkaFailure
from datastream.io import Batch
from tests.support.drive import begun, context, write
from tests.support.kafka.sinks import sink_of, values
from tests.support.processes import ROOT

POINTS = ["written", "unmarked", "marked", "committed"]


def run(kafka, topic, *tasks):
    """Tasks in one process: (epoch, subtask, rows, where to die or None); whether it lived."""
    command = [sys.executable, "-m", "tests.support.kafka.sink_process", json.dumps([kafka.bootstrap, topic, tasks])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    assert (done.returncode == 0) == ("through" in done.stdout)
    return done.returncode == 0


@pytest.mark.parametrize("point", POINTS)
def test_killed_and_run_again(kafka, point):
    topic = kafka.topic()
    assert run(kafka, topic, (0, 0, ["0"], None))
    assert not run(kafka, topic, (1, 0, ["1a", "1b"], point))
    assert run(kafka, topic, (1, 0, ["1a", "1b"], None), (2, 0, ["2"], None))
    assert values(kafka, topic) == ["0", "1a", "1b", "2"]


@pytest.mark.parametrize("point", POINTS)
def test_killed_in_the_first_epoch_of_all(kafka, point):
    topic = kafka.topic()
    assert not run(kafka, topic, (0, 0, ["a", "b"], point))
    assert run(kafka, topic, (0, 0, ["a", "b"], None))
    assert values(kafka, topic) == ["a", "b"]


@pytest.mark.long
def test_a_task_moves_between_living_processes(kafka):
    """Here and elsewhere in turn: the producer kept here was shut out in between."""
    topic = kafka.topic()
    sink = sink_of(kafka, topic, prefix=topic)
    write(sink, context(0), ["0"])
    assert run(kafka, topic, (1, 0, ["1"], None))
    write(sink, context(1), ["1"])
    write(sink, context(2), ["2"])
    assert not run(kafka, topic, (3, 0, ["3"], "marked"))
    # The newest marker is this process's, but another producer has begun since, and its transaction is open.
    write(sink, context(3, attempt=1), ["3"])
    assert values(kafka, topic) == ["0", "1", "2", "3"]


def test_one_attempt_is_lost_where_another_producer_wrote_no_marker(kafka):
    topic = kafka.topic()
    sink = sink_of(kafka, topic, prefix=topic)
    write(sink, context(0), ["0"])
    assert not run(kafka, topic, (1, 0, ["1"], "unmarked"))
    writer = begun(sink, context(1, attempt=1))
    with pytest.raises(KafkaFailure, match="another producer took over"):
        writer.write(Batch(["1"]))
        writer.prepare_commit()
    writer.abort()
    write(sink, context(1, attempt=2), ["1"])
    assert values(kafka, topic) == ["0", "1"]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_random_kills(kafka, seed):
    draw = random.Random(seed)
    topic = kafka.topic(partitions=2)
    expected = []
    for epoch in range(4):
        rows = [[f"{epoch}.{task}.{i}" for i in range(draw.randrange(1, 4))] for task in range(2)]
        expected += rows[0] + rows[1]
        points = [draw.choice([None, None, *POINTS]) for _ in rows]
        if not run(kafka, topic, *((epoch, task, rows[task], points[task]) for task in range(2))):
            assert run(kafka, topic, *((epoch, task, rows[task], None) for task in range(2)))
    assert values(kafka, topic) == sorted(expected)
