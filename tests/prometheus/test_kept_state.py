"""Keys, bytes and timers that operators keep."""

import itertools

import pytest

from datastream import Configuration, KeyedProcessFunction, StreamExecutionEnvironment
from datastream.api.environment import graph_of
from datastream.config.settings import EpochSummary, settings
from datastream.local.executor import DictStore
from datastream.metrics import Kept, KeptChange, SubtaskMeasures
from datastream.prometheus import JobMetrics, Registry
from datastream.runtime.pages import PagedState
from datastream.state import ListStateDescriptor, ValueStateDescriptor
from datastream.types import Types
from tests.prometheus.scrapes import by_operator, measured, samples

KEYS, BYTES, TIMERS = (f"datastream_operator_{name}" for name in ("state_keys", "state_bytes", "timers"))
_names = itertools.count()


class Keeping(KeyedProcessFunction):
    """Sets state and timers by positive numbers, and clears the state by negative ones."""

    def open(self, runtime_context):
        self.last = runtime_context.get_state(ValueStateDescriptor("last", Types.LONG()))
        self.all = runtime_context.get_list_state(ListStateDescriptor("all", Types.LONG()))

    def process_element(self, value, ctx):
        if value < 0:
            self.last.clear()
            self.all.clear()
            return
        self.last.update(value)
        self.all.add(value)
        if value % 10 == 0:
            ctx.timer_service().register_processing_time_timer(1 << 50)
            ctx.timer_service().register_processing_time_timer((1 << 50) + value)


def kept(values, *, parallelism=2, executor="local", job=None, end=True, **settings_):
    """Runs a job that keeps state by the size of its records; (keys, bytes, timers), what a process may know."""
    env = measured(StreamExecutionEnvironment.get_execution_environment())
    for key, value in settings_.items():
        env.configure(Configuration().set_string(key.replace("__", ".").replace("_", "-"), value))
    env.set_parallelism(parallelism)
    job = job or f"kept-{next(_names)}"
    env.from_collection(values).uid("values").key_by(abs).process(Keeping()).uid("keeping").print().uid("sink")
    env.execute(job)
    return tuple(by_operator(job, metric).get("keeping", 0) for metric in (KEYS, BYTES, TIMERS))


@pytest.fixture(params=["local", "spark"])
def executor(request, monkeypatch):
    monkeypatch.setattr(settings(), "executor", request.param)
    return request.param


@pytest.mark.long_on_spark
def test_keys_that_come_and_go(executor):
    values = [*range(1, 1001), *(-n for n in range(501, 1001)), *range(1, 301)]
    # 500 keys are left; those whose state is gone keep their timers.
    keys, size, timers = kept(values, datastream__epoch__max_records="200")
    assert (keys, timers) == (550, 200)
    assert size > 550


@pytest.mark.long_on_spark
def test_none_is_left(executor):
    values = [n for n in range(1, 401) if n % 10] + [-n for n in range(1, 401) if n % 10]
    assert kept(values, datastream__epoch__max_records="100")[::2] == (0, 0)


@pytest.mark.long
def test_many_keys_split_their_pages(executor):
    values = [2 * n + 1 for n in range(60_000)]
    keys, size, _ = kept(values, datastream__epoch__max_records="15000")
    assert keys == 60_000
    assert 60_000 < size < 60_000 * 100


def test_a_running_reduce(executor):
    env = measured(StreamExecutionEnvironment.get_execution_environment())
    env.set_parallelism(2)
    job = f"kept-{next(_names)}"
    stream = env.from_collection(list(range(5_000))).key_by(lambda n: n % 700)
    stream.reduce(lambda a, b: a + b).uid("sums").filter(lambda n: False).print()
    env.execute(job)
    assert by_operator(job, KEYS)["sums"] == 700
    assert (TIMERS, ("sums",)) not in samples(job)


def test_what_a_process_finds_at_its_start():
    class Metered(DictStore):
        metered = True

    store, groups = Metered(), range(128)
    total = Kept()
    for start in range(0, 100_000, 10_000):
        pages = PagedState(store, "sums", 128)
        pages.load(range(start, start + 10_000))
        pages.values.update((key, "x" * 10) for key in range(start, start + 10_000))
        pages.flush()
        total = total.plus(pages.change)
        found = PagedState(store, "sums", 128).kept(groups)
        if start < 20_000:  # one page for each key group
            assert found == total
    assert total.keys == 100_000
    assert total.bytes == sum(map(len, store.entries.values()))
    assert found.keys == pytest.approx(100_000, rel=0.05)
    assert found.bytes == pytest.approx(total.bytes, rel=0.05)


def test_nothing_is_shown_until_all_is_known(registry):
    metrics = JobMetrics(_graph(), registry=registry)
    metrics.on_epoch(EpochSummary(1, 1, 1, measures=_measures(KeptChange(Kept(5, 50, 1)))))
    assert by_operator("kept", KEYS, registry) == {}
    metrics.on_epoch(EpochSummary(2, 1, 1, measures=_measures(KeptChange(Kept(5, 50, 1), Kept(100, 1000, 2)))))
    metrics.on_epoch(EpochSummary(3, 1, 1, measures=_measures(KeptChange(Kept(-7, -70, -3)))))
    found = [by_operator("kept", metric, registry)["keeping"] for metric in (KEYS, BYTES, TIMERS)]
    assert found == [98, 980, 0]


def _graph():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([1]).key_by(abs).process(Keeping()).uid("keeping").print()
    return graph_of(env, "kept")


def _measures(kept):
    return {"keeping": {0: SubtaskMeasures(1, 1, kept=kept)}}


@pytest.fixture
def registry():
    return Registry()
