"""What functions count and measure, named as in `pyflink.metrics`.

A function registers metrics in ``open``, by `RuntimeContext.get_metrics_group()`. What happened in an epoch travels
with the epoch's commit, so the totals hold each committed epoch once, whatever was tried again.
"""

from datastream.metrics.kept import Kept, KeptChange
from datastream.metrics.key_sample import KeySample
from datastream.metrics.measures import Measures, SubtaskMeasures
from datastream.metrics.metric_group import MetricGroup, MetricRegistry
from datastream.metrics.metric_name import MetricName
from datastream.metrics.metrics import Counter, Distribution, Gauge, Meter, Metric
from datastream.metrics.values import (
    CounterValue,
    DistributionValue,
    GaugeValue,
    MeterValue,
    MetricValue,
    MetricValues,
    merge,
)

__all__ = [
    "Counter",
    "CounterValue",
    "Distribution",
    "DistributionValue",
    "Gauge",
    "GaugeValue",
    "Kept",
    "KeptChange",
    "KeySample",
    "Measures",
    "Meter",
    "MeterValue",
    "Metric",
    "MetricGroup",
    "MetricName",
    "MetricRegistry",
    "MetricValue",
    "MetricValues",
    "SubtaskMeasures",
    "merge",
]
