"""Metrics that functions register: kinds, names, and what an epoch makes of them."""

from __future__ import annotations

import json
import pickle
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.errors import ValidationError
from datastream.metrics import (
    CounterValue,
    DistributionValue,
    GaugeValue,
    MeterValue,
    MetricRegistry,
    merge,
)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def registry(clock):
    return MetricRegistry("job", "Map", "map-1", 2, clock)


# -- kinds ------------------------------------------------------------------------------------------------


def test_a_counter_gives_what_was_counted_since_the_last_time(registry):
    counter = registry.group.counter("seen")
    counter.inc()
    counter.inc(4)
    counter.dec()
    counter.dec(2)
    assert counter.get_count() == 2
    assert registry.take() == {"map-1.seen": CounterValue(2)}
    counter.inc(3)
    assert counter.get_count() == 5
    assert registry.take() == {"map-1.seen": CounterValue(3)}


def test_a_gauge_shows_the_value_at_the_end_of_the_epoch(registry):
    size = []
    registry.group.gauge("size", lambda: len(size))
    size += [1, 2, 3]
    assert registry.take() == {"map-1.size": GaugeValue({2: 3})}


def test_a_gauge_that_raises_shows_the_error_and_fails_nothing(registry):
    registry.group.gauge("ratio", lambda: 1 / 0)
    assert registry.take() == {"map-1.ratio": GaugeValue({2: "ZeroDivisionError: division by zero"})}


def test_a_gauge_of_something_else_shows_its_repr(registry):
    registry.group.gauge("list", lambda: [1, 2])
    assert registry.take() == {"map-1.list": GaugeValue({2: "[1, 2]"})}


def test_a_gauge_that_is_registered_again_shows_the_new_function(registry):
    registry.group.gauge("g", lambda: 1)
    registry.group.gauge("g", lambda: 2)
    assert registry.take() == {"map-1.g": GaugeValue({2: 2})}


def test_a_meter_gives_the_rate_over_its_life_and_then_over_its_time_span(registry, clock):
    meter = registry.group.meter("events", time_span_in_seconds=10)
    clock.now = 5
    meter.mark_event(10)
    meter.mark_event()
    assert registry.take() == {"map-1.events": MeterValue(11, {2: 11 / 5})}
    clock.now = 20
    meter.mark_event(30)
    assert meter.get_count() == 41
    assert registry.take() == {"map-1.events": MeterValue(30, {2: 30 / 15})}
    clock.now = 30
    assert registry.take() == {"map-1.events": MeterValue(0, {2: 0.0})}


def test_a_meter_without_time_has_no_rate(registry):
    meter = registry.group.meter("events")
    meter.mark_event()
    assert meter.get_rate() == 0


@given(st.lists(st.lists(st.integers(-100, 100) | st.floats(-1e6, 1e6), max_size=9), max_size=5))
def test_a_distribution_adds_up_whatever_way_it_is_cut(epochs):
    registry = MetricRegistry("job", "Map", "map-1", 0)
    distribution = registry.group.distribution("sizes")
    parts = []
    for values in epochs:
        for value in values:
            distribution.update(value)
        parts.append(registry.take())
    total = merge(parts).get("map-1.sizes", DistributionValue())
    flat = [v for values in epochs for v in values]
    assert (total.count, total.min, total.max) == (len(flat), min(flat, default=None), max(flat, default=None))
    assert total.sum == pytest.approx(sum(flat))
    assert total.mean == (pytest.approx(sum(flat) / len(flat)) if flat else None)


# -- epochs -----------------------------------------------------------------------------------------------


def test_an_attempt_that_failed_leaves_nothing(registry):
    group = registry.group
    counter, meter, distribution = group.counter("c"), group.meter("m"), group.distribution("d")

    def run():
        registry.rewind()
        counter.inc(2)
        meter.mark_event(3)
        distribution.update(4)

    run()
    assert registry.take()["map-1.c"] == CounterValue(2)
    run()  # fails before its end
    run()
    taken = registry.take()
    assert taken["map-1.c"] == CounterValue(2)
    assert taken["map-1.m"].count == 3
    assert taken["map-1.d"] == DistributionValue(1, 4, 4, 4)
    assert counter.get_count() == 4


