"""What Prometheus is shown of a job on Spark: figures of committed epochs, from every worker."""

import pytest

from datastream import Configuration, KeyedProcessFunction, StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.state import ValueStateDescriptor
from datastream.types import Types
from tests.prometheus.scrapes import by_operator, measured, samples


class Counting(KeyedProcessFunction):
    def open(self, runtime_context):
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.LONG()))
        self.counter = runtime_context.get_metrics_group().add_group("parity", "even").counter("keys")

    def process_element(self, value, ctx):
        count = (self.seen.value() or 0) + 1
        self.seen.update(count)
        if count == 1 and ctx.get_current_key() % 2 == 0:
            self.counter.inc()
        yield count


@pytest.fixture(scope="module")
def seen():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings(), "executor", "spark")
        env = measured(StreamExecutionEnvironment.get_execution_environment())
        env.configure(Configuration().set_integer("datastream.epoch.max-records", 300))
        env.set_parallelism(2)
        numbers = env.from_collection(list(range(1000))).uid("numbers").filter(lambda n: n % 2 or n % 3).uid("some")
        counts = numbers.key_by(lambda n: n % 10).process(Counting(), Types.LONG()).uid("counts")
        counts.filter(lambda n: n > 50).uid("many").print().uid("sink")
        env.execute("spark-job")
    return samples("spark-job")


def test_operators(seen):
    some = [n for n in range(1000) if n % 2 or n % 3]
    came = by_operator("spark-job", "datastream_operator_records_in_total")
    went = by_operator("spark-job", "datastream_operator_records_out_total")
    assert (came["numbers"], came["some"], came["counts"]) == (1000, 1000, len(some))
    assert (went["some"], went["counts"], came["many"]) == (len(some),) * 3
    assert went["many"] == came["sink"] > 0
    assert by_operator("spark-job", "datastream_operator_busy_seconds_total")["counts"] > 0


def test_subtasks(seen):
    subtasks = {labels[1] for (name, labels) in seen if name == "datastream_operator_records_in_total"}
    assert subtasks == {"0", "1"}


def test_the_job(seen):
    assert seen["datastream_job_records_in_total", ()] == 1000
    assert seen["datastream_job_epochs_total", ()] == seen["datastream_job_epoch_seconds_count", ()] >= 4
    assert seen["datastream_job_status", ("FINISHED",)] == 1


def test_phases_and_state(seen):
    phases = {labels[0] for (name, labels) in seen if name == "datastream_job_phase_seconds_total"}
    assert phases == {"plan", "compile", "run", "log"}
    assert seen["datastream_job_state_entries", ()] > 0
    assert seen["datastream_job_state_disk_bytes", ()] > 0


def test_metrics_of_functions(seen):
    user = {labels: value for (name, labels), value in seen.items() if name == "datastream_user_keys_total"}
    assert [(labels[1:], value) for labels, value in user.items()] == [(("even", "counts"), 5)]
