"""What Prometheus is shown of a job."""

import re
import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from datastream import (
    Configuration,
    Duration,
    FunctionError,
    MapFunction,
    StreamExecutionEnvironment,
    WatermarkStrategy,
)
from datastream.api.environment import graph_of
from datastream.config.settings import EpochProgress, EpochSummary, Restart, settings
from datastream.errors import ValidationError
from datastream.metrics import CounterValue, MetricName, SubtaskMeasures
from datastream.prometheus import JobMetrics, Registry
from datastream.prometheus.families import Family
from datastream.prometheus.names import labels, snake
from datastream.prometheus.server import MetricsServer
from datastream.prometheus.user_metrics import KNOWN
from datastream.time import TimestampAssigner
from datastream.types import Types
from tests.prometheus.scrapes import by_operator, samples
from tests.support.servers.prometheus import Pushgateway


@pytest.fixture
def graph(env):
    env.from_collection([1]).uid("numbers").map(lambda n: n).name('my "map"').uid("map").print().uid("sink")
    return graph_of(env, "job")


@pytest.fixture
def registry():
    return Registry()


@pytest.fixture
def metrics(graph, registry):
    metrics = JobMetrics(graph, most=3, registry=registry)
    metrics.on_start(graph)
    return metrics


class Ten(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return 10_000 + value


def test_a_job_that_has_ended(env):
    config = Configuration().set_integer("datastream.epoch.max-records", 10)
    config.set_integer("datastream.metrics.port", 0)
    env.configure(config)
    env.from_collection(list(range(30))).filter(lambda n: n % 2).print()
    env.execute("ended-job")
    seen = samples("ended-job")
    assert seen["datastream_job_status", ("FINISHED",)] == 1
    assert seen["datastream_job_status", ("RUNNING",)] == 0
    assert seen["datastream_job_epochs_total", ()] == seen["datastream_job_epoch_seconds_count", ()] >= 3
    assert seen["datastream_job_last_epoch", ()] == seen["datastream_job_epochs_total", ()] - 1
    assert (seen["datastream_job_records_in_total", ()], seen["datastream_job_records_out_total", ()]) == (30, 15)
    assert seen["datastream_job_restarts_total", ()] == 0


def test_a_job_that_fails(env):
    def fail(value):
        raise ValueError(value)

    env.from_collection([1]).map(fail).print()
    with pytest.raises(FunctionError):
        env.execute("failing-job")
    seen = samples("failing-job")
    assert seen["datastream_job_status", ("FAILED",)] == 1
    assert seen["datastream_job_records_in_total", ()] == 0, "nothing was committed"


def test_what_is_not_measured_is_not_shown(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([1]).print()
    env.execute("silent-job")
    assert samples("silent-job") == {}


def test_metrics_of_functions(env):
    class Counts(MapFunction):
        def open(self, runtime_context):
            group = runtime_context.get_metrics_group()
            self.seen = group.counter("numSeen")
            self.odd = group.add_group("parity", "odd").add_group("all").counter("count")
            self.sizes = group.distribution("sizes")
            self.rate = group.add_group("rate").meter("of events")
            self.last = None
            group.gauge("last", lambda: self.last)
            group.gauge("text", lambda: "not shown")

        def map(self, value):
            self.seen.inc()
            self.odd.inc(value % 2)
            self.sizes.update(value)
            self.rate.mark_event()
            self.last = value
            return value

    env.set_parallelism(1)
    env.from_collection(list(range(1, 11))).map(Counts(), Types.LONG()).name("counting").uid("counts").print()
    env.execute("counting-job")
    seen, place = samples("counting-job"), ("counting",)
    user = {name: value for (name, _), value in seen.items() if name.startswith("datastream_user_")}
    assert user.pop("datastream_user_rate_of_events_per_second") > 0
    assert user == {
        "datastream_user_num_seen_total": 10,
        "datastream_user_all_count_total": 5,
        "datastream_user_sizes_count": 10,
        "datastream_user_sizes_sum": 55,
        "datastream_user_sizes_min": 1,
        "datastream_user_sizes_max": 10,
        "datastream_user_rate_of_events_total": 10,
        "datastream_user_last": 10,
    }
    assert seen["datastream_user_all_count_total", (*place, "odd", "counts")] == 5
    assert seen["datastream_user_last", (*place, "0", "counts")] == 10


def test_late_records_and_watermarks(env):
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(1)).with_timestamp_assigner(Ten())
    env.configure(
        Configuration().set_integer("datastream.epoch.max-records", 10).set_integer("datastream.metrics.port", 0)
    )
    from datastream import TumblingEventTimeWindows
    from datastream.time import Time

    stream = env.from_collection([*range(100), 3]).assign_timestamps_and_watermarks(strategy).uid("times")
    windows = stream.key_by(lambda n: 0).window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
    windows.reduce(lambda a, b: a + b).uid("windows").print()
    env.set_parallelism(1)
    env.execute("late-job")
    assert by_operator("late-job", "datastream_operator_late_records_total") == {"windows": 1}
    reached = by_operator("late-job", "datastream_operator_watermark_timestamp_seconds")
    assert 10 < reached["windows"] <= 10.1


def test_what_comes_of_measures(metrics, registry):
    for epoch in (0, 1):
        metrics.on_epoch(
            EpochSummary(
                epoch,
                records_in=5,
                records_out=4,
                run_ms=300,
                measures={"map": {0: SubtaskMeasures(3, 2, 10**9, 1_000), 1: SubtaskMeasures(1, 1, 0, None)}},
                commit_ns={"sink": 5 * 10**8},
            )
        )
    metrics.on_backlog({"numbers": {"topic-0": 7}})
    metrics.on_progress(EpochProgress({"run": 0.25}, 1, 2, 3))
    seen, place = samples("job", registry), 'my "map"'
    assert seen["datastream_operator_records_in_total", (place, "0", "map")] == 6
    assert seen["datastream_operator_records_out_total", (place, "1", "map")] == 2
    assert seen["datastream_operator_busy_seconds_total", (place, "0", "map")] == 2
    assert ("datastream_operator_busy_seconds_total", (place, "1", "map")) not in seen, "fused behind another"
    assert seen["datastream_operator_watermark_timestamp_seconds", (place, "0", "map")] == 1
    assert seen["datastream_operator_watermark_lag_seconds", (place, "0", "map")] > 10**9
    assert seen["datastream_sink_commit_seconds_total", ("Sink: Print to Std. Out", "sink")] == 1
    assert seen["datastream_sink_commits_total", ("Sink: Print to Std. Out", "sink")] == 2
    assert seen["datastream_source_pending_records", ("Source: Collection Source", "topic-0", "numbers")] == 7
    assert seen["datastream_job_phase_seconds_total", ("run",)] == 0.25
    assert seen["datastream_job_state_disk_bytes", ()] == 3
    assert seen["datastream_job_epoch_seconds_bucket", ("0.25",)] == 0
    assert seen["datastream_job_epoch_seconds_bucket", ("0.5",)] == 2


def test_restarts(metrics, registry):
    metrics.on_restart(Restart(1, OSError("gone"), 0.1))
    metrics.on_restart(Restart(1, OSError("gone"), 0.1, counted=False))
    seen = samples("job", registry)
    assert seen["datastream_job_restarts_total", ()] == 1
    assert seen["datastream_job_status", ("RESTARTING",)] == 1
    metrics.on_end("CANCELED", None)
    assert samples("job", registry)["datastream_job_status", ("CANCELED",)] == 1


def test_a_group_with_too_many_values_is_cut(metrics, registry, caplog):
    for _ in range(2):
        values = {MetricName("map", (("user", str(n)),), "clicks"): CounterValue(1) for n in range(10)}
        metrics.on_epoch(EpochSummary(0, 0, 0, user_metrics=values))
    seen = samples("job", registry)
    assert len([name for name, _ in seen if name == "datastream_user_clicks_total"]) == 3
    assert seen["datastream_metrics_series_cut_total", ("datastream_user_clicks_total",)] == 7
    assert [record.getMessage() for record in caplog.records] == [
        "the metric datastream_user_clicks_total has more than 3 series, so Prometheus is not shown the others; a "
        "group's values should be few (datastream.metrics.max-series)"
    ]


def test_a_name_that_stands_for_two_kinds(metrics, registry, caplog):
    from datastream.metrics import GaugeValue

    metrics.on_epoch(EpochSummary(0, 0, 0, user_metrics={MetricName("map", (), "x_total"): CounterValue(1)}))
    metrics.on_epoch(EpochSummary(1, 0, 0, user_metrics={MetricName("sink", (), "x_total"): GaugeValue({0: 5})}))
    assert samples("job", registry)["datastream_user_x_total", ('my "map"', "map")] == 1
    assert "datastream_user_x_total is a counter already" in caplog.text


# -- text -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [("numEvents", "num_events"), ("p99.latency-ms", "p99_latency_ms"), ("9lives", "_9lives"), ("größe", "gr_e")],
)
def test_names(given, expected):
    assert snake(given) == expected


