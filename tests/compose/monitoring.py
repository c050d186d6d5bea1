"""What the Prometheus of the stack has seen: its targets, data for each panel of the boards, alerts."""

from __future__ import annotations

from tests.prometheus.boards import panels
from tests.support.servers.prometheus import PrometheusApi

#: Who is scraped, without and with the profile `cluster`.
_TARGETS = ("localhost:9090", "runner:9249", "gateway:8081")
_OF_THE_CLUSTER = (
    *("runner-cluster:9249", "runner-cluster:4040"),
    *("spark-master:8080", "spark-worker-1:8081", "spark-worker-2:8081"),
)


def problems(prometheus: PrometheusApi, cluster: bool) -> list[str]:
    """What is wrong; nothing: all targets are up, each panel has had data, no alert fires.

    Args:
        prometheus: The server.
        cluster: The Spark cluster of the stack is there too.
    """
    found = {str(series["metric"]["instance"]): series["value"][1] for series in prometheus.query("up")}
    wanted = _TARGETS + (_OF_THE_CLUSTER if cluster else ())
    return [
        *(f"Prometheus does not know {name}" for name in wanted if name not in found),
        *(f"Prometheus cannot scrape {text}" for text in prometheus.down()),
        *(f"no data for the panel '{title}': {query}" for title, query in panels() if not _had_data(prometheus, query)),
        *(f"the alert {name} fires" for name in prometheus.alerts()),
    ]


def _had_data(prometheus: PrometheusApi, query: str) -> bool:
    # Nothing that is no number is at least as large as the smallest one.
    return bool(prometheus.query(f"count_over_time((({query}) >= -Inf)[1h:5s])"))
