"""The boards and rules of the checkout."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
RULES = ROOT / "compose" / "prometheus" / "rules" / "datastream.yml"
BOARDS = ROOT / "compose" / "grafana"


def panels(job: str = ".*", interval: str = "10s") -> Iterator[tuple[str, str]]:
    """Title and query of all panels of all boards.

    Args:
        job: What Grafana would put in for the names of the jobs.
        interval: What it would put in for the interval of rates.
    """
    for file in sorted((BOARDS / "dashboards").glob("*.json")):
        for panel in json.loads(file.read_text())["panels"]:
            for target in panel.get("targets", ()):
                query = target["expr"].replace("$job", job).replace("$__rate_interval", interval)
                yield panel["title"], query
