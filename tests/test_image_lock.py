"""The packages of the image are those that the tests run with."""

from __future__ import annotations

import re

from tests.support.processes import ROOT

LOCKS = ROOT / "requirements"


def versions(lock: str) -> dict[str, set[str]]:
    """Package -> its versions; several where they depend on the platform."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", (LOCKS / lock).read_text(), re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


def test_the_image_has_the_versions_of_the_tests() -> None:
    tested, image = versions("dev.lock"), versions("image.lock")
    assert {name: some for name, some in image.items() if some != tested.get(name)} == {}


def test_the_image_has_what_jobs_need() -> None:
    for name in ("pyspark", "pyarrow", "pandas", "confluent-kafka", "prometheus-client", "pyyaml"):
        assert name in versions("image.lock")
