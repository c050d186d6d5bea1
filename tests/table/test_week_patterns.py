"""Dates by years of weeks, weeks and their days: `week_patterns.tsv` has what Flink 2.3 reads in each text."""

from __future__ import annotations

from pathlib import Path

import pytest

from datastream.config.settings import settings
from datastream.table import EnvironmentSettings, TableEnvironment

CASES = [line.split("\t") for line in Path(__file__).with_name("week_patterns.tsv").read_text().splitlines()]


def test_weeks_are_read_as_flink_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    quoted = [(name, pattern.replace("'", "''"), text) for name, pattern, text, _ in CASES]
    calls = ", ".join(f"CAST({name}('{text}', '{pattern}') AS STRING)" for name, pattern, text in quoted)
    with env.sql_query(f"SELECT {calls}").execute().collect() as rows:
        (row,) = rows
    found = [[name, pattern, text, value or "NULL"] for (name, pattern, text, _), value in zip(CASES, row, strict=True)]
    assert [[*one[:3], one[3].removesuffix(".000")] for one in found] == CASES