def test_values_of_subtasks_add_up():
    parts = []
    for subtask in (0, 1):
        group = (registry := MetricRegistry("job", "Map", "map-1", subtask)).group
        group.counter("c").inc(subtask + 1)
        group.gauge("g", lambda subtask=subtask: 10 * subtask)
        group.distribution("d").update(subtask)
        parts.append(registry.take())
    assert merge(parts) == {
        "map-1.c": CounterValue(3),
        "map-1.g": GaugeValue({0: 0, 1: 10}),
        "map-1.d": DistributionValue(2, 1, 0, 1),
    }


def test_values_of_epochs_add_up_and_the_latest_gauge_and_rate_count():
    first = {"g": GaugeValue({0: 1, 1: 1}), "m": MeterValue(5, {0: 5.0, 1: 1.0})}
    second = {"g": GaugeValue({0: 2}), "m": MeterValue(1, {0: 1.0})}
    assert merge([first, second]) == {"g": GaugeValue({0: 2, 1: 1}), "m": MeterValue(6, {0: 1.0, 1: 1.0})}


def test_a_name_that_has_become_another_kind_of_metric():
    assert merge([{"x": CounterValue(1)}, {"x": MeterValue(2)}]) == {"x": MeterValue(2)}


def test_values_are_plain_data():
    values = [CounterValue(1), GaugeValue({0: 2}), MeterValue(3, {0: 1.5}), DistributionValue(1, 2, 2, 2)]
    assert pickle.loads(pickle.dumps(values)) == values
    assert [json.loads(json.dumps(asdict(value))) for value in values][0] == {"count": 1}
    assert [value.result for value in values] == [
        1,
        {0: 2},
        {"count": 3, "rate": 1.5},
        {"count": 1, "sum": 2, "min": 2, "max": 2, "mean": 2.0},
    ]


# -- names ------------------------------------------------------------------------------------------------


def test_groups_are_part_of_names(registry):
    registry.group.add_group("a").add_group("b").counter("c").inc()
    registry.group.add_group("host", "h1").counter("c").inc(2)
    assert registry.take() == {"map-1.a.b.c": CounterValue(1), "map-1.host.h1.c": CounterValue(2)}


def test_scope_variables_and_identifier(registry):
    group = registry.group.add_group("a").add_group("region", "north")
    assert group.get_scope_components() == ["job", "Map", "2", "a", "region", "north"]
    assert group.get_metric_identifier("seen") == "job.Map.2.a.region.north.seen"
    assert group.get_all_variables() == {
        "<job_name>": "job",
        "<operator_name>": "Map",
        "<operator_id>": "map-1",
        "<subtask_index>": "2",
        "<region>": "north",
    }
    assert "<region>" not in registry.group.get_all_variables()


def test_the_same_name_gives_the_same_metric(registry):
    assert registry.group.counter("c") is registry.group.counter("c")
    assert registry.group.add_group("a").meter("m") is registry.group.add_group("a").meter("m")


def test_one_name_cannot_be_of_two_kinds(registry):
    registry.group.counter("x")
    with pytest.raises(ValidationError, match="'map-1.x' is a counter already; give the meter another name"):
        registry.group.meter("x")
    with pytest.raises(ValidationError, match="is a counter already; give the gauge another name"):
        registry.group.gauge("x", lambda: 1)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda g: g.counter(""), "the name of a metric must be a text: got ''"),
        (lambda g: g.add_group(5), "the name of a group must be a text: got 5"),
        (lambda g: g.add_group("a", 5), "the value of a group must be a text: got 5"),
        (lambda g: g.gauge("a", 5), "gauge 'a' needs a function without arguments: got 5"),
        (lambda g: g.meter("a", 0), "time_span_in_seconds must be above zero: got 0"),
    ],
)
def test_what_is_refused(registry, make, text):
    with pytest.raises(ValidationError, match=text):
        make(registry.group)
