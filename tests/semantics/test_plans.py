"""The plan, before anything runs."""

from __future__ import annotations

import json

import pytest

from datastream import StreamExecutionEnvironment, ValidationError


@pytest.fixture
def env():
    env = StreamExecutionEnvironment.get_execution_environment()
    return env.set_parallelism(2)


def words(env):
    stream = env.from_collection(["a b", "b"]).flat_map(str.split).name("split").set_parallelism(3)
    return stream.map(lambda w: (w, 1)).key_by(lambda p: p[0]).sum(1).name("count").uid("counter")


def test_execution_plan(env):
    words(env).print()
    nodes = {node["type"]: node for node in json.loads(env.get_execution_plan())["nodes"]}
    assert nodes["split"]["parallelism"] == 3
    assert nodes["Map"]["predecessors"][0]["ship_strategy"] == "REBALANCE"
    assert nodes["count"]["predecessors"][0]["ship_strategy"] == "HASH"
    assert any(name.startswith("Sink") for name in nodes)


def test_explain_names_every_operator(env):
    words(env).print()
    text = env.explain()
    for name in ("Collection Source", "split", "count", "counter", "Print"):
        assert name in text


def test_looking_at_the_plan_takes_nothing_from_the_job(env):
    words(env).print()
    assert env.get_execution_plan() == env.get_execution_plan()
    assert env.explain() == env.explain()


def test_a_plan_without_a_sink_can_be_looked_at(env):
    words(env)
    assert "count" in env.explain()
    assert json.loads(env.get_execution_plan())["nodes"]


def test_a_partitioner_has_no_settings(env):
    with pytest.raises(ValidationError, match="rebalance"):
        env.from_collection([1]).rebalance().set_parallelism(2)


def test_too_few_key_groups(env):
    env.from_collection([1]).key_by(lambda x: x).sum().set_max_parallelism(1).print()
    with pytest.raises(ValidationError, match="'Sum' has parallelism 2, more than its 1 key groups"):
        env.execute()
