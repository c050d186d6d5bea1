"""What a scrape shows of a job."""

from prometheus_client.parser import text_string_to_metric_families

from datastream import Configuration
from datastream.prometheus import REGISTRY


def measured(env):
    """Lets the jobs of an environment show their metrics, at any port that is free."""
    env.configure(Configuration().set_integer("datastream.metrics.port", 0))
    return env


def samples(job, registry=REGISTRY):
    """(Metric, its other labels, sorted by their names) -> value."""
    found = {}
    for family in text_string_to_metric_families(registry.text().decode()):
        for sample in family.samples:
            if sample.labels.get("job_name") == job:
                rest = tuple(value for name, value in sorted(sample.labels.items()) if name != "job_name")
                found[sample.name, rest] = sample.value
    return found


def by_operator(job, metric, registry=REGISTRY):
    """Uid -> the sum over its subtasks."""
    found = {}
    for (name, labels), value in samples(job, registry).items():
        if name == metric:
            uid = labels[-1]
            found[uid] = found.get(uid, 0) + value
    return found
