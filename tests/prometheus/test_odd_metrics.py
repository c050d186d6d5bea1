"""Whatever functions register, the page stays valid and the job goes on."""

import decimal
import itertools
import subprocess

import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families

from datastream import MapFunction, StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.prometheus import REGISTRY
from tests.prometheus.scrapes import measured, samples
from tests.support.servers.prometheus import promtool

_names = itertools.count()


class NoText(Exception):
    def __str__(self):
        raise RuntimeError("no text")


def raises(error):
    def gauge():
        raise error

    return gauge


def labels_twice(group):
    group.add_group("country", "1").add_group("Country", "2").counter("twice").inc()
    group.add_group("job", "1").add_group("user_job", "2").counter("jobs").inc()
    group.add_group("quantile", "x").distribution("quantiles").update(1)


def names(group):
    group.counter("a\ndatastream_job_restarts_total 77\n#").inc()
    group.counter('back\\slash "quoted"').inc()
    group.counter("日本").inc()
    group.counter("\ud800").inc()
    group.add_group("half", "\ud800").counter("surrogates").inc()
    group.counter("n" * 10_000).inc()


def values(group):
    group.gauge("huge", lambda: 10**400)
    group.gauge("text", lambda: "text")
    group.gauge("none", lambda: None)
    group.gauge("nan", lambda: float("nan"))
    group.gauge("decimal", lambda: decimal.Decimal("1.5"))
    group.gauge("numpy", lambda: np.float32(2.5))
    group.gauge("array", lambda: np.array([1, 2]))
    group.gauge("raises", raises(ValueError("no")))
    group.gauge("textless", raises(NoText()))
    group.gauge("exits", raises(SystemExit(3)))
    group.distribution("truths").update(True)
    group.counter("large").inc(10**400)


def clashes(group):
    group.distribution("sizes").update(1)
    group.counter("numSeen").inc()
    group.counter("num_seen").inc(10)
    group.gauge("sizes_count", lambda: 1)
    group.counter("numBytesIn").inc(5)


@pytest.mark.parametrize("register", [labels_twice, names, values, clashes])
def test_the_page_is_valid(register, monkeypatch, caplog):
    class Odd(MapFunction):
        def open(self, runtime_context):
            register(runtime_context.get_metrics_group())

        def map(self, value):
            return value

    monkeypatch.setattr(settings(), "executor", "local")
    env = measured(StreamExecutionEnvironment.get_execution_environment())
    env.set_parallelism(1)
    env.from_collection([1]).map(Odd()).uid("odd").print()
    job = f"odd-{next(_names)}-\ud800"
    env.execute(job)
    page = REGISTRY.text()
    list(text_string_to_metric_families(page.decode()))
    checked = subprocess.run([promtool(), "check", "metrics"], input=page, capture_output=True, check=False)
    assert checked.returncode in (0, 3), checked.stderr.decode()  # 3: it would like other names better
    found = {name: value for (name, _), value in samples(job.replace("\ud800", "?")).items()}
    assert found["datastream_job_restarts_total"] == 0
    assert found["datastream_job_records_in_total"] == 1
    if register is values:
        assert (found["datastream_user_decimal"], found["datastream_user_numpy"]) == (1.5, 2.5)
        assert "datastream_user_array" not in found
        assert found["datastream_user_huge"] == float("inf")
    if register is clashes:
        assert "'numSeen' and 'num_seen' are one metric" in caplog.text
        assert "'sizes_count' is not shown" in caplog.text
        assert found["datastream_user_num_bytes_in_total"] == 5
