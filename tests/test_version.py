"""The product has one version number, wherever it is stated."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata

import yaml
from click.testing import CliRunner

import datastream
from datastream.cli.commands import cli
from tests.support.processes import ROOT

VERSION = datastream.__version__


def test_packages_image_and_chart_have_the_version_of_the_code() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "datastream/__init__.py"
    assert metadata.version("spark-datastream") == VERSION
    image = re.findall(r"^ARG VERSION=(\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert image == [VERSION]
    assert yaml.safe_load((ROOT / "helm" / "datastream" / "Chart.yaml").read_text())["appVersion"] == VERSION
    made = "".join(path.read_text() for path in (ROOT / "k8s").rglob("*.yaml"))
    assert set(re.findall(r'app\.kubernetes\.io/version: "?([^"\s]+)', made)) == {VERSION}


def test_commands_show_it() -> None:
    assert VERSION in CliRunner().invoke(cli, ["--version"]).output.split()


def test_the_text_of_a_release_is_found_nowhere_else() -> None:
    """A second place would be forgotten at the next release."""
    # Formats of state name the release that they came with.
    known = {
        "datastream/runtime/state_format/version_1.py",
        "datastream/__init__.py",
        "Dockerfile",
        "helm/datastream/Chart.yaml",
        "helm/datastream/README.md",
    }
    found = {
        str(path.relative_to(ROOT))
        for folder in ("datastream", "services", "connectors", "helm", "container", "docs", "scripts", "compose")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix in (".py", ".md", ".yaml", ".tpl", ".toml", ".sh", "")
        if VERSION in path.read_text("utf-8", "replace")
    }
    assert found <= known
