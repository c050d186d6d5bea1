"""Each service of compose.yaml sees its own tokens, and no other's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import yaml

from tests.support.processes import ROOT

PLACE = "/var/lib/datastream"


def test_each_service_sees_its_own_tokens() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    seen = {
        name: {volume.partition(":")[0] for volume in service.get("volumes", ()) if volume.startswith("tokens")}
        for name, service in services.items()
    }
    assert seen.pop("tokens") == {"tokens", "tokens-of-job", "tokens-of-prometheus"}
    assert {name: volumes for name, volumes in seen.items() if volumes} == {
        "gateway": {"tokens"},
        "runner": {"tokens-of-job"},
        "prometheus": {"tokens-of-prometheus"},
    }
    assert f"{PLACE}/tokens-of-job/runner.yaml" in services["runner"]["command"]
    assert f"{PLACE}/tokens-of-prometheus/token" in (ROOT / "compose" / "prometheus" / "prometheus.yml").read_text()
    assert f"{PLACE}/tokens/control" in (ROOT / "compose" / "gateway" / "external.yaml").read_text()


def test_tokens_are_made_once(tmp_path: Path) -> None:
    for name in ("tokens", "tokens-of-job", "tokens-of-prometheus"):
        (tmp_path / name).mkdir()
    script = (ROOT / "compose" / "gateway" / "tokens.sh").read_text().replace(PLACE, str(tmp_path))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    variables = {**os.environ, "PATH": path, "DATASTREAM_GATEWAY_DATA": str(tmp_path / "data")}
    made = []
    for _ in range(2):
        subprocess.run(["sh", "-c", script], env=variables, check=True, timeout=120)
        files = (
            tmp_path / "tokens/control",
            tmp_path / "tokens-of-job/runner.yaml",
            tmp_path / "tokens-of-prometheus/token",
        )
        made.append([file.read_text() for file in files])
    control, runner, prometheus = made[0]
    assert made[1] == made[0]
    assert yaml.safe_load(runner) == {"control-token": control.strip()} and prometheus.startswith("dsg_")
    assert (tmp_path / "tokens-of-job/runner.yaml").stat().st_mode & 0o077 == 0