def test_labels_are_read_back_as_they_were(registry):
    strange = 'quote " backslash \\ line\nend, {brace}'
    registry.gauge("datastream_user_x", "x").set(labels([("job_name", "strange"), ("operator", strange)]), 1)
    assert samples("strange", registry) == {("datastream_user_x", (strange,)): 1}


def test_a_scrape_of_many_subtasks_can_be_read(registry):
    family = Family("datastream_x_total", "counter", "x")
    for subtask in range(3200):
        family.add(labels([("subtask", str(subtask))]), subtask)
    (read,) = text_string_to_metric_families(family.text())
    assert sum(sample.value for sample in read.samples) == 3199 * 1600


# -- over HTTP --------------------------------------------------------------------------------------------


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.status, answer.headers["Content-Type"], answer.read().decode()


def test_a_scrape(registry, metrics):
    server = MetricsServer("127.0.0.1", 0, registry)
    try:
        status, kind, text = get(f"http://127.0.0.1:{server.port}/metrics")
        assert status == 200
        assert kind.startswith("text/plain; version=0.0.4")
        assert 'datastream_job_status{job_name="job",status="RUNNING"} 1.0' in text
        assert "process_cpu_seconds_total" in text
        with pytest.raises(urllib.error.HTTPError, match="404"):
            get(f"http://127.0.0.1:{server.port}/other")
    finally:
        server.close()


