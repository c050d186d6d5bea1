"""Epochs find their size."""

from __future__ import annotations

import pytest

from datastream.runtime.epoch_sizing import Pace


def settle(pace, cost, epochs=30):
    for _ in range(epochs):
        pace.took(cost(pace.budget))
    return pace.budget


def test_short_epochs_grow_to_the_most():
    assert settle(Pace(1_000_000, 1000), lambda n: 10) == 1_000_000


@pytest.mark.parametrize("rate", [10, 33, 100, 420, 1000])  # records a ms
def test_where_time_goes_by_the_record_epochs_have_about_the_length_wished_for(rate):
    assert 500 <= settle(Pace(100_000_000, 1000), lambda n: n / rate) / rate <= 2000


def test_where_an_epoch_has_a_price_of_its_own_they_are_longer():
    assert settle(Pace(4_000_000, 1000), lambda n: 1200 + n / 1000) >= 1_600_000


def test_a_slow_start_is_forgotten():
    pace = Pace(4_000_000, 1000)
    pace.took(9000)
    pace.took(5000)
    assert settle(pace, lambda n: 100 + n / 1000) >= 800_000


def test_no_epoch_is_below_the_least_or_above_the_most():
    assert settle(Pace(4_000_000, 1000), lambda n: 60_000) == 10_000
    assert settle(Pace(500, 1000), lambda n: 60_000) == 500
