"""Fixtures of the tests of Kinesis."""

from __future__ import annotations

import pytest

from datastream.config.settings import settings
from tests.support.servers.kinesis import KinesisServer
from tests.support.servers.s3 import S3Server


@pytest.fixture(autouse=True)
def executor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs run in this process."""
    monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture(scope="session")
def moto(s3_server: S3Server) -> KinesisServer:
    """moto's server, with Firehose and times to start from."""
    return KinesisServer(s3_server.endpoint)
