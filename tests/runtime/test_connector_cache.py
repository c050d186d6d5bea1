"""What a worker process keeps of connectors between tasks."""

from __future__ import annotations

import os
import threading

import pytest

from datastream.io import SourceReader
from datastream.metrics import MetricRegistry
from datastream.metrics.values import CounterValue
from datastream.runtime import connector_cache
from datastream.runtime.connector_cache import ConnectorCache
from tests.support.waiting import wait_until

KEY = ("run", "uid", 0)


class Reader(SourceReader):
    def __init__(self):
        self.calls = []

    def read(self, split):
        yield from ()

    def idle(self):
        self.calls.append("idle")

    def close(self):
        self.calls.append("close")


@pytest.fixture
def cache():
    made = ConnectorCache()
    yield made
    made.close()


def take(cache, key=KEY):
    return cache.take(key, lambda: MetricRegistry("job", "op", "uid", 0), lambda metrics: Reader())


def eventually(done):
    wait_until(done, "change of the cache")


def test_what_was_given_back_is_taken_again(cache):
    first = take(cache)
    cache.give_back(first)
    assert take(cache) is first
    assert take(cache, ("run", "other", 0)) is not first


def test_none_is_handed_out_twice(cache):
    assert take(cache) is not take(cache)


def test_metrics_of_an_epoch_that_failed_do_not_count(cache):
    kept = take(cache)
    kept.metrics.group.counter("n").inc(5)
    cache.give_back(kept)  # its task ended, but took no metrics
    again = take(cache)
    again.metrics.group.counter("n").inc(1)
    assert again.metrics.take() == {"uid.n": CounterValue(1)}


def test_runs_are_closed_apart(cache):
    mine, other = take(cache), take(cache, ("other run", "uid", 0))
    cache.give_back(mine)
    cache.give_back(other)
    cache.close("other run")
    assert (mine.value.calls, other.value.calls) == ([], ["close"])
    cache.close("run")
    assert mine.value.calls == ["close"]


def test_one_too_many_is_closed(cache, monkeypatch):
    monkeypatch.setattr(connector_cache, "MOST", 2)
    kept = [take(cache) for _ in range(3)]
    for one in kept:
        cache.give_back(one)
    assert [one.value.calls for one in kept] == [["close"], [], []]


def test_idle_once_then_closed(cache, monkeypatch):
    monkeypatch.setattr(connector_cache, "IDLE_S", 0.02)
    monkeypatch.setattr(connector_cache, "UNUSED_S", 0.2)
    kept = take(cache)
    cache.give_back(kept)
    eventually(lambda: kept.value.calls == ["idle", "close"])
    assert take(cache) is not kept


def test_a_close_that_fails_is_logged(cache, caplog):
    kept = take(cache)
    kept.value.close = lambda: 1 / 0
    kept.close()
    assert "'uid': close failed" in caplog.text and "ZeroDivisionError" in caplog.text


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_a_forked_process_neither_uses_nor_closes_its_parents(monkeypatch):
    cache = connector_cache.CACHE
    kept = take(cache, ("fork", "uid", 0))
    cache.give_back(kept)
    child = os.fork()
    if not child:
        found = take(cache, ("fork", "uid", 0)) is not kept
        cache.close()
        os._exit(0 if found and kept.value.calls == [] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert take(cache, ("fork", "uid", 0)) is kept


def test_a_slow_idle_holds_up_and_loses_nobody(cache, monkeypatch):
    monkeypatch.setattr(connector_cache, "IDLE_S", 0.05)
    slow, quick = take(cache), take(cache, ("run", "other uid", 0))
    go_on = threading.Event()
    slow.value.idle = go_on.wait
    cache.give_back(slow)
    eventually(lambda: slow.idle)
    cache.give_back(quick)
    eventually(lambda: quick.value.calls == ["idle"])  # by another sweep, while the first is under way
    assert take(cache).value is not slow.value
    go_on.set()
    eventually(lambda: slow in cache._unused)
    assert take(cache).value is slow.value
