"""Random pipelines on the local executor against plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datastream import RuntimeExecutionMode, StreamExecutionEnvironment
from datastream.config.settings import settings as process_settings

steps = st.lists(
    st.one_of(
        st.tuples(st.just("map"), st.integers(-3, 3)),
        st.tuples(st.just("filter"), st.integers(2, 5)),
        st.tuples(st.just("flat_map"), st.integers(0, 3)),
        st.tuples(st.just("sum"), st.integers(1, 4)),
        st.tuples(st.just("move"), st.sampled_from(["forward", "disable_chaining", "start_new_chain"])),
    ),
    max_size=7,
)


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(process_settings(), "executor", "local")


def build(stream, kind, n):
    """Records are (key, number): what a step does to a record depends on its number alone."""
    match kind:
        case "map":
            return stream.map(lambda p: (p[0], p[1] + n))
        case "filter":
            return stream.filter(lambda p: p[1] % n)
        case "flat_map":
            return stream.flat_map(lambda p: [(p[0], p[1] * i) for i in range(n)])
        case "sum":
            return stream.key_by(lambda p: p[0]).sum(1)
    return getattr(stream, n)()


def expect(records, kind, n):
    match kind:
        case "map":
            return [(k, v + n) for k, v in records]
        case "filter":
            return [(k, v) for k, v in records if v % n]
        case "flat_map":
            return [(k, v * i) for k, v in records for i in range(n)]
        case "sum":
            sums, out = Counter(), []
            for k, v in records:
                sums[k] += v
                out.append((k, sums[k]))
            return out
    return records


def final(records):
    """What a batch job's sum gives: the last update of each key."""
    return list(dict(records).items())


def by_key(records):
    out = defaultdict(list)
    for key, value in records:
        out[key].append(value)
    return dict(out)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(-9, 9)), max_size=40),
    steps,
    st.integers(1, 4),
    st.booleans(),
)
def test_random_pipelines(records, steps, parallelism, batch):
    env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(parallelism)
    env.set_runtime_mode(RuntimeExecutionMode.BATCH if batch else RuntimeExecutionMode.STREAMING)
    stream, expected = env.from_collection(records), records
    for kind, n in steps:
        stream, expected = build(stream, kind, n), expect(expected, kind, n)
        if kind == "sum" and batch:
            expected = final(expected)
    got = stream.collect()
    assert by_key(got) == by_key(expected)
