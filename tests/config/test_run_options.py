"""Every place that shows options of a run shows those of the one table."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from datastream.client import GatewayClient
from datastream.config.run_options import RunOptions, about, options_of

ROOT = Path(__file__).parents[2]
OPTIONS = options_of(RunOptions)
IN_GATEWAY = {name: about(each).in_gateway for name, each in OPTIONS.items() if about(each).in_gateway}
IN_CHART = {name: about(each).in_chart for name, each in OPTIONS.items() if about(each).in_chart}


def _rows(page: str, heading: str) -> list[str]:
    """The rows of the first table below a heading."""
    text = (ROOT / "docs" / page).read_text()
    below = text[re.search(rf"^#+ {heading}$", text, re.MULTILINE).end() :]  # type: ignore[union-attr]
    table = re.search(r"(?:^\|.*\n)+", below, re.MULTILINE)
    assert table is not None
    return table.group().splitlines()[2:]


def _flags(page: str, heading: str) -> set[str]:
    return {flag for row in _rows(page, heading) for flag in re.findall(r"--([a-z-]+)", row.split(" | ")[0])}


@pytest.mark.parametrize("name", OPTIONS)
def test_each_option_is_on_the_page_of_the_command(name: str) -> None:
    assert name in _flags("command-line.md", "run")


@pytest.mark.parametrize("name", IN_GATEWAY)
def test_the_gateway_its_client_and_its_page_have_the_option(name: str) -> None:
    from datastream.services.gateway.models import RunParameters

    assert IN_GATEWAY[name] in RunParameters.model_fields
    assert OPTIONS[name].name in inspect.signature(GatewayClient.run).parameters
    assert name in _flags("gateway-client.md", "Options of submit")


@pytest.mark.parametrize("name", IN_CHART)
def test_the_chart_has_the_option(name: str) -> None:
    chart = ROOT / "helm" / "datastream"
    definitions: dict[str, Any] = json.loads((chart / "values.schema.json").read_text())["definitions"]
    assert IN_CHART[name] in definitions["job"]["properties"]
    assert IN_CHART[name] in definitions["jobDefaults"]["properties"]
    assert IN_CHART[name] in yaml.safe_load((chart / "values.yaml").read_text())["jobDefaults"]
    assert f"\n{name}: " in (chart / "templates" / "_jobs.tpl").read_text()
