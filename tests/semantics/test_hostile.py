"""What broke the engine once."""

from __future__ import annotations

import os
import threading
from typing import Any

import pytest

from datastream import FunctionError, StreamExecutionEnvironment
from datastream.graph.operators import Reduce
from datastream.runtime.hosts import Setting
from datastream.runtime.hosts.reduce import ReduceHost
from datastream.runtime.key_groups import stable_hash
from datastream.time import MIN_WATERMARK


class Entries:
    metered = False
    copies = None

    def __init__(self) -> None:
        self.entries: dict[bytes, bytes] = {}

    def get(self, keys: list[bytes]) -> list[bytes | None]:
        return [self.entries.get(key) for key in keys]

    def put(self, entries: list[tuple[bytes, bytes]]) -> None:
        self.entries.update(entries)


def test_what_downstream_does_to_an_aggregate_leaves_the_state_alone() -> None:
    store, seen = Entries(), []
    operator = Reduce(0, "Reduce", lambda a, b: {"n": a["n"] + b["n"]})
    for _ in range(4):
        host = ReduceHost(operator, Setting(max_parallelism=8, timed=False))
        host.begin(store, range(8), MIN_WATERMARK)
        for out in host.process(0, [{"n": 10}], ["k"], None)[0]:
            seen.append(out["n"])
            out["n"] *= 1000
        assert list(host.end()) == []
        host.flush()
    assert seen == [10, 20, 30, 40]


def test_keys_that_cannot_be_pickled_are_refused(run: Any) -> None:
    env = run.environment()
    with pytest.raises(FunctionError, match="key"):
        run.collect(env.from_collection([1]).key_by(lambda _: [threading.Lock()]).reduce(lambda a, b: a))


def test_equal_keys_of_other_types_are_one_key() -> None:
    import uuid

    one = uuid.uuid1()
    assert stable_hash(one) == stable_hash(uuid.UUID(str(one)))
    assert stable_hash(range(0)) == stable_hash(range(5, 5))


@pytest.mark.parametrize("answer", [float("nan"), "0", None])
def test_a_partitioner_that_gives_no_whole_number_is_refused(run: Any, answer: Any) -> None:
    env = run.environment()
    stream = env.from_collection([1, 2, 3]).partition_custom(lambda k, n: answer, lambda r: r).map(lambda x: x)
    with pytest.raises(FunctionError, match="partitioner returned"):
        run.collect(stream)


def test_exit_in_a_function_is_an_error_of_it(run: Any) -> None:
    env = run.environment()
    with pytest.raises(FunctionError, match="SystemExit"):
        run.collect(env.from_collection([1]).map(lambda x: exec("raise SystemExit(3)")))


def test_flat_map_may_return_an_array(run: Any) -> None:
    import numpy

    env = run.environment()
    assert run.collect(env.from_collection([2, 3]).flat_map(lambda n: numpy.arange(n))) == [0, 1, 0, 1, 2]


@pytest.mark.long_on_spark
def test_jobs_of_several_widths_in_several_threads(run: Any) -> None:
    found: dict[int, list[int]] = {}

    def job(width: int) -> None:
        env: StreamExecutionEnvironment = run.environment()
        env.set_parallelism(width)
        stream = env.from_sequence(1, 60).rebalance().map(lambda x: (x % 7, x)).key_by(lambda r: r[0]).sum(1)
        found[width] = sorted(total for _, total in run.collect(stream))

    threads = [threading.Thread(target=job, args=(width,)) for width in (1, 3, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(found) == [1, 2, 3]
    assert all(len(totals) == 60 for totals in found.values())


def test_two_jobs_of_one_name_at_once(run: Any) -> None:
    clients = []
    for _ in range(2):
        env = run.environment()
        env.from_sequence(1, 10).add_sink(lambda x: None)
        clients.append(env.execute_async())
    for client in clients:
        assert client.get_job_execution_result().result(120).get_accumulator_result("records_in") == 10


def test_a_fork_that_ends_leaves_the_job_alone(run: Any) -> None:
    env = run.environment()
    assert run.collect(env.from_collection([1])) == [1]
    child = os.fork()
    if child == 0:
        from datastream.spark.process.session import session

        session.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert run.collect(run.environment().from_collection([2])) == [2]
