"""Epochs find their size."""

from __future__ import annotations

import math
import random
from statistics import median

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from datastream.runtime.epoch_sizing import EpochSizing
from tests.runtime.simulated_epochs import MOST, Cost, Fixed, Load, best_fixed, rate, simulate

#: Epochs in which a size must be found, once nothing is cold any more.
WARM_UP = 24

COSTS = {
    "by the record": Cost(20, 1 / 1000),
    "by the slow record": Cost(20, 1 / 30),
    "by the fast record": Cost(5, 1 / 3000),
    "1.2 s an epoch": Cost(1200, 1 / 1000),
    "5 s an epoch": Cost(5000, 1 / 1000),
    "1,000 keys": Cost(80, 1 / 700, 1, 1000),
    "100,000 keys": Cost(150, 1 / 400, 1.5, 100_000),
    "1,000,000 keys": Cost(150, 1 / 400, 1.2, 1_000_000),
    "10,000,000 keys": Cost(200, 1 / 400, 0.5, 10_000_000),
}
COLD = [(), (8, 5, 3), (20, 10, 6, 4, 3, 2), (5,) * 8, (4,) * 12]
TARGETS = [100, 1000, 10_000]


def against_best(cost, target_ms, run, load, skipped):
    """Rate after the first epochs, in parts of that of the best fixed size under the very same load."""
    best = simulate(Fixed(best_fixed(cost, target_ms)), cost, len(run), load)
    return rate(run[skipped:]) / rate(best[skipped:])


def budget_after(sizing, ms, epochs=30):
    for _ in range(epochs):
        sizing.epoch_took(ms(sizing.budget))
    return sizing.budget


def test_short_epochs_grow_to_the_most():
    assert budget_after(EpochSizing(1_000_000, 1000), lambda n: 10) == 1_000_000


@pytest.mark.parametrize("records_a_ms", [10, 33, 100, 420, 1000])
def test_where_time_goes_by_the_record_epochs_have_about_the_length_aimed_at(records_a_ms):
    sizing = EpochSizing(100_000_000, 1000)
    assert 500 <= budget_after(sizing, lambda n: n / records_a_ms) / records_a_ms <= 2000


def test_where_an_epoch_has_a_price_of_its_own_they_are_longer():
    assert budget_after(EpochSizing(4_000_000, 1000), lambda n: 1200 + n / 1000) >= 1_600_000


def test_a_slow_start_is_forgotten():
    sizing = EpochSizing(4_000_000, 1000)
    sizing.epoch_took(9000)
    sizing.epoch_took(5000)
    assert budget_after(sizing, lambda n: 100 + n / 1000) >= 800_000


def test_no_epoch_is_below_the_least_or_above_the_most():
    assert budget_after(EpochSizing(4_000_000, 1000), lambda n: 6 * n) == 10_000
    assert budget_after(EpochSizing(500, 1000), lambda n: 60_000) == 500


def test_epochs_are_not_cut_where_halves_are_as_long():
    assert budget_after(EpochSizing(4_000_000, 1000), lambda n: 60_000) == 4_000_000


@pytest.mark.parametrize("target_ms", TARGETS)
@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS)
@settings(max_examples=20, derandomize=True)
@given(
    cold=st.sampled_from(COLD),
    noise=st.sampled_from([0, 0.1, 0.3]),
    stalls=st.sampled_from([0, 0.02]),
    seed=st.integers(0, 99),
)
@example((5,) * 8, 0.3, 0.02, 1)
def test_no_more_than_a_fifth_is_lost_to_the_best_fixed_size(cost, target_ms, cold, noise, stalls, seed):
    load = Load(cold, noise, stalls, seed)
    skipped = max(len(cold), 3) + WARM_UP
    run = simulate(EpochSizing(MOST, target_ms), cost, skipped + 150, load)
    assert against_best(cost, target_ms, run, load, skipped) >= 0.8


@pytest.mark.parametrize("noise", [0, 0.1, 0.3])
@pytest.mark.parametrize("target_ms", TARGETS)
def test_sizes_follow_costs_that_change_midway(target_ms, noise):
    few, many = COSTS["1,000 keys"], COSTS["100,000 keys"]
    for before, after in ((few, many), (many, few)):
        load = Load((8, 5, 3), noise, 0.02)
        run = simulate(EpochSizing(MOST, target_ms), lambda n: before if n < 120 else after, 300, load)  # noqa: B023
        assert against_best(after, target_ms, run, load, 120 + 40) >= 0.8


@pytest.mark.parametrize("target_ms", TARGETS)
def test_sizes_follow_state_that_grows(target_ms):
    def cost(epoch):
        return Cost(150, 1 / 400, 1.5, int(1000 * 1000 ** (epoch / 400)))

    load = Load((8, 5, 3), 0.1, 0.02)
    run = simulate(EpochSizing(MOST, target_ms), cost, 400, load)
    ratios = []
    for first in range(50, 400, 50):
        best = simulate(Fixed(best_fixed(cost(first + 25), target_ms)), cost, 400, load)
        ratios.append(rate(run[first : first + 50]) / rate(best[first : first + 50]))
    assert median(ratios) >= 0.8 and min(ratios) >= 0.7


