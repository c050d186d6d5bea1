"""What newcomers get wrong, and that they are told what helps them."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import structlog

import datastream.compat as compat
from datastream.cli.run import run as run_command
from datastream.config import settings as settings_module
from datastream.config.settings import PlanCaptured, Settings
from datastream.driver.failures import failure_text
from datastream.driver.script import run_script
from datastream.errors import CheckpointMismatch
from datastream.graph import JobGraph, Plan
from datastream.spark.checkpoints import acquire
from tests.mistakes.catalogue import MISTAKES, TOPICS
from tests.mistakes.mistake import Mistake

PAGE = Path(__file__).parents[2] / "docs" / "mistakes.md"
SCRIPTS = [mistake for mistake in MISTAKES if mistake.before is None]


@pytest.fixture(autouse=True)
def clean_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """The settings of a process whose warnings are shown by the command alone."""
    fresh = Settings(executor="local")
    monkeypatch.setattr(settings_module, "_settings", fresh)
    monkeypatch.setattr(logging.getLogger("datastream"), "handlers", [])
    was = compat.installed()
    yield fresh
    if not was:
        compat.uninstall()


@pytest.mark.long
@pytest.mark.parametrize("mistake", SCRIPTS, ids=lambda mistake: mistake.name)
def test_the_terminal_says_what_helps(
    mistake: Mistake,
    tmp_path: Path,
    clean_process: Settings,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # pytest's, made for this call
    script = tmp_path / "job.py"
    script.write_text(mistake.script)
    code = run_command(clean_process, script, (), "console", False)
    out, err = capsys.readouterr()
    for text in mistake.expected(str(script)):
        assert text in out + err
    assert code == mistake.exit_code


def test_a_warning_is_a_structured_log_line(
    tmp_path: Path, clean_process: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    script = tmp_path / "job.py"
    script.write_text(next(m.script for m in MISTAKES if m.name == "processing-time"))
    run_command(clean_process, script, (), "json", False)
    structlog.reset_defaults()
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (warning,) = [line for line in lines if line["level"] == "warning"]
    assert (warning["kind"], warning["operator"], warning["epoch"]) == ("window-never-fires", "window-1", 0)
    assert "never fired" in warning["event"]


@pytest.mark.parametrize("mistake", [m for m in MISTAKES if m.before is not None], ids=lambda mistake: mistake.name)
def test_a_changed_job_without_uids(mistake: Mistake, tmp_path: Path, clean_process: Settings) -> None:
    graphs: list[Any] = []
    clean_process.on_execute = graphs.append
    for code in (mistake.before, mistake.code):
        script = tmp_path / "job.py"
        script.write_text(Mistake("", "", "", "", code or "").script)
        with suppress(PlanCaptured):
            run_script(script, ())
    first, second = (Plan.of(graph) for graph in graphs if isinstance(graph, JobGraph))
    acquire(str(tmp_path / "checkpoint"), first).release()
    with pytest.raises(CheckpointMismatch) as caught:
        acquire(str(tmp_path / "checkpoint"), second)
    for text in mistake.expected(""):
        assert text in failure_text(caught.value)


def test_the_page_shows_these_mistakes_and_no_others() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    head = ["| You wrote | What happens | What to do |", "| --- | --- | --- |"]
    assert rows == [row for topic in TOPICS for row in (*head, *(mistake.row for mistake in topic.MISTAKES))]
