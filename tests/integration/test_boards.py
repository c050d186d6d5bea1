"""Each panel of the boards shows something of a real job, to a real Prometheus."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.prometheus.boards import RULES, panels
from tests.support.processes import JOBS, Runs
from tests.support.servers.processes import free_ports
from tests.support.servers.prometheus import Prometheus

pytestmark = pytest.mark.long  # many processes of their own

#: What the job's source, a sequence, does not tell; the check of compose.yaml has a Kafka source.
_OF_SOURCES = "datastream_source_"


def test_each_panel_shows_something(runs: Runs, tmp_path: Path) -> None:
    (port,) = free_ports(1)
    prometheus = Prometheus(port, (RULES,))
    try:
        job = runs.job(
            *("-p", 1, "--checkpoint-dir", tmp_path / "checkpoint", "--no-progress"),
            *("-D", f"datastream.metrics.port={port}", "-D", "datastream.epoch.max-records=20000"),
            *(JOBS / "endless_windows.py", tmp_path / "out"),
        )
        job.until(lambda: bool(prometheus.query("datastream_job_epochs_total > 4")), "five epochs")
        for title, asked in panels("endless"):
            found = prometheus.query(asked)
            if _OF_SOURCES not in asked:
                job.until(lambda asked=asked: _has_data(prometheus, asked), f"data of the panel '{title}': {found}")
        assert prometheus.alerts() == []
    finally:
        prometheus.stop()


def _has_data(prometheus: Prometheus, query: str) -> bool:
    return any(sample["value"][1] != "NaN" for sample in prometheus.query(query))