@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS)
def test_length_is_near_the_one_aimed_at_or_pays(cost):
    for target_ms in TARGETS:
        run = simulate(EpochSizing(MOST, target_ms), cost, 200, Load((8, 5, 3), 0.1))[50:]
        length = median(epoch.ms for epoch in run)
        half = median(epoch.budget for epoch in run) / 2
        pays = rate(run) >= 1.1 * half / cost.ms(half)
        assert length <= 2 * target_ms or pays or min(epoch.budget for epoch in run) == 10_000


@pytest.mark.parametrize("name", ["1.2 s an epoch", "100,000 keys"])
def test_input_that_piled_up_is_worked_off_fast_within_a_minute(name):
    """Though the first epochs take up to five times as long as later ones."""
    cost = COSTS[name]
    done, best = (records_done(sizing, cost) for sizing in (EpochSizing(MOST, 1000), Fixed(best_fixed(cost, 1000))))
    assert done >= 1.1 * best  # whose first epochs are long ones


def records_done(sizing, cost, ms=60_000):
    now = records = 0
    while now < ms:
        budget = sizing.budget
        took = cost.ms(budget) * (1 + 4 * math.exp(-now / 8000))
        sizing.epoch_took(took, budget)
        now, records = now + took, records + budget * min(1, (ms - now) / took)
    return records


@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS)
def test_more_records_than_usual_must_go_by_in_the_length_aimed_at(cost):
    sizing = EpochSizing(1_000_000, 1000, 8_000_000)
    simulate(sizing, cost, 60, Load((8, 5, 3)))
    fits = best_fixed(cost, 1000, 8_000_000) if cost.ms(1_100_000) <= 1000 else 0
    assert sizing.budget <= max(1_000_000, 1.5 * fits)
    assert sizing.budget >= 0.5 * fits


def test_a_job_that_becomes_slow_has_no_more_records_than_usual_at_once():
    sizing = EpochSizing(1_000_000, 1000, 8_000_000)
    fast, slow = COSTS["by the fast record"], COSTS["by the slow record"]
    assert simulate(sizing, fast, 40)[-1].budget > 2_000_000
    simulate(sizing, slow, 1)
    assert sizing.budget <= 1_000_000


@pytest.mark.parametrize("held", [100, 100_000])
def test_scarce_input_shows_nothing_of_many_records(held):
    sizing = EpochSizing(1_000_000, 1000, 8_000_000)
    simulate(sizing, COSTS["by the slow record"], 200, Load(held=lambda epoch: held))
    assert sizing.budget <= 1_000_000


def test_several_sources_have_a_budget_each():
    sizing = EpochSizing(1_000_000, 1000, 8_000_000)
    for _ in range(40):
        sizing.epoch_took(sizing.budget * 3 / 3000, sizing.budget * 3)
    assert 500 <= sizing.budget * 3 / 3000 <= 1500


def test_one_slow_epoch_changes_nothing():
    cost = Cost(100, 1 / 1000)
    sizing = EpochSizing(MOST, 1000)
    simulate(sizing, cost, 60)
    before = sizing.budget
    sizing.epoch_took(10 * cost.ms(before), before)
    simulate(sizing, cost, 3)
    assert sizing.budget >= before


@pytest.mark.parametrize("held", [100, 5000])
@pytest.mark.parametrize("known", [True, False])
def test_input_that_comes_after_scarce_input_is_worked_off_at_full_speed(held, known):
    random_numbers = random.Random(held)
    numbers = [held * random_numbers.lognormvariate(0, 0.5) for _ in range(200)]
    load = Load((8, 5, 3), 0.1, 0, held=lambda epoch: numbers[epoch] if epoch < 200 else math.inf)
    for cost in COSTS.values():
        run = simulate(EpochSizing(1_000_000, 1000), cost, 320, load, known)
        best = simulate(Fixed(best_fixed(cost, 1000, 1_000_000)), cost, 320, load)
        assert rate(run[260:]) >= 0.8 * rate(best[260:])


def test_scarce_input_does_not_make_epochs_huge():
    cost = COSTS["by the record"]
    load = Load((8, 5, 3), 0.1, 0, held=lambda epoch: 5000)
    sizing = EpochSizing(MOST, 1000)
    simulate(sizing, cost, 1000, load)
    assert cost.ms(sizing.budget) <= 2000


def test_a_source_that_counts_otherwise_is_steered_too():
    """One of files takes 100 bytes for a record; these have 1,000."""
    sizing = EpochSizing(MOST, 1000)
    for _ in range(60):
        sizing.epoch_took(sizing.budget / 100, sizing.budget // 10)
    assert 500 <= sizing.budget / 100 <= 2000


def test_an_epoch_without_records_changes_nothing():
    sizing = EpochSizing(MOST, 1000)
    for _ in range(50):
        sizing.epoch_took(5, 0)
    assert sizing.budget == 100_000
