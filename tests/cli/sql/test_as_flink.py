"""A file of statements prints what Flink's SQL client prints."""

from __future__ import annotations

import re

import pytest

from datastream.cli.sql.output import Output
from datastream.cli.sql.session import SqlSession, StatementFailed
from datastream.config.settings import settings
from tests.cli.sql.flink_client import RECORD, STATEMENTS, same_each_time


def test_what_is_printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    output = Output()
    session = SqlSession(output)
    with pytest.raises(StatementFailed) as failed:
        session.run_text(STATEMENTS.read_text(), "FILE")
    out = capsys.readouterr().out
    output.error(failed.value.text)
    err = capsys.readouterr().err
    error = re.sub(r"FILE, line \d+: ", "", err)  # Flink does not say where
    assert error != err
    assert same_each_time(re.sub(r"\x1b\[[0-9;]*m", "", out + error)) == RECORD.read_text()
