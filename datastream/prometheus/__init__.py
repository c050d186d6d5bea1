"""Metrics of jobs in Prometheus' text format: over HTTP, or pushed.

registry     all metrics of this process
families     series of one metric, written fast
job_metrics  follows one job
user_metrics what functions and connectors have registered
names        names and labels by Prometheus' rules
server       answers scrapes
pushing      sends to a Pushgateway
settings     what the user wants of these
"""

from .job_metrics import JobMetrics
from .registry import CONTENT_TYPE, REGISTRY, Registry
from .reporting import reporter

__all__ = ["CONTENT_TYPE", "REGISTRY", "JobMetrics", "Registry", "reporter"]
