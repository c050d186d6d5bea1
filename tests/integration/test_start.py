"""How a job starts: what it says, and the class-data archive that the first run leaves behind."""

from __future__ import annotations

import fcntl
import subprocess
from pathlib import Path

import pytest

from datastream.spark.process import archive, warming
from datastream.spark.process.java import find_java
from tests.support.processes import ROOT, Runs, datastream
from tests.support.waiting import wait_until

FOUR_RECORDS = ROOT / "bench" / "jobs" / "four_records.py"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, as on a new machine, where archives may be made."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv(archive.VARIABLE, "auto")
    return tmp_path / "cache" / "datastream"


@pytest.fixture
def broken_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Java that can do nothing."""
    program = tmp_path / "jdk" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    (tmp_path / "jdk" / "release").write_text('JAVA_VERSION="21.0.1"\nMODULES="java.base"\n')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))


@pytest.mark.long
def test_a_job_says_nothing_but_its_records(runs: Runs) -> None:
    run = runs.job("--no-progress", FOUR_RECORDS)
    assert len(run.succeed().splitlines()) == 4, run.told()
    assert run.err == ""
    run.assert_tidy()


@pytest.mark.long
def test_a_collector_of_the_users_choice(runs: Runs) -> None:
    option = "spark.driver.extraJavaOptions=-XX:+UseParallelGC"
    assert len(runs.job("--no-progress", "-D", option, FOUR_RECORDS).succeed().splitlines()) == 4


@pytest.mark.long
def test_with_a_damaged_archive_the_job_runs(runs: Runs, cache: Path) -> None:
    target = archive.path(find_java())
    cache.mkdir(parents=True)
    kept = Path.home() / ".cache" / "datastream" / target.name
    if not kept.exists():
        warming.make()
        kept = target
    damaged = kept.read_bytes()[:1_000_000]
    target.unlink(missing_ok=True)
    target.write_bytes(damaged)
    run = runs.job("--no-progress", "-D", "datastream.java.archive=off", FOUR_RECORDS)
    assert len(run.succeed().splitlines()) == 4
    if target.exists():  # Java 21 and later see the damage and do without
        assert run.err == "" and find_java().version >= 21
    else:
        assert "starts again without its class-data archive" in run.err


@pytest.mark.long
@pytest.mark.long
def test_the_first_run_has_an_archive_made_for_later_ones(runs: Runs, cache: Path) -> None:
    first = runs.job("--no-progress", FOUR_RECORDS)
    assert len(first.succeed().splitlines()) == 4
    assert first.err == ""
    wait_until(lambda: list(cache.glob("*.jsa")), "archive")
    made = archive.path(find_java())
    assert list(cache.glob("*.jsa")) == [made]
    first.assert_gone()
    doctor = subprocess.run(datastream("doctor"), capture_output=True, text=True)
    assert str(made) in doctor.stdout
    second = runs.job("--no-progress", FOUR_RECORDS)
    assert len(second.succeed().splitlines()) == 4
    second.assert_tidy()


@pytest.mark.long
@pytest.mark.parametrize("kept", ["nowhere", "off", "wrong"])
def test_no_archive(runs: Runs, tmp_path: Path, kept: str) -> None:
    """Where it cannot be kept, or is not wanted, the run is as any other."""
    home = tmp_path / "home"
    if kept == "nowhere":
        home.write_text("not a folder")
    options = {
        "nowhere": [],
        "off": ["-D", "datastream.java.archive=off"],
        "wrong": ["-D", "datastream.java.archive=no"],
    }
    environment: dict[str, str | None] = {archive.VARIABLE: "auto", "XDG_CACHE_HOME": str(home)}
    run = runs.job("--no-progress", *options[kept], FOUR_RECORDS, environment=environment)
    if kept == "wrong":
        assert run.wait() == 2
        assert "datastream.java.archive must be 'auto' or 'off', got 'no'" in run.err
    else:
        assert len(run.succeed().splitlines()) == 4
        assert run.err == ""
    run.assert_tidy()
    assert kept == "nowhere" or not [path for path in home.rglob("*") if path.is_file()]


def test_two_processes_do_not_make_it_at_once(cache: Path, broken_java: None) -> None:
    cache.mkdir(parents=True)
    target = archive.path(find_java())
    with target.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = warming.make_later()
        assert process is not None and process.wait() == 0
        assert not target.with_suffix(".failed").exists()
    process = warming.make_later()
    assert process is not None and process.wait() == 0
    assert target.with_suffix(".failed").exists()


def test_what_failed_is_not_tried_after_every_run(cache: Path, broken_java: None) -> None:
    process = warming.make_later()
    assert process is not None and process.wait() == 0
    assert warming.make_later() is None
    assert [file.suffix for file in sorted(cache.iterdir())] == [".failed", ".lock"]
