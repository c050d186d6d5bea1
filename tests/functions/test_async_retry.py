"""When async functions are called again."""

from __future__ import annotations

import pickle
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.errors import ValidationError
from datastream.functions import (
    AsyncRetryStrategy,
    empty_result_predicate,
    exception_type_predicate,
    has_exception_predicate,
)


def waits(strategy: AsyncRetryStrategy) -> list[int]:
    """The times between the tries of a record that never succeeds."""
    found, attempts = [], 1
    while strategy.can_retry(attempts):
        found.append(strategy.get_backoff_time_millis(attempts))
        attempts += 1
    return found


def test_no_retry():
    strategy = AsyncRetryStrategy.no_restart()
    assert waits(strategy) == []
    assert strategy.get_retry_predicate().result_predicate() is None
    assert strategy.get_retry_predicate().exception_predicate() is None


def test_fixed_delay_allows_so_many_more_tries():
    assert waits(AsyncRetryStrategy.fixed_delay(3, 100, None, None)) == [100, 100, 100]


def test_exponential_backoff_grows_up_to_the_longest():
    assert waits(AsyncRetryStrategy.exponential_backoff(5, 100, 1000, 3.0, None, None)) == [100, 300, 900, 1000, 1000]


@given(st.integers(1, 100), st.integers(1, 1000), st.integers(0, 10**6), st.floats(1, 100), st.integers(1, 10**6))
def test_exponential_backoff_depends_on_nothing_but_the_number_of_tries(attempts, initial, more, multiplier, at):
    strategy = AsyncRetryStrategy.exponential_backoff(attempts, initial, initial + more, multiplier)
    found = waits(strategy)
    assert found == sorted(found)
    assert found == waits(strategy)
    assert found[0] == initial
    assert strategy.get_backoff_time_millis(at) <= initial + more


def test_predicates():
    assert empty_result_predicate([])
    assert not empty_result_predicate([None])
    assert has_exception_predicate(ValueError())
    assert not has_exception_predicate(None)
    of_type = partial(exception_type_predicate, expected_error_type=OSError)
    assert of_type(TimeoutError())
    assert not of_type(ValueError())


def test_strategies_can_be_pickled_with_their_predicates():
    of_type = partial(exception_type_predicate, expected_error_type=OSError)
    strategy = AsyncRetryStrategy.fixed_delay(2, 5, empty_result_predicate, of_type)
    predicate = pickle.loads(pickle.dumps(strategy)).get_retry_predicate()
    assert predicate.result_predicate()([])
    assert predicate.exception_predicate()(TimeoutError())


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: AsyncRetryStrategy.fixed_delay(0, 5), "max_attempts must be above zero: got 0"),
        (lambda: AsyncRetryStrategy.fixed_delay(1, 0), "backoff_time_millis must be above zero"),
        (lambda: AsyncRetryStrategy.exponential_backoff(0, 1, 1, 1), "max_attempts must be above zero"),
        (lambda: AsyncRetryStrategy.exponential_backoff(1, 0, 1, 1), "initial_delay must be above zero"),
        (lambda: AsyncRetryStrategy.exponential_backoff(1, 2, 1, 1), "max_retry_delay must not be below"),
        (lambda: AsyncRetryStrategy.exponential_backoff(1, 1, 1, 0), "multiplier must be above zero"),
    ],
)
def test_what_is_out_of_range_is_refused(make, text):
    with pytest.raises(ValidationError, match=text):
        make()
