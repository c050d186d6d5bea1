from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.services.gateway.conftest import GatewayServer
from tests.services.gateway.sql_gateway.conversation import converse

RECORDED = Path(__file__).with_name("flink.json")


@pytest.mark.long
def test_answers_are_those_of_flinks_gateway(gateway: GatewayServer) -> None:
    answers = converse(gateway.client, {"datastream.executor": "local"})
    expected = json.loads(RECORDED.read_text())
    assert len(answers) == len(expected)
    for answer, of_flink in zip(answers, expected, strict=True):
        assert answer == of_flink
