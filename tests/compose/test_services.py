"""The services of compose.yaml: reached from this machine only, bounded, checked, and in the docs."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from tests.support.processes import ROOT

STACK: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
PUBLISHED = {name: service for name, service in STACK["services"].items() if "ports" in service}
_VARIABLE = re.compile(r"\$\{\w+:-([^}]*)\}")


def with_defaults(text: str) -> str:
    """A text of compose.yaml where no variable is set."""
    return _VARIABLE.sub(r"\1", text)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_service_is_on_loopback_and_bounded(name: str) -> None:
    service = PUBLISHED[name]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert service["mem_limit"] and service["pids_limit"] and service["cap_drop"] == ["ALL"]
    # The image of the project has a check of its own.
    assert "healthcheck" in service or with_defaults(service["image"]).startswith("datastream")


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_service_is_in_the_docs_with_its_ports(name: str) -> None:
    lines = (ROOT / "docs" / "containers.md").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith("| `") and f"`{name}`" in line.split("|")[1])
    missing = [port for port in map(with_defaults, PUBLISHED[name]["ports"]) if f"{port.split(':')[1]}`" not in line]
    assert not missing


def test_a_system_is_started_by_a_profile_of_its_name() -> None:
    alone = {name for name, service in STACK["services"].items() if name in service.get("profiles", ())}
    assert {"cassandra", "kinesis", "nifi", "pubsub", "pulsar", "redis"} <= alone


def test_ports_of_all_profiles_differ() -> None:
    ports = [with_defaults(port).split(":")[1] for service in PUBLISHED.values() for port in service["ports"]]
    assert len(ports) == len(set(ports))


def test_volumes_are_declared() -> None:
    named = {
        volume.partition(":")[0] for service in STACK["services"].values() for volume in service.get("volumes", ())
    }
    assert {name for name in named if not name.startswith(".")} == STACK["volumes"].keys()
