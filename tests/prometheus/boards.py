"""The boards and rules of the checkout."""

import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
RULES = ROOT / "compose" / "prometheus" / "rules" / "datastream.yml"
BOARDS = ROOT / "compose" / "grafana"


def panels():
    """(Title, query) of all panels of all boards."""
    for file in sorted((BOARDS / "dashboards").glob("*.json")):
        for panel in json.loads(file.read_text())["panels"]:
            for target in panel.get("targets", ()):
                yield panel["title"], target["expr"]
