"""A savepoint of a million keys, restored by a changed job: every key's state is what it was."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from datastream.runtime.savepoints.manifest import read_manifest
from datastream.spark.state_view import open_reader
from tests.support.processes import JOBS, Runs, datastream, visible_lines

KEYS = 1_000_000
#: Of the first part: half of the keys come twice.
FIRST = KEYS * 3 // 2


def counts(savepoint: Path) -> dict[int, int]:
    rows = open_reader(savepoint).rows("counts", "count", limit=None)
    return {row.key: row.value for row in rows}


@pytest.mark.long
def test_a_savepoint_of_a_million_keys_is_restored_by_another_graph(
    runs: Runs, tmp_path: Path, record_testsuite_property: Callable[[str, object], None]
) -> None:
    script, out = JOBS / "million_keys.py", tmp_path / "out"
    options = ("--keys", KEYS, "--records")

    def savepoint(checkpoint: Path, name: str) -> Path:
        runs.start(*datastream("savepoint", checkpoint, tmp_path / name)).succeed()
        return tmp_path / name

    first, second = tmp_path / "first", tmp_path / "second"
    epochs = ("-D", "datastream.epoch.max-records=250000")
    runs.job(*epochs, "--checkpoint-dir", first, script, out, *options, FIRST).succeed(600)
    began = time.monotonic()
    taken = savepoint(first, "taken")
    took_s = time.monotonic() - began
    known = counts(taken)
    assert len(known) == KEYS and sum(known.values()) == FIRST

    restore = "--from-savepoint", taken, "--allow-non-restored-state", "--checkpoint-dir", second
    began = time.monotonic()
    job = runs.job(*epochs, "--log-format", "json", *restore, script, out, "--shape", "after", *options, FIRST)
    job.succeed(600)
    restored_s = time.monotonic() - began
    assert counts(savepoint(second, "restored")) == known
    manifest = read_manifest(taken)
    figures = {"keys": KEYS, "bytes": manifest.bytes, "take_s": round(took_s, 1), "restore_s": round(restored_s, 1)}
    record_testsuite_property("savepoint of a million keys", json.dumps(figures))
    print(json.dumps(figures))
    assert sorted(visible_lines(out)) == sorted(
        f"{n},{count + 1}" for n in range(0, KEYS, 100_000) for count in range(known[n])
    )
