"""Connectors that other packages bring, by entry points."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from datastream import connectors
from datastream.connectors import plugins
from datastream.errors import ValidationError


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Installs packages: a name, and lines of its entry points."""

    def install(package: str, *points: str) -> None:
        folder = tmp_path / f"{package}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text("\n".join(["[datastream.connectors]", *points]))
        plugins._found.cache_clear()

    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "acme_queue.py").write_text("class AcmeSource:\n    pass\n")
    yield install
    sys.modules.pop("acme_queue", None)
    importlib.invalidate_caches()
    plugins._found.cache_clear()


def test_a_package_brings_a_name(installed):
    installed("acme", "AcmeSource = acme_queue:AcmeSource")
    from datastream.connectors import AcmeSource  # type: ignore[attr-defined]

    assert AcmeSource.__module__ == "acme_queue" and "AcmeSource" in dir(connectors)


def test_two_packages_with_one_name(installed):
    installed("acme", "AcmeSource = acme_queue:AcmeSource")
    installed("other", "AcmeSource = other_queue:AcmeSource")
    with pytest.raises(ValidationError, match="is in acme .* and other|is in other .* and acme"):
        _ = connectors.AcmeSource


def test_a_package_that_cannot_be_imported(installed):
    installed("acme", "Broken = acme_queue:Nothing")
    with pytest.raises(ValidationError, match="acme_queue:Nothing of the package acme, cannot be imported"):
        _ = connectors.Broken


def test_no_such_name(installed):
    installed("acme")
    with pytest.raises(AttributeError, match="has no attribute 'Nowhere'"):
        _ = connectors.Nowhere
    with pytest.raises(ImportError):
        from datastream.connectors import Nowhere  # type: ignore[attr-defined]  # noqa: F401
