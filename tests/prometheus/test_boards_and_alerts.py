"""Boards are those of the code, ask for metrics that exist, and alerts fire when they should."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.prometheus.boards import BOARDS, ROOT, RULES, panels
from tests.support.servers.prometheus import promtool


def test_the_boards_are_those_of_the_code():
    command = [sys.executable, "-c", "import boards, json; print(json.dumps(boards.boards()))"]
    made = json.loads(subprocess.run(command, cwd=BOARDS, capture_output=True, text=True, check=True).stdout)
    there = {file.name: file.read_text() for file in (BOARDS / "dashboards").glob("*.json")}
    assert there == made, "run python compose/grafana/boards.py"


def test_boards_and_rules_ask_for_documented_metrics():
    documented = set(re.findall(r"`(datastream_[a-z_]+)`", (ROOT / "docs" / "metrics.md").read_text()))
    for title, query in [*panels(), ("rules", RULES.read_text())]:
        for name in re.findall(r"datastream_[a-z_]+", query):
            assert re.sub(r"_bucket$", "", name) in documented, title


@pytest.mark.long
def test_alerts_fire_when_they_should(tmp_path):
    for file in (RULES, Path(__file__).with_name("alerts.yml")):
        shutil.copy(file, tmp_path)
    for command in (("check", "rules", RULES.name), ("test", "rules", "alerts.yml")):
        done = subprocess.run([promtool(), *command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
