"""Collections of a million entries in the state of one key, in workers of bounded memory."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from tests.support.processes import JOBS, Runs, datastream

COUNT = 1_000_000

#: Of a worker, which has some 70 MiB before it does anything; the map as a dict alone would have 200.
MOST_MIB = 250


@pytest.mark.long
def test_a_million_entries_in_one_key(runs: Runs, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    out = runs.job("--checkpoint-dir", checkpoint, JOBS / "large_state.py", "--count", COUNT).succeed(limit_s=240)
    told = [ast.literal_eval(line.partition("> ")[2] or line) for line in out.splitlines() if "(" in line]
    results = {(kind, phase): result for kind, phase, result, _ in told}
    total = sum(range(COUNT))
    assert results == {
        ("map", "fill"): COUNT,
        ("map", "look"): True,
        ("map", "iterate"): (COUNT, total),
        ("list", "fill"): COUNT,
        ("list", "look"): True,
        ("list", "iterate"): (COUNT, total),
    }
    assert max(memory for *_, memory in told) < MOST_MIB, told

    shown = runs.start(*datastream("state", "show", "--format", "json", "--limit", 7, checkpoint)).succeed()
    rows = {row["state"]: row for row in map(json.loads, shown.splitlines())}
    assert rows["map"]["entries"] == rows["list"]["entries"] == COUNT
    assert rows["list"]["value"] == list(range(7))
    assert rows["map"]["value"].count("value ") == 7
