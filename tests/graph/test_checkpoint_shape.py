"""What of a job must stay the same for it to go on from a checkpoint."""

from __future__ import annotations

import pytest

from datastream import StreamExecutionEnvironment, UnsupportedOperation, WatermarkStrategy
from datastream.api.environment import graph_of
from datastream.connectors import NumberSequenceSource
from datastream.connectors.collect_sink import CollectSink
from datastream.graph import Plan
from datastream.graph.shape import describe
from datastream.io import Consumed
from datastream.runtime.enumerators import Enumerators
from datastream.runtime.epoch_plan import plan_epoch
from datastream.runtime.program import JobSpec, Program


class Needing(CollectSink):
    @property
    def consumed(self):
        return Consumed(needs_checkpoint=True)


def environment():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    return env


def numbers(env, uid):
    return env.from_source(NumberSequenceSource(0, 9), WatermarkStrategy.no_watermarks(), uid).uid(uid)


def paths(build, sink=Needing):
    env = environment()
    build(env).sink_to(sink()).set_parallelism(2).uid("out")
    return describe(Plan.of(graph_of(env, "job")))["paths"]


def test_the_way_to_a_sink_that_knows_its_subtasks_must_stay():
    def plain(env):
        return numbers(env, "a").union(numbers(env, "b"))

    def swapped(env):
        b = numbers(env, "b")
        return numbers(env, "a").union(b)

    def longer(env):
        return numbers(env, "a").map(str).union(numbers(env, "b").filter(bool))

    def narrower(env):
        return numbers(env, "a").set_parallelism(1).union(numbers(env, "b"))

    def exchanged(env):
        return numbers(env, "a").union(numbers(env, "b").rebalance().map(str))

    assert paths(plain) == paths(swapped) == paths(longer)
    assert len({str(paths(build)) for build in (plain, narrower, exchanged)}) == 3
    assert paths(plain, CollectSink) == {}


def test_paths_that_part_and_meet_again_stay_short():
    def doubled(env):
        stream = numbers(env, "a")
        for _ in range(60):
            stream = stream.map(str).union(stream.map(int))
        return stream

    assert len(str(paths(doubled))) < 1000


def planned(order):
    """For each subtask, what it reads of which source."""
    env = environment()
    for uid in order:
        numbers(env, uid).sink_to(CollectSink())
    program = Program(JobSpec(graph_of(env, "job"), "", "", {}))
    uids = {op.id: op.state_uid for op in program.plan.graph.operators}
    enumerators = Enumerators(program)
    source = program.plan.sources[0]
    start = enumerators.initial_offset(source)
    end = enumerators.latest_offset(source, start, 5)
    tasks = plan_epoch(enumerators, dict.fromkeys(order, start), dict.fromkeys(order, end), False, ())
    return [[(uids[id], split) for id, split in task.splits] for task in tasks]


def test_a_source_is_read_by_the_same_subtasks_wherever_it_stands_in_the_script():
    assert planned("ab") == planned("ba")


def test_jars_of_connectors_are_not_needed(caplog):
    env = environment()
    env.add_jars("file:///jars/flink-sql-connector-kafka-1.15.0.jar")
    assert "not needed" in caplog.text
    with pytest.raises(UnsupportedOperation, match=r"my-udfs\.jar.*Java classes cannot be used"):
        env.add_jars("file:///jars/my-udfs.jar")
