"""What a measured job tells of a source's partitions, and of its keys."""

from __future__ import annotations

import pytest

from datastream.config.settings import settings
from datastream.metrics import KeySample
from datastream.prometheus import REGISTRY
from datastream.runtime.key_groups import key_group, stable_hash
from datastream.services.runner.figures import Figures
from datastream.services.runner.hot_keys import HotKeys
from datastream.time import WatermarkStrategy
from tests.prometheus.scrapes import samples
from tests.semantics.test_lanes import MONOTONOUS, Laned

LAG = "datastream_source_watermark_lag_seconds"


@pytest.fixture
def figures(env, monkeypatch):
    """Runs the job of the environment; the figures of its operators."""

    def run(name):
        followed = []

        def follow(graph):
            followed.append(Figures(graph))
            return followed[-1]

        monkeypatch.setattr(settings(), "followers", [follow])
        env.execute(name)
        return followed[0].as_dict()["operators"]

    return run


EPOCHS = (
    {"t-0": [("a", 10)], "t-1": [("b", 500)]},
    {"t-0": [("a", 20), ("a", 15)], "t-1": []},
    {"t-0": [("a", 5)], "t-1": [("b", 700)], "t-2": []},
)


@pytest.mark.parametrize("executor", ["local", "spark"])
def test_watermarks_of_partitions(env, figures, monkeypatch, executor):
    monkeypatch.setattr(settings(), "executor", executor)
    stream = env.from_source(Laned(list(EPOCHS)), MONOTONOUS, "laned").uid("laned")
    stream.key_by(lambda value: 0).reduce(lambda a, b: a).uid("behind").print()
    found = figures(f"partitions-{executor}")
    reached = {"t-0": 19, "t-1": 699}  # it does not go back, and t-2 had no record
    assert found["laned"]["watermarks"] == reached
    [maker] = [uid for uid in found if uid not in ("laned", "behind") and found[uid]["watermarks"]]
    assert found[maker]["watermarks"] == reached
    assert found["behind"]["watermarks"] == {}
    lags = {labels[1]: lag for (name, labels), lag in samples(f"partitions-{executor}").items() if name == LAG}
    assert lags.keys() == reached.keys() and lags["t-0"] > lags["t-1"] > 10**9


def test_watermarks_of_subtasks_where_there_are_no_partitions(env, figures):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(
        type("Own", (), {"extract_timestamp": lambda self, value, at: value})()
    )
    numbers = env.from_collection(list(range(1, 100))).rebalance()
    numbers.assign_timestamps_and_watermarks(strategy).uid("times").filter(lambda n: False).print()
    found = figures("subtasks")
    assert found["times"]["watermarks"].keys() == {"0", "1"}
    assert max(found["times"]["watermarks"].values()) == 98
    assert not any(name == LAG and "subtasks" in labels for name, labels in samples("subtasks", REGISTRY))


@pytest.mark.parametrize("parallelism", [1, 2])
def test_hot_keys_and_key_groups(env, figures, parallelism):
    env.set_parallelism(parallelism)
    keys = ["hot" if n % 4 else f"k{n % 1000}" for n in range(60_000)]
    env.from_collection(keys).key_by(lambda key: key).reduce(lambda a, b: a).uid("sums").print()
    found = figures("hot")
    text, share = found["sums"]["hot_key"]
    assert text == "'hot'" and 0.6 < share < 0.9
    groups = found["sums"]["hot_key_groups"]
    group, records = groups[0]
    assert group == key_group(stable_hash("hot"), 128)
    assert 36_000 < records < 54_000 and len(groups) == 5
    assert records > groups[1][1] >= groups[4][1]
    assert all(not each["hot_key_groups"] for uid, each in found.items() if uid != "sums")


def test_what_is_hot_is_of_the_last_epochs():
    hot = HotKeys()
    for _ in range(20):
        hot.add([KeySample(100, ("'a'", 90), ((1, 6_000), (2, 100))), KeySample(20, ("'b'", 2), ((3, 1_000),))])
    assert hot.as_dict()["hot_key"] == ["'a'", 90 / 120]
    assert hot.as_dict()["hot_key_groups"] == [[1, 120_000], [3, 20_000], [2, 2_000]]
    for _ in range(20):
        hot.add([])  # no records: not counted
        hot.add([KeySample(100, ("'c'", 1), ((4, 61),))])
    assert hot.as_dict() == {"hot_key_groups": [[4, 1_220]], "hot_key": ["'c'", 0.01]}


def test_a_few_samples_prove_nothing():
    hot = HotKeys()
    hot.add([KeySample(49, ("'a'", 49), ((1, 3_000),))])
    assert hot.as_dict() == {"hot_key_groups": [], "hot_key": None}