def test_a_port_that_is_taken(env):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        env.configure(Configuration().set_integer("datastream.metrics.port", port))
        env.from_collection([1]).print()
        with pytest.raises(ValidationError, match=f"served at 127.0.0.1:{port}: Address already in use; choose anoth"):
            env.execute()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("port", "many", "datastream.metrics.port must be a whole number, got 'many'"),
        ("port", "-1", "datastream.metrics.port must be at least 0"),
        ("port", "70000", "cannot be served at 127.0.0.1:70000"),
        ("max-series", "0", "datastream.metrics.max-series must be at least 1"),
    ],
)
def test_settings_that_make_no_sense(env, key, value, message):
    env.configure(Configuration().set_string(f"datastream.metrics.{key}", value))
    env.from_collection([1]).print()
    with pytest.raises(ValidationError, match=message):
        env.execute()


@pytest.fixture
def gateway():
    gateway = Pushgateway()
    yield gateway
    gateway.stop()


def test_a_short_job_pushes_its_metrics_at_its_end(monkeypatch, gateway):
    monkeypatch.setattr(settings(), "executor", "local")
    env = StreamExecutionEnvironment.get_execution_environment()
    env.configure(Configuration().set_string("datastream.metrics.push.url", gateway.address))
    env.from_collection([1, 2]).print()
    env.execute("pushed job")
    shown = gateway.metrics()
    job = 'instance="",job="pushed job",job_name="pushed job"'
    assert f"datastream_job_records_in_total{{{job}}} 2" in shown
    assert f'datastream_job_status{{{job},status="FINISHED"}} 1' in shown


def test_a_gateway_that_is_away_does_not_stop_the_job(monkeypatch, caplog):
    monkeypatch.setattr(settings(), "executor", "local")
    env = StreamExecutionEnvironment.get_execution_environment()
    env.configure(Configuration().set_string("datastream.metrics.push.url", "http://user:secret@127.0.0.1:1"))
    env.from_collection([1]).print()
    env.execute("unpushed job")
    assert "metrics cannot be pushed to 127.0.0.1" in caplog.text
    assert "secret" not in caplog.text


# -- docs -------------------------------------------------------------------------------------------------


def test_every_metric_is_documented(registry):
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()
    documented = set(re.findall(r"^\| `(datastream_[a-z_]+)` \|", page, re.MULTILINE))
    names = {family.name for family in registry.families()} | {name for name, _ in KNOWN.values()}
    client = {
        f"{family.name}_total" if family.type == "counter" else family.name
        for family in registry.client.collect()
        if family.name.startswith("datastream_")
    }
    assert documented == names | client
